"""Properties that hold for every component of a field, whatever it draws. N rows, D observed variables, V nodes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from foundcause.simulate.extension import components
from foundcause.simulate.mixture import SHIPPED
from foundcause.simulate.task import Scene

BORROWED = ("pairs", "excerpts", "unrelated", "bnrep_choose", "bnrep_report")
NAMES = [
    pytest.param(name, marks=pytest.mark.skipif(bool(one.needs()), reason=str(one.needs())))
    for name, one in components().items()
    if one.artifacts == "light" and name not in BORROWED
]
# Edges per node at 25 variables, hidden nodes and their edges included: mean over scenes, and any single scene.
MEAN_EDGES = {
    "expert": (1.2, 1.7),
    "signalling": (1.4, 2.2),
    "telemetry": (1.3, 2.0),
    "sensors": (1.3, 2.2),
    "surveys": (1.2, 1.8),
    "laws": (1.0, 1.8),
    "days": (1.0, 1.8),
    "regions": (1.0, 1.8),
    "bodies": (1.0, 1.9),
    "workshops": (1.0, 1.8),
    "flows": (1.0, 1.8),
    "markets": (1.0, 1.8),
    "studies": (1.8, 2.9),
    "ecology": (1.2, 1.9),
    "genetics": (0.9, 2.0),
    "epidemics": (1.0, 2.0),
    "auctions": (1.0, 2.0),
    "bnrep": (0.9, 1.9),
}
SPARSEST = {"bnrep": 0.2}  # parts of published networks may fall apart
DENSEST = {"studies": 5.0}  # what nobody tells moves nearly all candidates, up to four times over


def scene(name: str, seed: int, *, rows: int = 300, variables: int = 12) -> Scene:
    return components()[name].draw(np.random.default_rng([seed, 41]), SHIPPED, rows=rows, variables=variables)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("variables", [2, 3, 4, 5, 7, 12, 40, 100])
def test_shapes_and_flags(name: str, variables: int) -> None:
    for seed, rows in enumerate([100, 137, 700]):
        drawn = scene(name, seed + 10 * variables, rows=rows, variables=variables)
        nodes = len(drawn.graph)
        assert drawn.values.shape == (rows, nodes)
        assert drawn.values.dtype == np.float64
        assert drawn.graph.shape == drawn.confounded.shape == (nodes, nodes)
        assert drawn.hidden.shape == drawn.discrete.shape == (nodes,)
        assert {drawn.graph.dtype, drawn.confounded.dtype, drawn.hidden.dtype, drawn.discrete.dtype} == {np.dtype(bool)}
        assert (~drawn.hidden).sum() == variables
        assert (drawn.confounded == drawn.confounded.T).all()
        json.dumps(drawn.record)


@pytest.mark.parametrize("name", NAMES)
def test_many_rows(name: str) -> None:
    drawn = scene(name, 3, rows=5000, variables=100)
    assert drawn.values.shape[0] == 5000
    assert (~drawn.hidden).sum() == 100


@pytest.mark.parametrize("name", NAMES)
def test_acyclic_with_edges(name: str) -> None:
    for seed in range(40):
        graph = scene(name, seed).graph
        reach = graph.astype(float)
        for _ in range(7):
            reach = np.minimum(reach + reach @ reach, 1.0)
        assert not np.diag(reach).any()
        assert graph.any()


@pytest.mark.parametrize("name", NAMES)
def test_same_generator_same_bytes(name: str) -> None:
    for seed in range(15):
        first, second = scene(name, seed), scene(name, seed)
        assert first.values.tobytes() == second.values.tobytes()
        assert first.graph.tobytes() == second.graph.tobytes()
        assert first.hidden.tobytes() == second.hidden.tobytes()
        assert first.record == second.record
        assert scene(name, seed + 1000).values.tobytes() != first.values.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_global_generator_is_left_alone(name: str) -> None:
    before = np.random.get_state()[1].copy()
    scene(name, 5)
    assert (np.random.get_state()[1] == before).all()


@pytest.mark.parametrize("name", NAMES)
def test_values_are_finite_and_alive(name: str) -> None:
    for seed in range(60):
        drawn = scene(name, seed, rows=100 if seed % 2 else 400)
        shown = drawn.values[:, ~drawn.hidden]
        assert not np.isinf(drawn.values).any()
        if name == "telemetry":
            assert drawn.record["gaps"] or not np.isnan(shown).any()
            assert (np.isnan(shown).mean(axis=0) < 0.8).all()
        else:
            assert not np.isnan(drawn.values).any()
        assert (np.nanmax(shown, axis=0) > np.nanmin(shown, axis=0)).all(), drawn.record


@pytest.mark.parametrize("name", NAMES)
def test_edges_per_node(name: str) -> None:
    density = np.array(
        [d.graph.sum() / len(d.graph) for d in (scene(name, s, rows=100, variables=25) for s in range(60))]
    )
    low, high = MEAN_EDGES[name]
    assert low < density.mean() < high
    assert density.min() > SPARSEST.get(name, 0.5)
    assert density.max() < DENSEST.get(name, 4.0)
    # Scenes differ from each other, too.
    assert density.std() > 0.2


@pytest.mark.parametrize("name", NAMES)
def test_every_parent_matters(name: str) -> None:
    """Most parents improve the prediction of their child given its other parents; permuted ones do not."""
    found, fooled, total = 0, 0, 0
    for seed in range(12):
        drawn = scene(name, seed, rows=2000)
        rng = np.random.default_rng(seed)
        values = np.where(np.isnan(drawn.values), np.nanmedian(drawn.values, axis=0), drawn.values)
        for child in np.flatnonzero(~drawn.hidden & drawn.graph.any(axis=0)):
            parents = np.flatnonzero(drawn.graph[:, child])
            for parent in parents:
                others = [basis(values[:, p]) for p in parents if p != parent]
                total += 1
                found += p_value(basis(values[:, parent]), others, values[:, child]) < 0.01
                fooled += p_value(basis(rng.permutation(values[:, parent])), others, values[:, child]) < 0.01
    assert total > 100
    assert found / total > 0.75
    assert fooled / total < 0.06


@pytest.mark.parametrize("name", NAMES)
def test_near_duplicates_are_rare(name: str) -> None:
    alike, pairs = 0, 0
    for seed in range(25):
        drawn = scene(name, seed)
        shown = drawn.values[:, ~drawn.hidden]
        shown = np.where(np.isnan(shown), np.nanmedian(shown, axis=0), shown)
        upper = np.triu_indices(shown.shape[1], 1)
        similarity = np.abs(stats.spearmanr(shown).statistic[upper])
        alike += int((similarity > 0.995).sum())
        pairs += len(similarity)
    assert alike / pairs < 0.04


def basis(column: np.ndarray) -> np.ndarray:
    """Features that any smooth or discrete effect of a column projects on, (N, k)."""
    levels = np.unique(column)
    if len(levels) <= 10:
        return np.eye(len(levels))[np.searchsorted(levels, column)][:, 1:]
    rank = 2 * stats.rankdata(column) / len(column) - 1
    return np.stack([rank, rank**2, rank**3, np.sin(3 * rank)], axis=1)


def p_value(candidate: np.ndarray, others: list[np.ndarray], child: np.ndarray) -> float:
    """Of an F test that ``candidate``, alone or in interaction, adds nothing to ``others`` in predicting ``child``."""
    target = basis(child)[:, :3]
    small = np.hstack([np.ones((len(child), 1)), *others])
    products = [candidate * other[:, :1] for other in others[:3]]
    large = np.hstack([small, candidate, *products])

    def residual(design: np.ndarray) -> np.ndarray:
        return ((target - design @ np.linalg.lstsq(design, target, rcond=None)[0]) ** 2).sum(axis=0)

    before, after = residual(small), residual(large)
    added, left = large.shape[1] - small.shape[1], len(child) - large.shape[1]
    ratio = ((before - after) / added) / (after / left + 1e-12 * before + 1e-300)
    return float(min(1.0, stats.f.sf(ratio, added, left).min() * target.shape[1]))
