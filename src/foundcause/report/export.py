"""A result in the formats of other tools. Every file is written under a temporary name and renamed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foundcause.data import TableEncoder, read_table
from foundcause.data.names import as_text
from foundcause.errors import InputError, OutputError
from foundcause.files import write_text

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from foundcause.result import Result

_LISTS = ("edges", "confounded_pairs")
_MATRICES = ("adjacency", "probabilities", "confounding")
FILES = (
    "result.json",
    "timing.json",
    *(f"{name}.csv" for name in (*_LISTS, *_MATRICES)),
    *(f"graph.{suffix}" for suffix in ("dot", "mmd", "graphml", "gml", "png")),
    "report.html",
)
"""What ``save`` writes into a folder."""


def save(result: Result, folder: str | Path) -> Path:
    """Write every format into ``folder`` and return it; equal results give equal files, ``timing.json`` apart.

    Files of an earlier result are replaced, files of the same names that are no result's are not: OutputError.
    """
    folder = Path(folder)
    for place in (folder, *folder.parents):
        if place.is_file():
            raise OutputError(f"cannot save to {str(folder)!r}: {str(place)!r} is a file; give a folder")
    refuse_replacing_others(folder)
    result.to_json(folder / "result.json", timing=False)
    write_text(folder / "timing.json", json.dumps(result.timing))
    for name in (*_LISTS, *_MATRICES):
        write_text(folder / f"{name}.csv", getattr(result, name).to_csv(index=name in _MATRICES))
    result.to_dot(folder / "graph.dot")
    result.to_mermaid(folder / "graph.mmd")
    result.to_graphml(folder / "graph.graphml")
    result.to_gml(folder / "graph.gml")
    result.plot(folder / "graph.png").figure.clear()
    result.to_html(folder / "report.html")
    return folder


def refuse_replacing_others(folder: Path) -> None:
    """Refuse a folder in which a file would be replaced that no result wrote: a result's first file is its JSON."""
    present = [name for name in FILES if (folder / name).exists()]
    if present and not _holds_result(folder / "result.json"):
        raise OutputError(
            f"{str(folder / present[0])!r} was not written by foundcause and would be replaced; "
            "move it or choose another folder (--out)"
        )


def _holds_result(place: Path) -> bool:
    try:
        with place.open(encoding="utf-8") as file:
            return '"foundcause-result"' in file.read(200)
    except (OSError, UnicodeDecodeError):
        return False


def to_dot(result: Result, path: str | Path | None = None) -> str:
    """Graphviz text; edge width grows with probability."""
    lines = ["digraph foundcause {", "  rankdir=TB;", "  node [shape=box, style=rounded];"]
    lines += [f"  {_dot_quoted(name)};" for name in result.names]
    for edge in result.edges.to_dict("records"):
        label, width = f"{edge['probability']:.2f}", 0.5 + 2.5 * edge["probability"]
        ends = f"{_dot_quoted(edge['cause'])} -> {_dot_quoted(edge['effect'])}"
        lines.append(f'  {ends} [label="{label}", penwidth={width:.2f}];')
    for pair in result.confounded_pairs.to_dict("records"):
        label = f"{pair['probability']:.2f}"
        ends = f"{_dot_quoted(pair['first'])} -> {_dot_quoted(pair['second'])}"
        lines.append(f'  {ends} [dir=both, style=dashed, color=red, constraint=false, label="{label}"];')
    text = "\n".join([*lines, "}", ""])
    if path is not None:
        write_text(path, text)
    return text


def _dot_quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", "\\n")
    return f'"{escaped}"'


def to_mermaid(result: Result, path: str | Path | None = None) -> str:
    """Mermaid flowchart; nodes get short ids because labels may hold anything."""
    ids = {name: f"v{k}" for k, name in enumerate(result.names)}
    lines = ["flowchart TD"]
    lines += [f'  {ids[name]}["{_mermaid_escaped(name)}"]' for name in result.names]
    for edge in result.edges.to_dict("records"):
        lines.append(f"  {ids[edge['cause']]} -->|{edge['probability']:.2f}| {ids[edge['effect']]}")
    for pair in result.confounded_pairs.to_dict("records"):
        lines.append(f"  {ids[pair['first']]} <-.->|{pair['probability']:.2f}| {ids[pair['second']]}")
    text = "\n".join(lines) + "\n"
    if path is not None:
        write_text(path, text)
    return text


def _mermaid_escaped(name: str) -> str:
    """HTML entities are the one escape that every Mermaid version reads inside quotes."""
    return "".join(c if c.isalnum() or c in " _-." else f"#{ord(c)};" for c in name)


