"""Every export is read back by the library it is for."""

from __future__ import annotations

import importlib.machinery
import shutil
import subprocess
import sys
import types
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from made_result import make_result

from foundcause.api import load
from foundcause.errors import InputError, OutputError
from foundcause.files import escape_formula, unescape_formula, write_text
from foundcause.findings import Finding, Fix
from foundcause.report.export import FILES, with_latent_nodes
from foundcause.report.layout import layered_positions
from foundcause.result import Result


def _edge_set(result: Result) -> set[tuple[str, str]]:
    return set(zip(result.edges["cause"], result.edges["effect"], strict=True))


def _observed_edges(graph: nx.DiGraph, names: tuple[str, ...]) -> set[tuple[str, str]]:
    return {(a, b) for a, b in graph.edges if a in names and b in names}


def test_gml_and_graphml_read_back_by_networkx(result: Result, tmp_path) -> None:
    result.to_gml(tmp_path / "g.gml")
    result.to_graphml(tmp_path / "g.graphml")
    for graph in (nx.read_gml(tmp_path / "g.gml"), nx.read_graphml(tmp_path / "g.graphml")):
        assert _observed_edges(graph, result.names) == _edge_set(result)
        hidden = [node for node in graph if node not in result.names]
        assert len(hidden) == 1
        assert set(graph.successors(hidden[0])) == {result.names[1], result.names[3]}
        assert graph.edges[result.names[0], result.names[1]]["weight"] == pytest.approx(0.9)


def test_graphml_survives_control_characters(tmp_path) -> None:
    result = make_result(("a\x00b", "c", "d", "e", "f"))
    result.to_graphml(tmp_path / "g.graphml")
    assert nx.read_graphml(tmp_path / "g.graphml").number_of_edges() == 6


def test_csv_tables_read_back_by_pandas(result: Result, tmp_path) -> None:
    result.save(tmp_path / "out")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "out" / "edges.csv"), result.edges, check_dtype=False)
    adjacency = pd.read_csv(tmp_path / "out" / "adjacency.csv", index_col=0)
    np.testing.assert_array_equal(adjacency.to_numpy(), result.adjacency.to_numpy())
    written = {p.name for p in (tmp_path / "out").iterdir()}
    assert written == set(FILES) - {"suggestions.toml", "passes.npz"}


def test_names_that_spreadsheets_would_run_are_escaped_and_read_back(tmp_path) -> None:
    names = ("=cmd|' /C calc'!A0", "+1", "@sum", "'=quoted", "plain")
    result = make_result(names)
    result.save(tmp_path / "o")
    edges = pd.read_csv(tmp_path / "o" / "edges.csv")
    assert not any(cell[0] in "=+-@" for cell in (*edges["cause"], *edges["effect"]))
    assert [unescape_formula(cell) for cell in edges["cause"]] == list(result.edges["cause"])
    matrix = pd.read_csv(tmp_path / "o" / "probabilities.csv", index_col=0)
    assert tuple(map(unescape_formula, matrix.index)) == tuple(map(unescape_formula, matrix.columns)) == names
    assert [unescape_formula(escape_formula(name)) for name in names] == list(names)


