"""Tasks are pure, well formed and labeled right; mixtures give what they say and refuse nonsense."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from foundcause.errors import ConfigError
from foundcause.simulate.components import special_tasks
from foundcause.simulate.corruptions.missing_cells import enough
from foundcause.simulate.draws import Range, uniform
from foundcause.simulate.extension import components
from foundcause.simulate.mixture import MIXTURES, PAPER, SHIPPED, Mixture, make_task, named
from foundcause.simulate.settings import FIELDS_OF_EXCERPTS, Sizes
from foundcause.simulate.task import Task
from foundcause.simulate.tasks import drawn_size, generator

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "research"))
from simulator_audit import tally

DIGEST = """
import hashlib, json, sys
from foundcause.simulate.mixture import named, make_task
for name, index in json.loads(sys.argv[1]):
    t = make_task(named(name), 11, index)
    text = json.dumps(t.record, sort_keys=True).encode()
    parts = [t.values.tobytes(), t.observed.tobytes(), t.adjacency.tobytes(), t.confounding.tobytes(), text]
    print(hashlib.sha256(b"".join(parts)).hexdigest())
"""


def digest(task: Task) -> str:
    text = json.dumps(task.record, sort_keys=True).encode()
    parts = [task.values.tobytes(), task.observed.tobytes(), task.adjacency.tobytes(), task.confounding.tobytes(), text]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def assert_well_formed(task: Task) -> None:
    rows, columns = task.values.shape
    assert task.values.dtype == np.float32 and task.observed.dtype == bool
    assert columns >= 2
    assert np.isfinite(task.values).all()
    assert (task.values[~task.observed] == 0).all()
    assert (task.observed.sum(axis=0) >= min(enough(rows), rows)).all()
    shown = np.where(task.observed, task.values, np.nan)
    assert (np.nanmin(shown, axis=0) < np.nanmax(shown, axis=0)).all()
    assert task.adjacency.shape == task.confounding.shape == (columns, columns)
    assert task.adjacency.dtype == task.confounding.dtype == bool
    assert nx.is_directed_acyclic_graph(nx.DiGraph(task.adjacency))
    assert (task.confounding == task.confounding.T).all() and not task.confounding.diagonal().any()
    json.dumps(task.record)


@pytest.fixture(scope="module", params=["PAPER", "SHIPPED"])
def many(request: pytest.FixtureRequest) -> tuple[Mixture, list[Task]]:
    mixture = named(request.param)
    return mixture, [make_task(mixture, 5, index) for index in range(500)]


def test_tasks_are_well_formed(many: tuple[Mixture, list[Task]]) -> None:
    for task in many[1]:
        assert_well_formed(task)


def test_shares_are_within_sampling_error(many: tuple[Mixture, list[Task]]) -> None:
    findings = tally(many[0], [task.record for task in many[1]])
    assert len(findings) > 50
    for finding in findings:
        if finding.tasks >= 30:  # below, the normal bound means little
            assert abs(finding.deviation) < 4.5, finding
        assert finding.outside == 0, finding


def test_shares_notice_a_wrong_mixture() -> None:
    wrong = dataclasses.replace(PAPER, missing=dataclasses.replace(PAPER.missing, chance=0.5))
    records = [make_task(wrong, 5, index).record for index in range(150)]
    off = [f.name for f in tally(PAPER, records) if abs(f.deviation) > 4.5]
    assert off == ["missing cells in a task"]


def test_sizes_of_the_mixtures(many: tuple[Mixture, list[Task]]) -> None:
    mixture, tasks = many
    rows = np.array([len(task.values) for task in tasks])
    columns = np.array([task.values.shape[1] for task in tasks])
    if mixture is PAPER:
        assert rows.min() >= 100 and rows.max() <= 600 and columns.max() <= 50
        return
    assert 20 <= rows.min() < 40 and 3000 < rows.max() <= 5000
    assert 0.05 < np.mean(rows < 100) < 0.2
    assert 50 < columns.max() <= 100
    assert np.mean(columns > 42) < 0.15
    lost = [1 - task.observed.mean() for task in tasks if task.record["missing"]]
    assert max(lost) > 0.3


@pytest.mark.parametrize(
    "component",
    [
        pytest.param(name, marks=pytest.mark.skipif(bool(one.needs()), reason=str(one.needs())))
        for name, one in components().items()
    ],
)
def test_each_component_alone(component: str) -> None:
    mixture = SHIPPED.only(component)
    short = dataclasses.replace(mixture, sizes=dataclasses.replace(mixture.sizes, few_rows_chance=1.0))
    for index in range(8):
        for of in (mixture, short):
            task = make_task(of, 1, index)
            assert task.record["component"] == component
            assert_well_formed(task)
        assert 20 <= len(task.values) < 100


def test_a_component_may_have_sizes_of_its_own() -> None:
    sizes = dataclasses.replace(
        SHIPPED.sizes, variables=((1.0, uniform(5, 5)),), own_variables={"textbook": ((1.0, uniform(30, 31)),)}
    )
    mixture = dataclasses.replace(SHIPPED.only("textbook", "laws"), sizes=sizes)
    for index in range(30):
        record = make_task(mixture, 2, index).record
        assert drawn_size(mixture, 2, index) == record["variables"]
        assert record["variables"] in ((30, 31) if record["component"] == "textbook" else (5,))
    with pytest.raises(ConfigError, match="cannot have 1 variables"):
        dataclasses.replace(sizes, own_variables={"textbook": ((1.0, uniform(1, 9)),)})


def test_the_same_bytes_in_any_order_process_and_number_of_threads() -> None:
    wanted = [(name, index) for name in MIXTURES for index in (0, 3, 17, 40, 41, 42)]
    here = [digest(make_task(named(name), 11, index)) for name, index in wanted]
    backwards = [digest(make_task(named(name), 11, index)) for name, index in reversed(wanted)]
    assert backwards[::-1] == here
    for threads in ("1", "2"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        command = [sys.executable, "-c", DIGEST, json.dumps(wanted)]
        there = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.split()
        assert there == here


def test_different_indices_and_seeds_share_nothing() -> None:
    mixture = PAPER.clean().only("diverse")
    tasks = [make_task(mixture, seed, index) for seed, index in [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2**40)]]
    seen: set[float] = set()
    for task in tasks:
        free = [k for k in range(task.values.shape[1]) if np.unique(task.values[:, k]).size > 90]
        numbers = set(task.values[:, free].ravel().tolist())
        assert len(numbers & seen) <= 0.001 * len(numbers)
        seen |= numbers
    assert generator(1, 2).random() != generator(2, 1).random()


@pytest.mark.parametrize("component", ["linear_gaussian", "fog"])
def test_listed_parents_are_sufficient_on_linear_tasks(component: str) -> None:
    """With nothing hidden, a regression on the listed parents leaves nothing for other non-descendants to explain."""
    mixture = dataclasses.replace(
        SHIPPED.clean().only(component),
        sizes=Sizes(variables=((1.0, uniform(3, 15)),), rows=uniform(1500, 2000)),
        diverse=dataclasses.replace(SHIPPED.diverse, noise={"gaussian": 1.0}),
        dowhy=dataclasses.replace(SHIPPED.dowhy, noise={"gaussian": 1.0}),
    )
    scores, without_a_parent = [], []
    for index in range(40):
        task = make_task(mixture, 3, index)
        assert not task.confounding.any()
        x = task.values.astype(np.float64)
        x = (x - x.mean(axis=0)) / x.std(axis=0)
        graph = nx.DiGraph(task.adjacency)
        for node in graph:
            parents = sorted(graph.predecessors(node))
            others = set(graph) - {node} - set(parents) - nx.descendants(graph, node)
            left = _residual(x[:, node], x[:, parents])
            scores += [_score(left, _residual(x[:, k], x[:, parents]), len(parents)) for k in others]
            if parents:
                fewer = parents[1:]
                dropped = _residual(x[:, parents[0]], x[:, fewer])
                without_a_parent.append(_score(_residual(x[:, node], x[:, fewer]), dropped, len(fewer)))
    scores = np.array(scores)
    assert len(scores) > 1000
    assert np.abs(scores).max() < 5.5  # standard normal when no dependence is left
    assert 0.9 < scores.std() < 1.1
    assert np.median(np.abs(without_a_parent)) > 8.0  # the test has power


def _residual(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    return y - x @ np.linalg.lstsq(x, y, rcond=None)[0] if x.shape[1] else y


def _score(first: np.ndarray, second: np.ndarray, given: int) -> float:
    """Fisher's z of a partial correlation, standard normal under independence."""
    correlation = np.clip(first @ second / np.sqrt((first @ first) * (second @ second)), -0.9999999, 0.9999999)
    return float(np.arctanh(correlation) * np.sqrt(len(first) - given - 3))


