"""The answer a user holds: edges, hidden common causes, matrices, warnings; and its way to files.

Shapes: D columns. In every matrix ``[i, j]`` speaks of "i causes j".
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from foundcause.data.table import Column
from foundcause.errors import InputError
from foundcause.files import write_text
from foundcause.findings import Finding, by_severity, remark
from foundcause.knowledge import Knowledge
from foundcause.report.notebook import notebook_page, summary

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes

SCHEMA_VERSION = 2
_MATRICES = ("edge_probabilities", "existence_probabilities", "confounding_probabilities", "agreement_matrix")


class Arc(NamedTuple):
    """A directed edge: its probability, and the share of passes in which it stood."""

    cause: str
    effect: str
    probability: float
    agreement: float


class HiddenCause(NamedTuple):
    """A pair of columns that something outside the table probably drives."""

    first: str
    second: str
    probability: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """A causal graph with its probabilities.

    edge_probabilities: (D, D), zero diagonal. existence_probabilities: (D, D) symmetric, either direction.
    confounding_probabilities: (D, D) symmetric, zero diagonal. adjacency_matrix: (D, D) bool, acyclic.
    agreement_matrix: (D, D), share of passes in which the edge stood.
    threshold, confounding_threshold: what separates shown from hidden.
    findings: remarks about the table and the answer, the most serious first.
    preview: at most a few hundred rows of the encoded table, for scatter plots; NaN where unobserved.
    evidence: named (D, D) matrices of statistics that speak for or against a direction.
    """

    names: tuple[str, ...]
    edge_probabilities: np.ndarray
    existence_probabilities: np.ndarray
    confounding_probabilities: np.ndarray
    adjacency_matrix: np.ndarray
    agreement_matrix: np.ndarray
    threshold: float
    confounding_threshold: float = 0.5
    findings: Sequence[Finding] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    timing: dict[str, float] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    knowledge: Knowledge | None = None
    preview: np.ndarray | None = None
    evidence: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "findings", by_severity(self.findings))
        D = len(self.names)
        for name in (*_MATRICES, "adjacency_matrix"):
            matrix = getattr(self, name)
            if matrix.shape != (D, D):
                raise InputError(f"{name} has shape {matrix.shape}; {D} columns need ({D}, {D})")
            if not np.isfinite(matrix).all():
                raise InputError(f"{name} holds non-finite numbers")

    @property
    def warnings(self) -> tuple[str, ...]:
        """The messages of the findings, until the pages and pictures render findings themselves."""
        return tuple(finding.message for finding in self.findings)

    # ---- what people look at -------------------------------------------------------------------------------------

    @cached_property
    def arcs(self) -> list[Arc]:
        """Edges of the graph, most probable first."""
        cause, effect = np.nonzero(self.adjacency_matrix)
        found = [
            Arc(self.names[i], self.names[j], float(self.edge_probabilities[i, j]), float(self.agreement_matrix[i, j]))
            for i, j in zip(cause, effect, strict=True)
        ]
        return sorted(found, key=lambda arc: -arc.probability)

    @cached_property
    def hidden_causes(self) -> list[HiddenCause]:
        """Pairs that probably share a hidden common cause, most probable first."""
        first, second = np.nonzero(np.triu(self.confounding_probabilities > self.confounding_threshold, 1))
        found = [
            HiddenCause(self.names[i], self.names[j], float(self.confounding_probabilities[i, j]))
            for i, j in zip(first, second, strict=True)
        ]
        return sorted(found, key=lambda pair: -pair.probability)

    @cached_property
    def edges(self) -> pd.DataFrame:
        """Edges of the graph, most probable first: cause, effect, probability, agreement."""
        import pandas as pd

        return pd.DataFrame(self.arcs, columns=list(Arc._fields))

    @cached_property
    def confounders(self) -> pd.DataFrame:
        """Pairs that probably share a hidden common cause: first, second, probability."""
        import pandas as pd

        return pd.DataFrame(self.hidden_causes, columns=list(HiddenCause._fields))

    @cached_property
    def graph(self) -> nx.DiGraph[str]:
        """The acyclic graph; every column is a node, edges carry ``probability`` and ``agreement``."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.names)
        for arc in self.arcs:
            graph.add_edge(arc.cause, arc.effect, probability=arc.probability, agreement=arc.agreement)
        return graph

    @cached_property
    def adjacency(self) -> pd.DataFrame:
        """0/1 matrix of the graph, labelled."""
        return self._labelled(self.adjacency_matrix.astype(int))

    @cached_property
    def probabilities(self) -> pd.DataFrame:
        """Probability of each directed edge, labelled."""
        return self._labelled(self.edge_probabilities)

    @cached_property
    def confounding(self) -> pd.DataFrame:
        """Probability that each pair shares a hidden common cause, labelled and symmetric."""
        return self._labelled(self.confounding_probabilities)

    def _labelled(self, matrix: np.ndarray) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(matrix, index=list(self.names), columns=list(self.names))

    def __repr__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return notebook_page(self)

    # ---- pictures and files --------------------------------------------------------------------------------------

    def plot(self, path: str | Path | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the graph in layers; with ``path``, also write it (PNG, SVG, PDF by suffix)."""
        from foundcause.report.plot import plot

        return plot(self, path, ax=ax)

    def to_html(self, path: str | Path) -> Path:
        """Write the self-contained interactive report."""
        from foundcause.report import write_html

        return write_html(self, path)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON-ready values; docs/result_schema.md describes it."""
        return {
            "schema": "foundcause-result",
            "schema_version": SCHEMA_VERSION,
            "names": list(self.names),
            "edges": [arc._asdict() for arc in self.arcs],
            "confounders": [pair._asdict() for pair in self.hidden_causes],
            "adjacency": self.adjacency_matrix.astype(int).tolist(),
            **{name: getattr(self, name).tolist() for name in _MATRICES},
            "threshold": self.threshold,
            "confounding_threshold": self.confounding_threshold,
            "findings": [finding.to_dict() for finding in self.findings],
            "warnings": list(self.warnings),
            "settings": self.settings,
            "timing": self.timing,
            "columns": [asdict(column) for column in self.columns],
            "knowledge": None if self.knowledge is None else self.knowledge.to_dict(),
            "preview": None if self.preview is None else _nullable(self.preview),
            "evidence": {name: _nullable(matrix) for name, matrix in self.evidence.items()},
        }

    def to_json(self, path: str | Path | None = None, *, timing: bool = True) -> str:
        """JSON text; with ``path``, also written there. ``Result.from_json`` reads it back.

        timing: leave it out for text that is the same whenever the result is.
        """
        content = self.to_dict()
        if not timing:
            del content["timing"]
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        if path is not None:
            write_text(path, text)
        return text

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Result:
        """The inverse of ``to_dict``."""
        if not isinstance(content, Mapping):
            raise InputError(f"this is not a foundcause result: it holds a {type(content).__name__}, not an object")
        if content.get("schema") != "foundcause-result":
            raise InputError("this is not a foundcause result: the key 'schema' is not 'foundcause-result'")
        if content.get("schema_version") == 1:
            content = _from_schema_1(content)
        if content.get("schema_version") != SCHEMA_VERSION:
            raise InputError(
                f"the result has schema version {content.get('schema_version')!r}, this foundcause reads "
                f"{SCHEMA_VERSION}; install the version that wrote it"
            )
        try:
            preview = content["preview"]
            return cls(
                names=tuple(content["names"]),
                adjacency_matrix=np.asarray(content["adjacency"], dtype=bool),
                **{name: np.asarray(content[name], dtype=float) for name in _MATRICES},
                threshold=float(content["threshold"]),
                confounding_threshold=float(content["confounding_threshold"]),
                findings=[Finding.from_dict(finding) for finding in content["findings"]],
                settings=dict(content["settings"]),
                timing=dict(content.get("timing", {})),
                columns=tuple(Column.from_dict(column) for column in content["columns"]),
                knowledge=None if content["knowledge"] is None else Knowledge.from_dict(content["knowledge"]),
                preview=None if preview is None else np.asarray(preview, dtype=float),
                evidence={name: np.asarray(matrix, dtype=float) for name, matrix in content["evidence"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"the result is incomplete or damaged: {error}") from error

    @classmethod
    def from_json(cls, source: str | Path) -> Result:
        """Read a result from JSON text or from a file."""
        is_text = isinstance(source, str) and source.lstrip().startswith("{")
        try:
            text = str(source) if is_text else Path(source).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot read {str(source)!r}: {error}; give a result written by foundcause") from error
        where = "" if is_text else f"{str(source)!r}: "
        try:
            return cls.from_dict(json.loads(text))
        except json.JSONDecodeError as error:
            raise InputError(f"{where}the result is not valid JSON: {error}") from error
        except InputError as error:
            raise InputError(f"{where}{error}") from error

    def to_dot(self, path: str | Path | None = None) -> str:
        """Graphviz text; hidden common causes are dashed red two-headed arcs."""
        from foundcause.report.export import to_dot

        return to_dot(self, path)

    def to_mermaid(self, path: str | Path | None = None) -> str:
        """Mermaid flowchart text."""
        from foundcause.report.export import to_mermaid

        return to_mermaid(self, path)

    def to_gml(self, path: str | Path) -> Path:
        """GML file."""
        from foundcause.report.export import to_gml

        return to_gml(self, path)

    def to_graphml(self, path: str | Path) -> Path:
        """GraphML file."""
        from foundcause.report.export import to_graphml

        return to_graphml(self, path)

    def to_causallearn(self) -> Any:
        """A causal-learn ``GeneralGraph``; hidden common causes are bidirected edges."""
        from foundcause.report.export import to_causallearn

        return to_causallearn(self)

    def to_pgmpy(self) -> Any:
        """A pgmpy ``DAG`` whose hidden common causes are latent nodes."""
        from foundcause.report.export import to_pgmpy

        return to_pgmpy(self)

    def to_dowhy(self, data: Any, treatment: Any, outcome: Any) -> Any:
        """A DoWhy ``CausalModel`` on this graph; hidden common causes are unobserved nodes.

        data: the table that was discovered. treatment, outcome: columns, named as here or as in the table.
        """
        from foundcause.report.export import to_dowhy

        return to_dowhy(self, data, treatment, outcome)

    def save(self, folder: str | Path) -> Path:
        """Write every format into ``folder``: JSON, CSV tables, DOT, GraphML, Mermaid, PNG and the HTML report."""
        from foundcause.report.export import save

        return save(self, folder)


def _from_schema_1(content: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a result of schema 1, whose remarks are sentences, into one of schema 2."""
    texts = content.get("warnings", ())
    findings = [remark(text).to_dict() for text in texts]
    return {**content, "schema_version": 2, "findings": findings}


def _nullable(matrix: np.ndarray) -> list[list[float | None]]:
    """Nested lists with ``None`` for what is not finite: JSON knows no NaN."""
    return [[float(cell) if np.isfinite(cell) else None for cell in row] for row in matrix]
