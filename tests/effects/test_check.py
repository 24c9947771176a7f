"""Checks of graphs against tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from foundcause.effects.check import check_graph, implied_independences
from foundcause.effects.design import design_blocks
from foundcause.effects.independence import IndependenceTests
from foundcause.effects.scores import GraphScores

_EDGES = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]


def _matrix(edges: list[tuple[int, int]]) -> np.ndarray:
    directed = np.zeros((5, 5), dtype=bool)
    for i, j in edges:
        directed[i, j] = True
    return directed


def _table(seed: int = 0, n: int = 1000) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    b, c = a + rng.normal(size=n), 0.8 * a + rng.normal(size=n)
    d = b - c + rng.normal(size=n)
    e = np.where(d + rng.logistic(size=n) > 0, "high", "low")
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e})


_NONE = np.zeros((5, 5), dtype=bool)


def test_the_true_graph_passes() -> None:
    check = check_graph(design_blocks(_table()), _matrix(_EDGES), _NONE)
    assert check.passed and check.unsupported.empty


def test_a_missing_edge_is_asked_for() -> None:
    check = check_graph(design_blocks(_table()), _matrix([edge for edge in _EDGES if edge != (1, 3)]), _NONE)
    assert ("b", "d") in set(zip(check.missing["first"], check.missing["second"], strict=True))
    assert not check.passed


def test_an_added_edge_has_no_support() -> None:
    check = check_graph(design_blocks(_table()), _matrix([*_EDGES, (1, 2)]), _NONE)
    assert ("b", "c") in set(zip(check.unsupported["cause"], check.unsupported["effect"], strict=True))


def test_a_disputed_arrow_is_named() -> None:
    probabilities = np.full((5, 5), 0.05)
    probabilities[3, 1], probabilities[1, 3] = 0.8, 0.1
    check = check_graph(design_blocks(_table()), _matrix(_EDGES), _NONE, probabilities=probabilities)
    assert list(check.reversed["cause"]) == ["b"]


def test_wrong_graphs_score_lower() -> None:
    scores = GraphScores(design_blocks(_table()))
    own = scores.score(_matrix(_EDGES))
    assert own > scores.score(_matrix([*_EDGES, (1, 2)]))
    assert own > scores.score(_matrix(_EDGES[:-1]))
    assert own > scores.score(_matrix([(0, 1), (0, 2), (3, 1), (2, 3), (3, 4)]))  # another equivalence class


def test_equivalent_linear_graphs_score_alike() -> None:
    frame = _table()[["a", "b"]]
    scores = GraphScores(design_blocks(pd.concat([frame, frame.rename(columns={"a": "p", "b": "q"})], axis=1)))
    first, second = scores.score(_four(0, 1)), scores.score(_four(1, 0))
    assert abs(first - second) < 8  # squares cost a penalty, the line itself none


def _four(i: int, j: int) -> np.ndarray:
    directed = np.zeros((4, 4), dtype=bool)
    directed[i, j] = True
    return directed


def test_categories_are_scored_by_counts() -> None:
    rng = np.random.default_rng(0)
    a = rng.choice(list("xyz"), size=500)
    b = np.where(rng.random(500) < 0.8, a, rng.choice(list("xyz"), size=500))
    scores = GraphScores(design_blocks(pd.DataFrame({"a": a, "b": b})))
    forward, backward, none = (np.array(m, dtype=bool) for m in ([[0, 1], [0, 0]], [[0, 0], [1, 0]], [[0, 0], [0, 0]]))
    assert abs(scores.score(forward) - scores.score(backward)) < 1e-8  # BDeu is the same for equivalent graphs
    assert scores.score(forward) > scores.score(none) + 50


def test_confounded_pairs_imply_no_independence() -> None:
    pairs = _NONE.copy()
    pairs[1, 2] = pairs[2, 1] = True
    implied = {(i, j) for i, j, _ in implied_independences(_matrix(_EDGES), pairs)}
    assert (1, 2) not in implied and (0, 3) in implied


def test_p_values_are_uniform_where_independence_holds() -> None:
    p_values = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=200)
        frame = pd.DataFrame({"z": z, "a": z + rng.normal(size=200), "b": z**2 + rng.exponential(size=200)})
        frame.loc[rng.random(200) < 0.1, "a"] = np.nan
        p_values.append(IndependenceTests(design_blocks(frame)).p_value(1, 2, [0]))
    assert 0.01 <= np.mean(np.array(p_values) < 0.05) <= 0.1
