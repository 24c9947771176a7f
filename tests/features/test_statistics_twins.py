"""Every extended statistic against its slow twin on every kind of table, and the list of those without a twin.

The features are float32 sums over a table, the twins float64: nearly all agree to 1e-5, and ``TOLERANCE`` is asked of
them. ``LOOSER`` names the few that magnify the rounding, and why.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import reference_blocks as reference_blocks
import reference_curves as reference_curves
import reference_linear as reference_linear
import reference_pairs as reference_pairs
import reference_statistics as reference
import reference_tables as reference_tables
import torch
from statistics_helpers import EXTENDED
from test_statistics import ours, table

from foundcause.features import row_samples as samples
from foundcause.features.nonlinear import row_samples
from foundcause.features.registry import blocks_of
from foundcause.features.regressions import pair_regressions
from foundcause.features.row_samples import content_subset
from foundcause.features.standardize import TableState, prepare

STATISTICS = [statistic for block in blocks_of("extended") for statistic in block.statistics or ()]
Columns = dict[str, np.ndarray]


TOLERANCE = 1e-4
LOOSER = {
    "line_entropy_z": 5e-4,  # n times a difference of two entropies, each rounded at 1e-7 of up to 10
    "noise_entropy_z": 5e-4,  # the same
    "grid": 1e-3,  # the log of the smallest gap between float32 values, a difference that cancels
}


def compare(found: np.ndarray, expected: dict[str, np.ndarray], seen: np.ndarray) -> None:
    """Every quantity of a twin against the features it becomes, both ends of it, after the limits of [-8, 8].

    Whatever a twin makes of a pair with fewer than three joint rows, its features are 0.
    """
    kinds = {q.name: q.kind for q in STATISTICS}
    together = seen.astype(float).T @ seen >= 3
    D = found.shape[0]
    for name, value in expected.items():
        between = np.clip(value, -8, 8)
        if kinds[name] == "size":
            targets = {name: np.full((D, D), between)}
        elif kinds[name] == "marginal":
            by_cause = np.repeat(between[:, None], D, 1)
            targets = {f"{name}_cause": by_cause, f"{name}_effect": by_cause.T}
        else:
            between = np.where(together, between * (1 - np.eye(D)), 0.0)
            directed = {f"{name}_forward": between, f"{name}_backward": between.T}
            targets = directed if kinds[name] == "directed" else {name: between}
        for feature, target in targets.items():
            actual = found[..., EXTENDED.index(feature)]
            allowed = LOOSER.get(name, TOLERANCE)
            np.testing.assert_allclose(actual, target, atol=allowed, rtol=allowed, err_msg=feature)


def tied(rows: int, seed: int) -> np.ndarray:
    """Only columns of few values: 2, 3, 4, 7 and 10 of them, each depending on the one before."""
    rng = np.random.default_rng(seed)
    values = [rng.integers(0, 2, rows)]
    for states in (3, 4, 7, 10):
        noise = rng.integers(0, states, rows)
        values.append(np.where(rng.random(rows) < 0.5, (values[-1] * 2 + 1) % states, noise))
    return np.stack(values, 1).astype(float)


def degenerate(rows: int, seed: int) -> np.ndarray:
    """A usual table with a constant column and one of a single deviating cell."""
    alone = np.zeros(rows)
    alone[rows // 2] = 1
    return np.c_[table(rows, 6, seed), np.full(rows, 3.0), alone]


def apart(rows: int, seed: int, together: int) -> np.ndarray:
    """A usual table whose first and fifth column share few rows or none, and whose second misses some cells."""
    values = table(rows, 6, seed)
    values[: (rows - together) // 2, 0] = np.nan
    values[(rows + together) // 2 :, 4] = np.nan
    values[::9, 1] = np.nan
    return values


CASES: dict[str, Callable[[], np.ndarray]] = {
    "random": lambda: table(180, 7, 0),
    "few rows": lambda: table(50, 8, 1),
    "tied": lambda: tied(190, 2),
    "missing": lambda: table(190, 7, 3, missing=0.08),
    "tied and missing": lambda: np.where(np.random.default_rng(4).random((190, 5)) < 0.1, np.nan, tied(190, 4)),
    "degenerate": lambda: degenerate(120, 5),
    "duplicated": lambda: table(120, 6, 6)[:, [0, 1, 2, 3, 4, 5, 0]],
    "all missing": lambda: np.c_[table(120, 6, 7), np.full(120, np.nan)],
    "never together": lambda: apart(160, 8, together=0),
    "hardly ever together": lambda: apart(160, 9, together=2),
}

TWINS: dict[str, Callable[[Columns], dict[str, np.ndarray]]] = {
    "linear": reference_linear.linear,
    "local": reference_linear.local,
    "contingency": reference.tables,
    "tables": reference_tables.tables,
    "table scores": reference_tables.table_scores,
    "moments": reference.moments,
    "marginals": reference_tables.marginals,
    "blocks": reference_blocks.blocks,
    "pairs": reference_pairs.pairs,
    "curves": reference_curves.curves,
    "support": reference_pairs.support,
    "conditional moments": reference_pairs.conditional,
}

ARBITRARY: dict[tuple[str, str], set[str]] = {}
"""Quantities whose formula leaves a choice on a kind of table; they are compared on all others."""

WITHOUT_TWIN: set[str] = set()
"""Quantities that no twin checks; a new quantity comes with a twin, or is named here for all to see."""


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("twin", TWINS)
def test_features_equal_their_twins(twin: str, case: str) -> None:
    values = CASES[case]()
    expected = TWINS[twin](reference.columns(values))
    passed_over = ARBITRARY.get((twin, case), set())
    kept = {name: value for name, value in expected.items() if name not in passed_over}
    compare(ours(values).numpy(), kept, ~np.isnan(values))


def test_every_quantity_has_a_twin_but_those_listed() -> None:
    cols = reference.columns(table(40, 5, 0))
    checked = {name for twin in TWINS.values() for name in twin(cols)}
    assert {q.name for q in STATISTICS} - checked == WITHOUT_TWIN


@pytest.mark.parametrize("missing", [0.0, 0.07])
def test_residuals_of_a_long_table_are_those_of_the_chosen_rows(
    missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "MOST_ROWS", limit := 200)
    values = table(limit + 150, 6, 6, missing=missing)
    cols = reference.columns(values)
    u = torch.from_numpy(cols["u"]).float()
    kept = content_subset(u, torch.from_numpy(cols["seen"]), limit, seed=0).numpy()
    assert len(kept) == limit
    few = {name: cols[name][kept] for name in ("x", "g", "seen")}
    line = reference_pairs.line_entropy(few, reference.correlation(cols["x"], cols["seen"]))
    expected = reference_pairs.residuals(few, "x") | reference_pairs.residuals(few, "g") | {"line_entropy": line}
    compare(ours(values).numpy(), expected, ~np.isnan(values))


@pytest.mark.parametrize("missing", [0.0, 0.07])
def test_strong_pairs_are_judged_by_more_rows_than_others(missing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "FEWEST_ROWS", few := 120)
    monkeypatch.setattr(samples, "CELLS", 0)
    monkeypatch.setattr(samples, "MOST_ROWS", many := 300)
    monkeypatch.setattr(samples, "PARTNERS", 2)
    values = table(many + 50, 8, 6, missing=missing)
    cols = reference.columns(values)
    u, seen = torch.from_numpy(cols["u"]).float(), torch.from_numpy(cols["seen"])
    expected = {}
    for rows in (few, many):
        kept = content_subset(u, seen, rows, seed=0).numpy()
        part = {name: cols[name][kept] for name in ("x", "g", "seen")}
        line = reference_pairs.line_entropy(part, reference.correlation(cols["x"], cols["seen"]))
        found = reference_pairs.residuals(part, "x") | reference_pairs.residuals(part, "g") | {"line_entropy": line}
        curves = reference_curves.curves(part)
        if missing:  # a pair counts its rows over the whole table, up to those looked at; the twin those of the part
            curves = {name: value for name, value in curves.items() if not name.startswith("curve_entropy_z")}
        expected[rows] = found | curves
    found = ours(values)
    strength = found[..., EXTENDED.index("block_order1_z")] + 1e-3 * found[..., EXTENDED.index("block")]
    strong = samples.strongest_pairs(strength).numpy()
    assert 8 * 2 <= strong.sum() < 8 * 7
    merged = {name: np.where(strong, value, expected[few][name]) for name, value in expected[many].items()}
    compare(found.numpy(), merged, ~np.isnan(values))


def test_the_strongest_partners_are_mutual_and_ties_are_all_in() -> None:
    strength = torch.zeros(14, 14)
    strength[0, 1:] = strength[1:, 0] = 2.0
    strength[1, 2] = strength[2, 1] = 1.0
    assert bool(samples.strongest_pairs(strength)[0, 1:].all())  # thirteen partners tie
    chance = torch.rand(40, 40, generator=torch.Generator().manual_seed(0))
    strong = samples.strongest_pairs(chance + chance.T)
    assert torch.equal(strong, strong.T)
    assert not bool(strong.diagonal().any())
    assert strong.sum(1).min() >= samples.PARTNERS


def test_few_pairs_are_judged_by_more_rows() -> None:
    limits = [samples.row_limit(variables**2, samples.CELLS) for variables in (2, 5, 10, 20, 40, 100)]
    assert limits == sorted(limits, reverse=True)
    assert (limits[0], limits[-1]) == (5_000, 200)


@pytest.mark.parametrize("together", [200, 20, 8, 0])
def test_independent_columns_rarely_seen_together_gain_nothing(together: int) -> None:
    values = np.random.default_rng(8).normal(size=(200, 6))
    values[: 100 - together // 2, 0] = np.nan
    values[100 + together // 2 :, 1] = np.nan
    found = ours(values)[..., EXTENDED.index("table_bic_gain_forward")]
    assert float(found[0, 1]) <= 0
    assert float(found[1, 0]) <= 0


@pytest.mark.parametrize("together", [0, 1, 2])
def test_pairs_hardly_ever_seen_together_are_neutral(together: int) -> None:
    found = ours(apart(400, 10, together))
    between = [k for k, f in enumerate(EXTENDED.features) if not f.name.endswith(("_cause", "_effect"))]
    sizes = [EXTENDED.index(q.name) for q in STATISTICS if q.kind == "size"]
    pairwise = sorted(set(between) - set(sizes))
    assert len(pairwise) > 150
    for i, j in ((0, 4), (4, 0)):
        loud = [EXTENDED.features[k].name for k in pairwise if float(found[i, j, k]) != 0]
        assert loud == []
    assert float(found[0, 1, pairwise].abs().mean()) > 0.1


def test_pairs_apart_in_the_rows_of_the_residuals_are_neutral_there() -> None:
    values = apart(400, 11, together=100)
    columns = prepare(torch.from_numpy(np.nan_to_num(values)), torch.from_numpy(~np.isnan(values)))
    table = TableState(columns, n_rows=400)
    table.put(row_samples, [samples.RowSample(rows=torch.arange(100))])
    found = pair_regressions(table)
    of_all_rows = {"slope_x", "slope_g", "conditional_21", "conditional_31"}
    pairwise = {name for name, value in found.items() if value.dim() == 2}
    assert {name for name in pairwise if float(found[name][0, 4]) or float(found[name][4, 0])} == of_all_rows
