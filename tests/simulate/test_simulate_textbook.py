"""Simulations of the literature: what is hidden (nothing), how dense they are, and that the graph explains the rows."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from foundcause.simulate.components.textbook import textbook
from foundcause.simulate.draws import uniform
from foundcause.simulate.mixture import PAPER, SHIPPED, make_task
from foundcause.simulate.tasks import generator


def scenes(number: int, *, rows: int = 400, variables: int = 20) -> list:
    return [textbook(generator(5, k), SHIPPED, rows=rows, variables=variables) for k in range(number)]


def test_nothing_is_hidden_and_graphs_are_sparse_to_dense() -> None:
    found = scenes(150)
    per_node = np.array([scene.graph.sum() / 20 for scene in found])
    assert per_node.min() < 1.2 and per_node.max() > 3.8
    for scene in found:
        assert not scene.hidden.any() and not scene.confounded.any() and not scene.discrete.any()
        assert np.isfinite(scene.values).all() and not np.tril(scene.graph).any()
    laws = {scene.record["law"] for scene in found}
    assert laws == {"linear", "layer", "index", "process", "additive_process", "quadratic"}
    assert 0.4 < np.mean([scene.record["law"] == "linear" for scene in found]) < 0.7


@pytest.mark.parametrize("number", range(6))
def test_parents_of_linear_scenes_leave_nothing_for_others_before_them_to_explain(number: int) -> None:
    drawn = (textbook(generator(9, k), SHIPPED, rows=4000, variables=8) for k in itertools.count())
    scene = next(itertools.islice((one for one in drawn if one.record["law"] == "linear"), number, None))
    values = scene.values.astype(np.float64)
    for node in range(8):
        parents = np.flatnonzero(scene.graph[:, node])
        base = np.column_stack([np.ones(len(values)), values[:, parents]])
        residual = values[:, node] - base @ np.linalg.lstsq(base, values[:, node], rcond=None)[0]
        others = [k for k in range(node) if k not in parents]
        for other in others:
            rest = values[:, other] - base @ np.linalg.lstsq(base, values[:, other], rcond=None)[0]
            assert abs(np.corrcoef(residual, rest)[0, 1]) < 0.08


def test_tasks_are_not_touched_unless_told_on_other_scales() -> None:
    plain = dataclasses.replace(
        SHIPPED.only("textbook"),
        corruptions={},
        missing=dataclasses.replace(SHIPPED.missing, chance=0.0),
        sizes=dataclasses.replace(
            SHIPPED.sizes, own_variables={"textbook": ((1.0, uniform(10, 10)),)}, few_rows_chance=0.0
        ),
    )
    for index in range(20):
        task = make_task(plain, 4, index)
        assert task.values.shape[1] == 10 and task.observed.all() and not task.confounding.any()
        assert task.record["artifacts"] == []
        assert (np.diff(np.sort(task.values, axis=0), axis=0) > 0).mean() > 0.95  # not rounded
    rounded = [make_task(dataclasses.replace(plain, corruptions={"scales": 1.0}), 4, k).record for k in range(20)]
    assert any("resolution" in record["artifacts"] for record in rounded)


def test_the_paper_has_none_and_shares_of_the_others_keep_their_proportions() -> None:
    assert "textbook" not in PAPER.weights
    others = SHIPPED.without("textbook", "series", "mixed").weights
    assert others["studies"] == pytest.approx(0.078) and others["pairs"] == pytest.approx(0.135)