def test_confounded_tasks_show_hidden_dependence_where_labeled() -> None:
    """Linear tasks with hidden nodes: listed parents leave dependence at confounded pairs and nowhere else."""
    base = SHIPPED.clean().only("linear_gaussian")
    mixture = dataclasses.replace(
        base,
        sizes=Sizes(variables=((1.0, uniform(4, 10)),), rows=uniform(2000, 2000)),
        hiding=dataclasses.replace(base.hiding, usual=uniform(0.3, 0.6)),
    )
    clean = []
    for index in range(60):
        task = make_task(mixture, 4, index)
        x = task.values.astype(np.float64)
        graph = nx.DiGraph(task.adjacency)
        for node in graph:
            touched = {node} | nx.ancestors(graph, node)
            if task.confounding[np.ix_(sorted(touched), range(len(graph)))].any():
                continue  # only nodes whose whole ancestry is free of hidden causes
            parents = sorted(graph.predecessors(node))
            others = set(graph) - touched - nx.descendants(graph, node)
            others = {k for k in others if k not in parents}
            left = _residual(x[:, node], x[:, parents])
            clean += [_score(left, _residual(x[:, k], x[:, parents]), len(parents)) for k in others]
    assert len(clean) > 50
    assert np.abs(clean).max() < 5.0


