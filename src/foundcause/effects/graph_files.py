"""Read a user's graph: GML, DOT, dagitty text, an edge list, or networkx.

A graph becomes two matrices over given columns: directed edges and confounded pairs. A node that is not a column is
hidden: its children share a hidden cause, and chains through it become edges.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from foundcause.errors import InputError

if TYPE_CHECKING:
    import networkx as nx

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|<->|->|<-|--|[\[\]{};,=]|[^\s"\[\]{};,=<>-]+(?:-(?![->])[^\s"\[\]{};,=<>-]+)*')
_ARROWS = {"->", "<-", "<->", "--"}
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*", re.DOTALL | re.MULTILINE)


def read_graph(source: str | Path | nx.DiGraph, columns: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Read a graph over the columns of a table.

    Parameters
    ----------
    source : str, Path or networkx.DiGraph
        A file (``.gml``, ``.dot``, ``.gv``, ``.dag``, ``.txt``, ``.csv``), text in DOT or dagitty's language, or a
        graph. A ``confounded_pairs`` attribute of a networkx graph lists pairs with a hidden common cause.
    columns : sequence of str
        Names of the D columns.

    Returns
    -------
    directed : ndarray of shape (D, D), bool
        Acyclic.
    confounded : ndarray of shape (D, D), bool
        Symmetric.
    """
    edges, pairs = _edges(source)
    return _matrices(edges, pairs, columns)


def _edges(source: str | Path | nx.DiGraph) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    if not isinstance(source, str | Path):
        if not hasattr(source, "edges") or not source.is_directed():
            raise InputError(f"a {type(source).__name__} is not a directed graph; give a networkx.DiGraph or a file")
        listed = [(str(a), str(b)) for a, b in source.edges()]
        return listed, [(str(a), str(b)) for a, b in source.graph.get("confounded_pairs", ())]
    if isinstance(source, str) and ("->" in source or "{" in source):
        return _parse(source, "the graph")
    path = Path(source)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the graph {str(path)!r}: {error}") from error
    if path.suffix.lower() == ".gml":
        return _gml(text, path)
    if path.suffix.lower() in {".csv", ".tsv"}:
        return _edge_list(text, path)
    if "->" in text or "{" in text:
        return _parse(text, repr(str(path)))
    return _edge_list(text, path)


def _gml(text: str, path: Path) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    import networkx as nx

    try:
        graph = nx.parse_gml(text)
    except nx.NetworkXError as error:
        raise InputError(f"{str(path)!r} is not valid GML: {error}") from error
    if not graph.is_directed():
        raise InputError(f"the graph in {str(path)!r} is undirected; add 'directed 1'")
    pairs, edges = [], []
    for a, b, data in graph.edges(data=True):
        if data.get("confounded") or data.get("bidirected"):
            pairs.append((str(a), str(b)))
        else:
            edges.append((str(a), str(b)))
    return edges, pairs


def _edge_list(text: str, path: Path) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Rows of cause and effect; a third cell ``<->`` or ``confounded`` makes the row a confounded pair."""
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:4096], delimiters=",;\t ")
    except csv.Error:
        dialect = csv.excel
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text), dialect) if any(row)]
    if rows and [cell.lower() for cell in rows[0][:2]] in (["cause", "effect"], ["from", "to"], ["source", "target"]):
        rows = rows[1:]
    if not rows or any(len(row) < 2 for row in rows):
        raise InputError(f"{str(path)!r} is not an edge list; each row needs a cause and an effect")
    pairs = [(row[0], row[1]) for row in rows if len(row) > 2 and row[2].lower() in {"<->", "confounded", "bidirected"}]
    return [(row[0], row[1]) for row in rows if (row[0], row[1]) not in pairs], pairs


def _parse(text: str, where: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Read DOT and dagitty: statements such as ``a -> b -> c [style=dashed, dir=both]`` and ``a <-> b``."""
    tokens = _TOKEN.findall(_COMMENT.sub(" ", text))
    edges: list[tuple[str, str]] = []
    pairs: list[tuple[str, str]] = []
    k = 0
    last: list[tuple[str, str]] = []
    while k < len(tokens):
        token = tokens[k]
        if token == "[":
            end = tokens.index("]", k) if "]" in tokens[k:] else len(tokens)
            attributes = "".join(tokens[k:end]).replace('"', "").lower()
            if "dir=both" in attributes:  # DOT's two-headed arrow
                edges = [edge for edge in edges if edge not in last]
                pairs += last
            k = end + 1
            continue
        if token in _ARROWS and 0 < k < len(tokens) - 1:
            first, second = _name(tokens[k - 1]), _name(tokens[k + 1])
            if token == "--":
                raise InputError(f"{where} has an undirected edge {first!r} -- {second!r}; give it a direction")
            edge = (second, first) if token == "<-" else (first, second)
            chained = k > 1 and tokens[k - 2] in _ARROWS
            last = [*last, edge] if chained else [edge]
            (pairs if token == "<->" else edges).append(edge)
        elif token in {";", "{", "}"}:
            last = []
        k += 1
    if not edges and not pairs:
        raise InputError(f"{where} has no edges; write them as a -> b")
    return edges, pairs


def _name(token: str) -> str:
    return token[1:-1].replace('\\"', '"') if token.startswith('"') else token


def _matrices(
    edges: Iterable[tuple[str, str]], pairs: Iterable[tuple[str, str]], columns: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    import networkx as nx

    edges, pairs = list(edges), list(pairs)
    graph = nx.DiGraph(edges)
    if not nx.is_directed_acyclic_graph(graph):
        cycle = [edge[0] for edge in nx.find_cycle(graph)]
        raise InputError(f"the graph has a cycle: {' → '.join([*cycle, cycle[0]])}; remove one of its edges")
    index = {str(name): k for k, name in enumerate(columns)}
    if not set(graph).intersection(index):
        raise InputError(f"no node of the graph is a column; the columns are {', '.join(map(repr, list(index)[:10]))}")
    for name in {name for pair in pairs for name in pair} - set(index):
        close = difflib.get_close_matches(name, index, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise InputError(f"the confounded pair with {name!r} names no column of the table{hint}")
    directed = np.zeros((len(index), len(index)), dtype=bool)
    confounded = np.zeros_like(directed)
    for node in list(nx.topological_sort(graph)):
        if node in index:
            continue
        parents, children = list(graph.predecessors(node)), list(graph.successors(node))
        graph.add_edges_from((a, b) for a in parents for b in children)
        pairs += list(combinations(children, 2))
        graph.remove_node(node)
    for a, b in graph.edges:
        directed[index[a], index[b]] = True
    for a, b in pairs:
        if a in index and b in index:
            confounded[index[a], index[b]] = confounded[index[b], index[a]] = True
    return directed, confounded