def test_a_result_takes_the_place_of_another_as_a_whole(result: Result, tmp_path, monkeypatch) -> None:
    folder = tmp_path / "o"
    result.save(folder)
    (folder / "suggestions.toml").write_text("[read]")
    (folder / "mine.txt").write_text("stays")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    other = make_result(("v", "w", "x", "y", "z"))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(OutputError, match="No space"):
        patched.setattr(Result, "to_html", full)
        other.save(folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    other.save(folder)
    assert load(folder).names == other.names
    assert {file.name for file in folder.iterdir()} == {*FILES, "mine.txt"} - {"suggestions.toml", "passes.npz"}
    assert {file.name for file in tmp_path.iterdir()} == {"o"}


def test_fixes_of_findings_become_an_options_file(result: Result, tmp_path) -> None:
    fix = Fix(section="read", option="drop", values=("age",))
    finding = Finding(code="remark", details={"text": ""}, fix=fix)
    replace(result, knowledge=None, findings=[finding]).save(tmp_path / "o")
    assert (tmp_path / "o" / "suggestions.toml").read_text() == '[read]\ndrop = ["age"]\n'


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed; `apt-get install graphviz`")
def test_dot_is_read_by_graphviz(result: Result) -> None:
    done = subprocess.run(["dot", "-Tplain"], input=result.to_dot(), text=True, capture_output=True, check=True)
    assert sum(line.startswith("edge") for line in done.stdout.splitlines()) == 5


def test_dot_quotes_names(result: Result) -> None:
    text = result.to_dot()
    assert '"bl\\"ood"' in text
    assert "tar\\nmac" in text
    assert text.count("->") == 5


def test_mermaid_labels_hold_no_markup(result: Result) -> None:
    text = result.to_mermaid()
    assert "<b>" not in text
    assert text.count("-->") == 4
    assert text.count("<-.->") == 1


def test_causallearn_graph_has_the_same_edges(result: Result) -> None:
    pytest.importorskip("causallearn", reason="causal-learn is not installed; pip install 'foundcause[bench]'")
    graph = result.to_causallearn()
    from causallearn.graph.Endpoint import Endpoint

    directed = {
        (edge.node1.get_name(), edge.node2.get_name())
        for edge in graph.get_graph_edges()
        if (edge.endpoint1, edge.endpoint2) == (Endpoint.TAIL, Endpoint.ARROW)
    }
    bidirected = [e for e in graph.get_graph_edges() if e.endpoint1 == e.endpoint2 == Endpoint.ARROW]
    assert directed == _edge_set(result)
    assert len(bidirected) == 1


def test_pgmpy_dag_has_latents(result: Result) -> None:
    pytest.importorskip("pgmpy", reason="pgmpy is not installed; pip install 'foundcause[bench]'")
    dag = result.to_pgmpy()
    assert _observed_edges(dag, result.names) == _edge_set(result)
    assert len(dag.latents) == 1


def test_dowhy_estimates_an_effect() -> None:
    pytest.importorskip("dowhy", reason="dowhy pins an old scipy and lives in an environment of its own")
    result = make_result(("a", "b", "c", "d", "e"))
    rng = np.random.default_rng(0)
    a = rng.normal(size=2000)
    b = 1.5 * a + rng.normal(size=2000)
    c = 2.0 * b - a + rng.normal(size=2000)
    data = pd.DataFrame({"a": a, "b": b, "c": c, "d": c + rng.normal(size=2000), "e": rng.normal(size=2000)})
    model = result.to_dowhy(data, "b", "c")
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    estimate = model.estimate_effect(estimand, method_name="backdoor.linear_regression")
    assert estimate.value == pytest.approx(2.0, abs=0.15)


def test_dowhy_names_an_unknown_column(result: Result) -> None:
    with pytest.raises(InputError, match="treatment 'zz' is no column"):
        result.to_dowhy(pd.DataFrame(), "zz", "age")


@pytest.fixture
def dowhy(monkeypatch) -> None:
    """A stand-in that keeps what it is given: DoWhy lives in an environment of its own."""
    module = types.ModuleType("dowhy")
    module.__spec__ = importlib.machinery.ModuleSpec("dowhy", None)
    module.CausalModel = types.SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "dowhy", module)


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([" age ", "b\n", "c", "d", "e"], ("age", "b", "c", "d", "e")),
        ([0, 1, 2, 3, 4], ("0", "1", "2", "3", "4")),
        ([("g", "a"), ("g", "b"), ("h", "a"), ("h", "b"), ("h", "c")], ("g / a", "g / b", "h / a", "h / b", "h / c")),
    ],
)
@pytest.mark.usefixtures("dowhy")
def test_dowhy_gets_the_names_of_the_result(labels: list, names: tuple[str, ...]) -> None:
    cells = np.random.default_rng(0).normal(size=(30, 5))
    index = pd.MultiIndex.from_tuples(labels) if isinstance(labels[0], tuple) else labels
    model = make_result(names).to_dowhy(pd.DataFrame(cells, columns=index), labels[1], labels[2])
    assert (model.treatment, model.outcome) == names[1:3]
    assert tuple(model.data.columns) == names
    np.testing.assert_array_equal(model.data.to_numpy(), cells)


@pytest.mark.usefixtures("dowhy")
def test_dowhy_takes_the_tables_that_discover_takes(tmp_path) -> None:
    cells = np.random.default_rng(0).normal(size=(30, 5))
    twice = pd.DataFrame(cells, columns=["a", "a", "b", "b", "c"])
    pd.DataFrame(cells, columns=list("abcde")).to_csv(tmp_path / "t.csv", index=False)
    sources = [(cells, "vwxyz"), (twice, ("a", "a_2", "b", "b_2", "c")), (tmp_path / "t.csv", "abcde")]
    sources.append((dict(zip("edcba", cells.T[::-1], strict=True)), "abcde"))
    for source, names in sources:
        model = make_result(tuple(names)).to_dowhy(source, names[0], names[1])
        assert tuple(model.data.columns) == tuple(names)
        np.testing.assert_allclose(model.data.to_numpy(), cells)


@pytest.mark.usefixtures("dowhy")
def test_dowhy_takes_polars() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({name: np.arange(30.0) * k for k, name in enumerate("abcde", start=1)})
    assert list(make_result(tuple("abcde")).to_dowhy(frame, "a", "b").data["b"][:3]) == [0.0, 2.0, 4.0]