def test_subpopulations_mix_rows_of_two_graphs() -> None:
    rng = generator(0, 0)
    scene = special_tasks.subpopulation(rng, PAPER.clean(), rows=400, variables=12)
    assert scene.values.shape == (400, 12)
    assert not np.tril(scene.graph).any()  # one order: the union has no cycle
    single = special_tasks.ultra_sparse(generator(0, 1), PAPER.clean(), rows=100, variables=12)
    assert scene.graph.sum() > single.graph.sum()


def test_pooled_experiments_cut_targets_from_their_causes() -> None:
    from foundcause.simulate.scene_building import draw_conditions

    rng = generator(0, 5)
    conditions = draw_conditions(rng, 6, 3000, 4)
    assert len(conditions.targets) == 3
    rows = [mask for mask, _ in conditions.targets.values()]
    assert not (rows[0] & rows[1]).any()
    values = rng.standard_normal(3000).astype(np.float32)
    for node, (mask, kind) in conditions.targets.items():
        changed = conditions.apply(rng, node, values, discrete=False)
        np.testing.assert_array_equal(changed[~mask], values[~mask])
        if kind == "shift":
            assert np.corrcoef(changed[mask], values[mask])[0, 1] > 0.99
        elif kind == "randomize":
            assert abs(np.corrcoef(changed[mask], values[mask])[0, 1]) < 0.15
        else:
            assert np.unique(changed[mask]).size == 1
    untouched = next(k for k in range(6) if k not in conditions.targets)
    assert conditions.apply(rng, untouched, values, discrete=False) is values


