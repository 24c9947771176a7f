from __future__ import annotations

import numpy as np

from foundcause.health import graph_warnings, table_warnings


def words(values, trained=50):
    names = [f"v{k}" for k in range(values.shape[1])]
    return " | ".join(table_warnings(values, names, trained_variables=trained))


def test_a_healthy_table_is_not_scolded():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 6))
    values[:, 3] += 2 * values[:, 0]
    assert words(values) == ""
    assert words(values[np.argsort(values[:, 0])]) == ""  # sorting by a column is not time


def test_each_warning():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 5))
    assert "only 40 rows" in words(values[:40])
    assert "5 columns, more than the 4" in words(values, trained=4)
    holes = values.copy()
    holes[rng.random(400) < 0.6, 2] = np.nan
    assert "'v2'" in words(holes) and "missing" in words(holes)
    twins = np.column_stack([values, values[:, 1] + 0.01 * rng.normal(size=400)])
    assert "'v1', 'v5' are nearly the same" in words(twins)
    total = np.column_stack([values, values[:, :3].sum(axis=1)])
    assert "determine" in words(total)
    walks = np.cumsum(values, axis=0)
    assert "ordered in time" in words(walks)


def test_repeated_measurements_are_told():
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.normal(size=(30, 3)), rng.integers(0, 2, 30)])
    assert "1,170 of 1,200 rows repeat others" in words(rng.permutation(np.tile(values, (40, 1))))
    holed = rng.normal(size=(300, 4))
    holed[::7, 1] = np.nan
    assert "100 of 400 rows repeat others" in words(np.vstack([holed, holed[:100]]))


def test_rows_that_repeat_by_nature_are_not_told():
    rng = np.random.default_rng(0)
    few = rng.integers(0, 4, size=(1000, 3)).astype(float)
    rounded = np.round(rng.normal(size=(2000, 1)) * 10 + rng.normal(size=(2000, 2)) * 4)
    rain = np.where(rng.random((500, 1)) < 0.5, 0.0, rng.gamma(1.0, size=(500, 4)))
    rare = (rng.random((800, 12)) < 0.05).astype(float)
    for values in (few, rounded, rain, rare, rng.normal(size=(500, 3))):
        assert "repeat others" not in words(values)


def test_a_shared_code_does_not_make_columns_the_same():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 3))
    values[:25, :2] = 999999999.0
    assert "nearly the same" not in words(values)


def test_graph_warnings():
    edges = np.array([[0, 0.5, 0.9], [0.4, 0, 0.0], [0.05, 0.0, 0]])
    adjacency = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    found = " | ".join(graph_warnings(edges, adjacency, ["a", "b", "c"]))
    assert "a -> b" in found and "a -> c" not in found
    assert "a -> b" not in " | ".join(graph_warnings(edges, adjacency, ["a", "b", "c"], certain=adjacency))
    assert "no edge" in " | ".join(graph_warnings(edges, adjacency & False, ["a", "b", "c"]))


def test_an_empty_graph_blames_the_threshold_only_if_it_was_given():
    edges = np.array([[0.0, 0.6], [0.1, 0.0]])
    nothing = np.zeros((2, 2), dtype=bool)
    assert "may be independent" in graph_warnings(edges, nothing, "ab")[0]
    own = graph_warnings(edges, nothing, "ab", threshold=0.9)
    assert own == ["no edge reaches the threshold of 0.9; the most probable one has 0.60"]