def with_latent_nodes(result: Result) -> nx.DiGraph[str]:
    """The graph with each hidden common cause as an explicit node ``hidden:a~b`` (attribute ``observed`` is False)."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(result.names, observed=True)
    graph.add_edges_from(result.graph.edges(data=True))
    taken = set(result.names)
    for pair in result.confounded_pairs.to_dict("records"):
        hidden = f"hidden:{pair['first']}~{pair['second']}"
        while hidden in taken:
            hidden += "'"
        taken.add(hidden)
        graph.add_node(hidden, observed=False)
        graph.add_edge(hidden, pair["first"], weight=pair["probability"])
        graph.add_edge(hidden, pair["second"], weight=pair["probability"])
    return graph


def to_gml(result: Result, path: str | Path) -> Path:
    """GML, hidden common causes as nodes with ``observed 0``."""
    import networkx as nx

    graph = with_latent_nodes(result)
    for _, attributes in graph.nodes(data=True):
        attributes["observed"] = int(attributes["observed"])
    return write_text(path, "\n".join(nx.generate_gml(graph)) + "\n")


def to_graphml(result: Result, path: str | Path) -> Path:
    """GraphML, hidden common causes as nodes with ``observed`` false."""
    import networkx as nx

    legal = nx.relabel_nodes(with_latent_nodes(result), _xml_legal)
    return write_text(path, "\n".join(nx.generate_graphml(legal)) + "\n")


def _xml_legal(name: str) -> str:
    """XML 1.0 has no control characters, not even escaped; they become the replacement character."""
    return "".join(
        c if c in "\t\n\r" or (ord(c) >= 0x20 and not 0xD800 <= ord(c) <= 0xDFFF) else "\ufffd" for c in name
    )


def to_causallearn(result: Result) -> Any:
    """A causal-learn ``GeneralGraph``: directed edges, and bidirected ones where only a hidden cause is seen."""
    _require("causallearn", "bench")
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    nodes = {name: GraphNode(name) for name in result.names}
    graph = GeneralGraph(list(nodes.values()))
    for edge in result.edges.to_dict("records"):
        graph.add_edge(Edge(nodes[edge["cause"]], nodes[edge["effect"]], Endpoint.TAIL, Endpoint.ARROW))
    for pair in result.confounded_pairs.to_dict("records"):
        # causal-learn keeps one edge per pair: a directed edge that is already there speaks louder.
        if not graph.is_adjacent_to(nodes[pair["first"]], nodes[pair["second"]]):
            graph.add_edge(Edge(nodes[pair["first"]], nodes[pair["second"]], Endpoint.ARROW, Endpoint.ARROW))
    return graph


def to_pgmpy(result: Result) -> Any:
    """A pgmpy ``DAG`` whose hidden common causes are latent nodes."""
    _require("pgmpy", "bench")
    from pgmpy.base import DAG

    graph = with_latent_nodes(result)
    latents = {node for node, observed in graph.nodes(data="observed") if not observed}
    dag = DAG(list(graph.edges), latents=latents)
    dag.add_nodes_from(result.names)
    return dag


def to_dowhy(result: Result, data: Any, treatment: Any, outcome: Any) -> Any:
    """A DoWhy ``CausalModel``; hidden common causes are unobserved nodes of its graph.

    data: the table that was discovered, in any form that ``discover`` takes.
    treatment, outcome: columns, named as the result shows them or as the table calls them.
    """
    treatment, outcome = as_text(treatment), as_text(outcome)
    for role, name in (("treatment", treatment), ("outcome", outcome)):
        if name not in result.names:
            raise InputError(f"{role} {name!r} is no column of the result; choose one of {', '.join(result.names)}")
    if treatment == outcome:
        raise InputError(f"treatment and outcome are both {treatment!r}; choose two columns")
    cells = _as_discovered(result, data)
    _require("dowhy", "dowhy")
    from dowhy import CausalModel

    graph = with_latent_nodes(result)
    for node, attributes in graph.nodes(data=True):
        attributes["observed"] = "yes" if node in result.names else "no"
    return CausalModel(data=cells, treatment=treatment, outcome=outcome, graph=graph)


def _as_discovered(result: Result, data: Any) -> pd.DataFrame:
    """All rows of the data, with the names and numbers of the result; categories without an order stay categories.

    DoWhy takes a node without a column of its name for unobserved, and adjusts for it no more.
    """
    import pandas as pd

    nominal = [name for name in _nominal(result) if name in result.names]
    # Columns of an array may have got their names when it was discovered.
    unnamed = getattr(data, "ndim", 0) == 2 and not hasattr(data, "columns") and data.shape[1] == len(result.names)
    typed = read_table(data, max_rows=sys.maxsize, nominal=nominal, names=result.names if unnamed else None)
    table = TableEncoder().fit(typed).transform(typed)
    if lacking := [name for name in result.names if name not in table.names]:
        few = ", ".join(map(repr, table.names[:8])) + (", ..." if len(table.names) > 8 else "")
        raise InputError(
            f"the data lack {', '.join(map(repr, lacking))}, so that nothing could be adjusted for it; give the table "
            f"that was discovered, with the same names (these are {few})"
        )
    cells = pd.DataFrame(table.values, columns=list(table.names))[list(result.names)]
    codes = [column.name for column in table.columns if column.kind == "nominal" and column.name in result.names]
    return cells.astype(dict.fromkeys(codes, "category"))


def _nominal(result: Result) -> list[str]:
    """The columns that were declared as codes."""
    return list(result.provenance.get("options", {}).get("read", {}).get("nominal", ()))


def _require(module: str, extra: str) -> None:
    import importlib.util

    if importlib.util.find_spec(module) is None:
        raise InputError(f"this export needs {module}; install it with: pip install 'foundcause[{extra}]'")
