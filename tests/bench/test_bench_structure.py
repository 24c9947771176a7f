"""Structural metrics on hand-made graphs, and on the counts of the paper's own result_tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundcause.bench.datasets import load
from foundcause.bench.graph_metrics import (
    Counts,
    counts,
    cpdag,
    directed_f1,
    directed_precision_recall,
    half_credit_f1,
    is_dag,
    shd_cpdag,
    shd_entries,
    shd_pairs,
    skeleton_f1,
)
from foundcause.bench.report import paper_figures
from foundcause.errors import InputError


def graph(size: int, *arcs: tuple[int, int]) -> np.ndarray:
    matrix = np.zeros((size, size), dtype=bool)
    for i, j in arcs:
        matrix[i, j] = True
    return matrix


def test_asia_cpdag_is_the_paper_s_row() -> None:
    true = load("asia").adjacency
    predicted = cpdag(true)
    assert counts(predicted, true) == Counts(true=8, found=8, oriented=8, extra=0, both=3)
    assert round(directed_f1(predicted, true), 3) == 0.842
    assert shd_entries(predicted, true) == 3
    assert shd_pairs(predicted, true) == 3
    assert skeleton_f1(predicted, true) == 1.0
    assert shd_cpdag(predicted, true) == 0


def test_one_of_each_mistake() -> None:
    true = graph(5, (0, 1), (1, 2), (2, 3), (3, 4))
    predicted = graph(5, (0, 1), (2, 1), (2, 3), (3, 2), (0, 4))  # right, reversed, undirected, extra; 3->4 missing
    assert counts(predicted, true) == Counts(true=4, found=3, oriented=2, extra=1, both=1)
    assert shd_entries(predicted, true) == 2 + 1 + 1 + 1
    assert shd_pairs(predicted, true) == 1 + 1 + 1 + 1
    assert directed_precision_recall(predicted, true) == (2 / 5, 2 / 4)
    assert directed_f1(predicted, true) == pytest.approx(4 / 9)
    assert skeleton_f1(predicted, true) == pytest.approx(6 / 8)
    # the undirected edge is one edge, half right: hits 1 + 0.5 of 4 predicted and 4 true
    assert half_credit_f1(predicted, true) == pytest.approx(3 / 8)


def test_empty_graphs_score_zero_and_cost_nothing() -> None:
    empty = graph(3)
    assert directed_f1(empty, empty) == skeleton_f1(empty, empty) == 0.0
    assert shd_entries(empty, empty) == shd_pairs(empty, empty) == 0


def test_shapes_must_agree() -> None:
    with pytest.raises(InputError, match="cannot be compared"):
        directed_f1(graph(3), graph(4))


def test_diagonal_is_ignored() -> None:
    true = graph(3, (0, 1))
    assert shd_entries(true | np.eye(3, dtype=bool), true) == 0


def realise(row: paper_figures.Row, both: int, variables: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Two graphs with exactly the counts of a row; ``both`` of the joined pairs are predicted both ways."""
    pairs = [(i, j) for i in range(variables) for j in range(i + 1, variables)]
    true_pairs, extra_pairs = pairs[: row.true], pairs[row.true : row.true + row.extra]
    true, predicted = graph(variables, *true_pairs), graph(variables, *extra_pairs)
    for k, (i, j) in enumerate(true_pairs[: row.found]):
        predicted[(i, j) if k < row.oriented else (j, i)] = True
    # a both-ways arc on a found pair must be an oriented one, else the count of oriented edges would change
    for i, j in [*true_pairs[: row.oriented], *extra_pairs][:both]:
        predicted[i, j] = predicted[j, i] = True
    return predicted, true


OUR_ROWS = [(name, row) for name, row in paper_figures.PER_DATASET["FoundCause (ours)"].items()]
BASELINE_ROWS = [
    (method, name, row)
    for method, rows in paper_figures.PER_DATASET.items()
    if method != "FoundCause (ours)"
    for name, row in rows.items()
]