@pytest.mark.usefixtures("dowhy")
def test_dowhy_gets_all_rows_as_the_numbers_of_the_result() -> None:
    rng = np.random.default_rng(0)
    rows = 25_000  # more than discover keeps
    smokes, town = rng.choice(["no", "yes"], rows), rng.choice(["Rome", "Oslo", "Bonn"], rows)
    data = pd.DataFrame({"smokes": smokes, "town": town, **{name: rng.normal(size=rows) for name in "cde"}})
    seen = make_result(tuple(data)).to_dowhy(data, "smokes", "c").data
    np.testing.assert_array_equal(seen["smokes"], smokes == "yes")
    assert seen["town"].dtype == "category" and pd.crosstab(seen["town"], town).astype(bool).to_numpy().sum() == 3


@pytest.mark.usefixtures("dowhy")
def test_dowhy_refuses_data_that_lack_a_column() -> None:
    data = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 4)), columns=list("abdf"))
    with pytest.raises(InputError, match=r"the data lack 'c', 'e'.*these are 'a', 'b', 'd', 'f'"):
        make_result(tuple("abcde")).to_dowhy(data, "a", "b")
    with pytest.raises(InputError, match="both 'a'; choose two columns"):
        make_result(tuple("abcde")).to_dowhy(data, "a", " a ")


def test_hidden_nodes_never_collide_with_columns() -> None:
    result = make_result(("a", "b", "c", "d", "hidden:b~d"))
    assert with_latent_nodes(result).number_of_nodes() == 6


def test_unwritable_place_is_said_clearly(tmp_path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot write"):
        write_text(tmp_path / "file" / "below.txt", "y")


def test_a_folder_in_place_of_a_file_is_said_clearly(result: Result, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in (".", "..", "/", tmp_path):
        with pytest.raises(OutputError, match="it is a folder; give the name of a file"):
            result.to_html(folder)
    assert not list(tmp_path.iterdir())


def test_a_file_in_place_of_a_folder_is_said_clearly(result: Result, tmp_path) -> None:
    (tmp_path / "survey.csv").write_text("a,b")
    for folder in (tmp_path / "survey.csv", tmp_path / "survey.csv" / "out"):
        with pytest.raises(OutputError, match=r"survey\.csv' is a file; give a folder"):
            result.save(folder)
    assert (tmp_path / "survey.csv").read_text() == "a,b"


def test_layers_put_causes_above_effects(result: Result) -> None:
    positions = layered_positions(result.graph)
    assert all(positions[a][1] > positions[b][1] for a, b in result.graph.edges)
    assert len(set(positions.values())) == len(positions)


def test_nodes_step_aside_for_edges_that_pass_their_layer() -> None:
    """Wherever the straight line of an edge crosses a layer, no box of another node lies there."""
    long_name = "tuberculosis_or_cancer"
    graph = nx.DiGraph(
        [("a", "b"), ("b", "c"), ("a", "c"), ("smoking", long_name), (long_name, "xray"), ("smoking", "xray")]
    )
    places = layered_positions(graph)
    for start, end in (("a", "c"), ("smoking", "xray")):
        (x0, y0), (x1, y1) = places[start], places[end]
        for name in ("b", long_name):
            x, y = places[name]
            across = x0 + (x1 - x0) * (y - y0) / (y1 - y0)
            assert abs(across - x) > 0.1 + 0.02 * len(name)
    assert all(places[a][1] > places[b][1] for a, b in graph.edges)


def test_layout_of_forty_nodes_has_no_overlap() -> None:
    rng = np.random.default_rng(1)
    graph = nx.DiGraph()
    graph.add_nodes_from(f"v{k}" for k in range(40))
    graph.add_edges_from((f"v{i}", f"v{j}") for i in range(40) for j in range(i + 1, 40) if rng.random() < 0.05)
    places = np.array(list(layered_positions(graph).values()))
    distances = np.abs(places[:, None] - places[None]).max(-1) + np.eye(40) * 9
    assert distances.min() > 0.49


def test_plot_writes_png_and_svg(result: Result, tmp_path) -> None:
    result.plot(tmp_path / "g.png")
    result.plot(tmp_path / "g.svg")
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "g.svg").read_text()
    with pytest.raises(OutputError, match=r"\.png"):
        result.plot(tmp_path / "g.wat")


def test_equal_results_give_equal_files(result: Result, tmp_path) -> None:
    result.save(tmp_path / "a")
    replace(result, timing={"network": 9.9}).save(tmp_path / "b")
    for file in (tmp_path / "a").iterdir():
        same = file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
        assert same == (file.name != "timing.json"), file.name
