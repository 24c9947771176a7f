"""A result in the formats of other tools. Every file is written under a temporary name and renamed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foundcause.data import ReadOptions, TableEncoder, read_table
from foundcause.data.names import as_text
from foundcause.errors import ConfigError, InputError, OutputError
from foundcause.files import escape_formula, replacing, replacing_files, write_text
from foundcause.inference.stored_passes import save_passes
from foundcause.report.page import render_html

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from foundcause.result import Result

PASSES_FILE = "passes.npz"
PICTURES = ("png", "svg", "pdf")
_LISTS = ("edges", "confounded_pairs")
_MATRICES = ("adjacency", "probabilities", "confounding")
FILES = (
    "result.json",
    "timing.json",
    *(f"{name}.csv" for name in (*_LISTS, *_MATRICES)),
    *(f"graph.{suffix}" for suffix in ("dot", "mmd", "graphml", "gml", "png")),
    "report.html",
    "suggestions.toml",
    PASSES_FILE,
)
"""What ``save`` writes into a folder."""


def save(result: Result, folder: str | Path, *, embed_rows: int = 0) -> Path:
    """Write every format into ``folder`` and return it.

    Equal results give equal files, ``timing.json`` apart. Files of an earlier result are replaced all together, after
    the new ones are complete. Files of the same names that no result wrote are left alone: OutputError.

    Parameters
    ----------
    result : Result
        What to write.
    folder : path
        Created when missing.
    embed_rows : int, default=0
        Rows of the table that ``result.json`` and ``report.html`` may hold, for scatter plots.
    """
    folder = Path(folder)
    for place in (folder, *folder.parents):
        if place.is_file():
            raise OutputError(f"cannot save to {str(folder)!r}: {str(place)!r} is a file; give a folder")
    refuse_replacing_others(folder)
    with replacing_files(folder, FILES, last="result.json") as new:
        result.to_json(new / "result.json", timing=False, embed_rows=embed_rows)
        write_text(new / "timing.json", json.dumps(result.timing))
        for name in (*_LISTS, *_MATRICES):
            write_text(new / f"{name}.csv", table_as_csv(getattr(result, name), index=name in _MATRICES))
        result.to_dot(new / "graph.dot")
        result.to_mermaid(new / "graph.mmd")
        result.to_graphml(new / "graph.graphml")
        result.to_gml(new / "graph.gml")
        result.plot(new / "graph.png").figure.clear()
        result.to_html(new / "report.html", embed_rows=embed_rows)
        if result.passes is not None and result.calibration is not None:
            save_passes(new / PASSES_FILE, result.passes, result.calibration, result.key)
        if suggestions := suggested_options(result):
            write_text(new / "suggestions.toml", suggestions)
    return folder


def suggested_options(result: Result) -> str:
    """The options file (TOML) that follows the suggestions of the findings, empty when they suggest nothing."""
    from foundcause.analysis import Analysis

    read = result.provenance.get("options", {}).get("read") or {}
    analysis = Analysis(read=ReadOptions.of({**read, "random_state": None}), knowledge=result.knowledge)
    suggested = analysis.with_fixes(result.findings)
    return "" if suggested == analysis else suggested.to_toml()


def table_as_csv(table: pd.DataFrame, *, index: bool) -> str:
    """The table as CSV text in which no name starts a formula; ``unescape_formula`` gives the names back."""
    import pandas as pd

    safe = table.rename(index=escape_formula, columns=escape_formula) if index else table.copy()
    for name in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[name]):
            safe[name] = safe[name].map(escape_formula)
    return safe.to_csv(index=index)


def write_as(result: Result, format: str, path: Path | None = None) -> str | None:
    """Write the graph in a format, or return it as text when there is no path.

    Parameters
    ----------
    result : Result
        What to write.
    format : {"dot", "gml", "graphml", "mermaid", "csv", "json", "html", "png", "svg", "pdf"}
        ``csv`` is the table of edges.
    path : Path or None
        Where to write. Pictures need one.
    """
    texts: dict[str, Callable[[], str]] = {
        "dot": result.to_dot,
        "gml": lambda: gml_text(result),
        "graphml": lambda: graphml_text(result),
        "mermaid": result.to_mermaid,
        "csv": lambda: table_as_csv(result.edges, index=False),
        "json": result.to_json,
        "html": lambda: render_html(result),
    }
    if format in PICTURES:
        if path is None:
            raise ConfigError(f"{format} is a picture; name the file to write with --out")
        with replacing(path.with_suffix(f".{format}") if not path.suffix else path) as partial:
            result.plot(partial.with_suffix(f".{format}"))
            partial.with_suffix(f".{format}").replace(partial)
        return None
    if format not in texts:
        raise ConfigError(f"{format!r} is not a format; choose {', '.join((*texts, *PICTURES))}")
    text = texts[format]()
    if path is None:
        return text
    write_text(path, text)
    return None


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
    return write_text(path, gml_text(result))


def gml_text(result: Result) -> str:
    """The text of ``to_gml``."""
    import networkx as nx

    graph = with_latent_nodes(result)
    for _, attributes in graph.nodes(data=True):
        attributes["observed"] = int(attributes["observed"])
    return "\n".join(nx.generate_gml(graph)) + "\n"


def to_graphml(result: Result, path: str | Path) -> Path:
    """GraphML, hidden common causes as nodes with ``observed`` false."""
    return write_text(path, graphml_text(result))


def graphml_text(result: Result) -> str:
    """The text of ``to_graphml``."""
    import networkx as nx

    legal = nx.relabel_nodes(with_latent_nodes(result), _xml_legal)
    return "\n".join(nx.generate_graphml(legal)) + "\n"


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