def test_constant_columns_leave_the_table_with_their_edges() -> None:
    from foundcause.simulate.task import Scene
    from foundcause.simulate.tasks import hide_constants

    rng = np.random.default_rng(0)
    values = rng.standard_normal((50, 4))
    values[:, 1] = 3.0
    values[::2, 2] = np.nan  # gaps do not make a column constant
    no = np.zeros(4, dtype=bool)
    graph = np.triu(np.ones((4, 4), dtype=bool), 1)
    scene = hide_constants(
        Scene(values=values, graph=graph, hidden=no, confounded=np.zeros((4, 4), dtype=bool), discrete=no)
    )
    assert scene.hidden.tolist() == [False, True, False, False]
    assert not scene.graph[1].any() and scene.graph[0].tolist() == [False, True, True, True]


def test_without_and_only_keep_proportions() -> None:
    fewer = SHIPPED.without("expert", "pairs")
    assert set(fewer.weights) == set(SHIPPED.weights) - {"expert", "pairs"}
    assert sum(fewer.weights.values()) == pytest.approx(1.0)
    ratio = SHIPPED.weights["diverse"] / SHIPPED.weights["dowhy"]
    assert fewer.weights["diverse"] / fewer.weights["dowhy"] == pytest.approx(ratio)
    assert SHIPPED.only("sensors").weights == {"sensors": 1.0}
    assert PAPER.only("telemetry").weights == {"telemetry": 1.0}
    more = SHIPPED.with_weights({**SHIPPED.weights, "pairs": 0.3})
    assert more.weights["pairs"] == pytest.approx(0.3 / (1.3 - SHIPPED.weights["pairs"]))
    assert len({SHIPPED.weights[world] for world in ("expert", *FIELDS_OF_EXCERPTS) if world != "studies"}) == 1


def test_nonsense_is_refused_with_a_remedy() -> None:
    with pytest.raises(ConfigError, match=r"cannot have 1 variables; start the range at 2"):
        Sizes(variables=((1.0, uniform(1, 5)),), rows=uniform(100, 200))
    with pytest.raises(ConfigError, match=r"cannot have 5 rows; start the range at 20"):
        Sizes(variables=((1.0, uniform(2, 5)),), rows=uniform(100, 200), few_rows=uniform(5, 50))
    with pytest.raises(ConfigError, match=r"weights of mixture PAPER: none is positive"):
        dataclasses.replace(PAPER, weights={"dowhy": 0.0})
    with pytest.raises(ConfigError, match=r"unknown corruption 'nope'; choose from"):
        PAPER.with_corruptions(nope=0.5)
    with pytest.raises(ConfigError, match=r"the weight of 'dowhy' is -0.5"):
        dataclasses.replace(PAPER, weights={"dowhy": -0.5, "diverse": 1.5})
    with pytest.raises(ConfigError, match=r"unknown component 'nope'; choose from"):
        dataclasses.replace(PAPER, weights={"nope": 1.0})
    with pytest.raises(ConfigError, match="without 'martians': there is no such component"):
        SHIPPED.without("martians")
    with pytest.raises(ConfigError, match=r"no component is left"):
        SHIPPED.only("pairs").without("pairs")
    with pytest.raises(ConfigError, match=r"unknown mixture 'small'; choose from PAPER, SHIPPED"):
        named("small")
    with pytest.raises(ConfigError, match="empty"):
        Range(low=2, high=1)
    with pytest.raises(ConfigError, match="log-uniform"):
        Range(low=0, high=1, log=True)
    with pytest.raises(ConfigError, match="must not be negative"):
        make_task(PAPER, -1, 0)


def test_a_column_that_varies_below_float32_counts_as_constant() -> None:
    from foundcause.simulate.task import Scene
    from foundcause.simulate.tasks import hide_constants

    rng = np.random.default_rng(0)
    values = rng.standard_normal((50, 3))
    values[:, 2] = 1e9 + rng.random(50)  # float32 steps are 64 wide here
    no = np.zeros(3, dtype=bool)
    empty = np.zeros((3, 3), dtype=bool)
    scene = hide_constants(Scene(values=values, graph=empty, hidden=no, confounded=empty, discrete=no))
    assert scene.hidden.tolist() == [False, False, True]