@pytest.mark.parametrize(("name", "row"), OUR_ROWS, ids=[name for name, _ in OUR_ROWS])
def test_rows_of_the_paper_s_model_follow_from_their_counts(name: str, row: paper_figures.Row) -> None:
    predicted, true = realise(row, both=0)
    assert directed_f1(predicted, true) == pytest.approx(row.f1, abs=6e-4)
    assert row.skeleton_f1 is not None
    assert skeleton_f1(predicted, true) == pytest.approx(row.skeleton_f1, abs=6e-4)
    assert shd_pairs(predicted, true) == row.shd  # its own rows count a reversal once


@pytest.mark.parametrize(("method", "name", "row"), BASELINE_ROWS, ids=[f"{m}-{n}" for m, n, _ in BASELINE_ROWS])
def test_baseline_rows_of_the_paper_follow_from_their_counts(method: str, name: str, row: paper_figures.Row) -> None:
    """F1 and the counts give the number of both-ways arcs; SHD must then be the entry-wise one."""
    both = round(2 * row.oriented / row.f1) - row.true - row.found - row.extra
    assert 0 <= both <= row.oriented + row.extra
    predicted, true = realise(row, both=both)
    assert counts(predicted, true) == Counts(
        true=row.true, found=row.found, oriented=row.oriented, extra=row.extra, both=both
    )
    assert directed_f1(predicted, true) == pytest.approx(row.f1, abs=6e-4)
    assert shd_entries(predicted, true) == row.shd


def test_conventions_differ_on_the_paper_s_insurance_row() -> None:
    row = paper_figures.PER_DATASET["GRaSP"]["insurance"]
    both = round(2 * row.oriented / row.f1) - row.true - row.found - row.extra
    predicted, true = realise(row, both=both)
    assert shd_pairs(predicted, true) < shd_entries(predicted, true) == row.shd


def naive_cpdag(dag: np.ndarray) -> np.ndarray:
    """Union of all DAGs with the same skeleton and v-structures, by trying every orientation."""
    size = len(dag)
    edges = [(i, j) for i in range(size) for j in range(i + 1, size) if dag[i, j] or dag[j, i]]

    def colliders(matrix: np.ndarray) -> set[tuple[int, int, int]]:
        linked = matrix | matrix.T
        return {
            (i, k, j)
            for k in range(size)
            for i in range(size)
            for j in range(i + 1, size)
            if matrix[i, k] and matrix[j, k] and not linked[i, j]
        }

    union = np.zeros_like(dag)
    for choice in range(2 ** len(edges)):
        matrix = graph(size, *((i, j) if choice >> k & 1 else (j, i) for k, (i, j) in enumerate(edges)))
        if is_dag(matrix) and colliders(matrix) == colliders(dag):
            union |= matrix
    return union


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**31), st.integers(2, 5), st.floats(0.2, 0.8))
def test_cpdag_is_the_union_of_the_equivalence_class(seed: int, size: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(size)
    dag = np.zeros((size, size), dtype=bool)
    dag[np.ix_(order, order)] = np.triu(rng.random((size, size)) < density, 1)
    assert (cpdag(dag) == naive_cpdag(dag)).all()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**31))
def test_counts_and_matrices_agree_on_random_graphs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true = np.triu(rng.random((7, 7)) < 0.3, 1)
    predicted = rng.random((7, 7)) < 0.3
    np.fill_diagonal(predicted, False)
    count = counts(predicted, true)
    assert count.f1 == pytest.approx(directed_f1(predicted, true))
    assert count.skeleton_f1 == pytest.approx(skeleton_f1(predicted, true))
    assert count.shd_entries == shd_entries(predicted, true)
    assert shd_pairs(predicted, true) <= shd_entries(predicted, true) <= 2 * shd_pairs(predicted, true)
