"""The answer that users hold: edges, confounded pairs, probabilities, findings, and its way to files.

Shapes: D columns. In every matrix ``[i, j]`` is about "i causes j".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.data.table import Column
from foundcause.errors import InputError
from foundcause.files import write_text
from foundcause.findings import Finding, by_severity, remark
from foundcause.inference.decoding import Decoded, Passes
from foundcause.knowledge import Knowledge
from foundcause.model.calibration import Calibration
from foundcause.report.notebook import notebook_page, summary

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes

    from foundcause.effects.check import GraphCheck
    from foundcause.effects.estimation import Effect
    from foundcause.effects.questions import Question
    from foundcause.effects.sampled import SampledGraphs

SCHEMA_VERSION = 3
MIN_DIRECTION_SHARE = 0.65
"""An edge is directed when its direction holds at least this share of the probability of both directions.

Chosen on 2,042 arrows of 400 simulated tasks (``research/orientation.py``): 92% of the arrows above it are right and
56% of those below, where no bin of 0.05 reaches two in three.
"""
_MATRICES = {
    "probabilities": "edges",
    "existence": "existence",
    "confounding": "confounding",
    "agreement": "agreement",
    "adjacency": "adjacency",
}
"""Keys of the JSON and the arrays of ``Decoded`` that they hold."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """A causal graph with its probabilities.

    Parameters
    ----------
    names : tuple of str
        The D columns of the answer, in the order of every matrix.
    decoded : Decoded
        The (D, D) arrays behind the tables below, and both thresholds.
    findings : sequence of Finding
        Remarks about the table and the answer. They are kept most serious first.
    provenance : dict
        Digests of data and weights, all options, and versions.
    timing : dict
        Seconds per stage.
    column_info : tuple of Column
        How each column was read. ``columns`` shows it as a DataFrame.
    knowledge : Knowledge or None
        What was given beforehand.
    preview : ndarray of shape (rows, D) or None
        At most a few hundred rows of the encoded table, for scatter plots. NaN where unobserved.
    evidence : dict of str to ndarray of shape (D, D)
        Statistics that speak for or against a direction.
    passes : Passes or None
        Logits of every pass. None when they were too large to be stored with the result.
    calibration : Calibration or None
        How logits become probabilities. None with ``passes``.
    """

    names: tuple[str, ...]
    decoded: Decoded
    findings: Sequence[Finding] = ()
    provenance: dict[str, Any] = field(default_factory=dict)
    timing: dict[str, float] = field(default_factory=dict)
    column_info: tuple[Column, ...] = ()
    knowledge: Knowledge | None = None
    preview: np.ndarray | None = None
    evidence: dict[str, np.ndarray] = field(default_factory=dict)
    passes: Passes | None = None
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "findings", by_severity(self.findings))
        D = len(self.names)
        for key, name in _MATRICES.items():
            matrix = getattr(self.decoded, name)
            if matrix.shape != (D, D):
                raise InputError(f"{key} has shape {matrix.shape}; {D} columns need ({D}, {D})")
            if not np.isfinite(matrix).all():
                raise InputError(f"{key} holds non-finite numbers")

    @property
    def threshold(self) -> float:
        """Probability from which an edge is shown."""
        return self.decoded.threshold

    @property
    def confounding_threshold(self) -> float:
        """Probability from which a pair counts as confounded."""
        return self.decoded.confounding_threshold

    # ---- tables --------------------------------------------------------------------------------------------------

    @cached_property
    def edges(self) -> pd.DataFrame:
        """Edges of the graph, most probable first.

        ``cause``, ``effect``, ``probability``, ``reverse_probability`` (of effect causing cause), ``orientation`` and
        ``agreement`` (share of passes with this edge). ``orientation`` is "directed" or "undecided". It is undecided
        when the direction shown has less than 65% of the probability of both directions.
        """
        import pandas as pd

        cause, effect = np.nonzero(self.decoded.adjacency)
        forward, reverse = self.decoded.edges[cause, effect], self.decoded.edges[effect, cause]
        directed = forward >= MIN_DIRECTION_SHARE * (forward + reverse)
        names = np.array(self.names, dtype=object)
        edges = {
            "cause": names[cause],
            "effect": names[effect],
            "probability": forward,
            "reverse_probability": reverse,
            "orientation": np.where(directed, "directed", "undecided").astype(object),
            "agreement": self.decoded.agreement[cause, effect],
        }
        return pd.DataFrame(edges).sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    @cached_property
    def confounded_pairs(self) -> pd.DataFrame:
        """Pairs that probably share a hidden common cause, most probable first: first, second, probability."""
        import pandas as pd

        first, second = np.nonzero(np.triu(self.decoded.confounding > self.confounding_threshold, 1))
        names = np.array(self.names, dtype=object)
        probability = self.decoded.confounding[first, second]
        pairs = pd.DataFrame({"first": names[first], "second": names[second], "probability": probability})
        return pairs.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    @cached_property
    def columns(self) -> pd.DataFrame:
        """How each column was read, one row a column. Columns that were dropped stand at the end."""
        import pandas as pd

        named = [column.name for column in fields(Column)]
        return pd.DataFrame([asdict(column) for column in self.column_info], columns=named)

    @cached_property
    def probabilities(self) -> pd.DataFrame:
        """Probability of each directed edge, (D, D): the row causes the column."""
        return self._labelled(self.decoded.edges)

    @cached_property
    def existence(self) -> pd.DataFrame:
        """Probability of an edge in either direction, (D, D) and symmetric."""
        return self._labelled(self.decoded.existence)

    @cached_property
    def confounding(self) -> pd.DataFrame:
        """Probability that each pair shares a hidden common cause, (D, D) and symmetric."""
        return self._labelled(self.decoded.confounding)

    @cached_property
    def adjacency(self) -> pd.DataFrame:
        """0/1 matrix of the acyclic graph, (D, D): the row causes the column."""
        return self._labelled(self.decoded.adjacency.astype(int))

    @cached_property
    def agreement(self) -> pd.DataFrame:
        """Share of passes in which each edge stood, (D, D)."""
        return self._labelled(self.decoded.agreement)

    @cached_property
    def graph(self) -> nx.DiGraph[str]:
        """The acyclic graph.

        Every column is a node. Edges carry ``weight`` (their probability), ``orientation`` and ``agreement``. An
        undecided edge points in its more probable direction.
        """
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.names)
        for edge in self.edges.to_dict("records"):
            facts = {"orientation": edge["orientation"], "agreement": edge["agreement"]}
            graph.add_edge(edge["cause"], edge["effect"], weight=edge["probability"], **facts)
        return graph

    @cached_property
    def confounder_graph(self) -> nx.Graph[str]:
        """The confounded pairs as an undirected graph. Every column is a node, ``weight`` is the probability."""
        import networkx as nx

        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from(self.names)
        graph.add_weighted_edges_from(self.confounded_pairs.itertuples(index=False, name=None))
        return graph

    def causes(self, outcome: str, *, n_graphs: int = 200, random_state: int = 0) -> pd.DataFrame:
        """Rank what affects a column.

        Parameters
        ----------
        outcome : str
            A column of the answer.
        n_graphs : int, default=200
            Sampled graphs over which paths are counted.
        random_state : int, default=0
            Seed of the sample.

        Returns
        -------
        DataFrame
            ``cause``, ``probability`` (of any path to the outcome), ``direct`` (probability of the edge) and ``path``
            (how it gets there in the graph, empty without a path). Most probable first.
        """
        import networkx as nx
        import pandas as pd

        if outcome not in self.names:
            raise InputError(f"there is no column {outcome!r}; choose one of {', '.join(self.names)}")
        upstream = self.sample_graphs(n_graphs, random_state=random_state).ancestor_probabilities()[outcome]
        paths = nx.single_target_shortest_path(self.graph, outcome)
        causes = [name for name in self.names if name != outcome]
        table = {
            "cause": causes,
            "probability": upstream[causes].to_numpy(),
            "direct": self.probabilities.loc[causes, outcome].to_numpy(),
            "path": [" -> ".join(paths.get(name, ())) for name in causes],
        }
        ranked = pd.DataFrame(table).sort_values(["probability", "direct"], ascending=False, ignore_index=True)
        return ranked[ranked["probability"] > 0]

    def _labelled(self, matrix: np.ndarray) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(matrix, index=list(self.names), columns=list(self.names))

    def __repr__(self) -> str:
        return summary(self)

    def _repr_html_(self) -> str:
        return notebook_page(self)

    # ---- knowledge -----------------------------------------------------------------------------------------------

    def with_knowledge(
        self,
        knowledge: Knowledge | Mapping[str, Any] | str | Path | None = None,
        *,
        threshold: float | None = None,
        **statements: Any,
    ) -> Result:
        """Return the answer with further knowledge, at once: the passes are decoded again, the network does not run.

        Parameters
        ----------
        knowledge : Knowledge, mapping, path or None
            What is added to the knowledge of this answer.
        threshold : float or None
            Probability from which an edge is shown. None keeps the rule of this answer.
        **statements
            Fields of ``Knowledge``, such as ``roots=["age"]``.

        Returns
        -------
        Result
        """
        from foundcause.inference.decoding import decode

        if self.passes is None or self.calibration is None:
            raise InputError(
                "this result does not hold its passes: it is of an older version, or they were too large to be stored; "
                "call discover again with knowledge=..."
            )
        added = (Knowledge.of(knowledge) or Knowledge()).merged(Knowledge(**statements))
        known = (self.knowledge or Knowledge()).merged(added)
        options = self.provenance["options"]
        threshold = options["threshold"] if threshold is None else threshold
        n_effective = self.provenance["data"]["n_effective"]
        decoded = decode(self.passes, self.calibration, known, threshold, n_effective)
        changed = replace(
            self,
            decoded=decoded,
            knowledge=known or None,
            provenance={**self.provenance, "options": {**options, "threshold": threshold}},
        )
        before = self._graph_findings()
        kept = [finding for finding in self.findings if finding not in before]
        return replace(changed, findings=by_severity([*changed._graph_findings(), *kept]))

    def _graph_findings(self) -> list[Finding]:
        """The findings about the graph, which other knowledge changes."""
        from foundcause.diagnostics import graph_findings

        known = self.knowledge or Knowledge()
        forbidden, required = known.masks(self.names)
        contradicting = self.decoded.contradicting
        return graph_findings(
            self.decoded,
            self.column_info[: len(self.names)],
            threshold_given=self.provenance["options"]["threshold"] is not None,
            required=required,
            forbidden=forbidden,
            roots=known.uncaused(self.names),
            contradicting=contradicting if contradicting.size else np.zeros_like(required),
        )

    @cached_property
    def key(self) -> str:
        """A digest of the probabilities, by which stored passes know their answer."""
        return hashlib.sha256(np.ascontiguousarray(self.decoded.edges).tobytes()).hexdigest()[:16]

    # ---- decisions -----------------------------------------------------------------------------------------------

    def sample_graphs(self, n: int = 200, *, hidden_causes: bool = True, random_state: int = 0) -> SampledGraphs:
        """Draw acyclic graphs that agree with the probabilities and obey the knowledge."""
        from foundcause.effects.decisions import sample_graphs

        return sample_graphs(self, n, hidden_causes=hidden_causes, random_state=random_state)

    def effect(self, treatment: str, outcome: str, data: Any, **options: Any) -> Effect:
        """Estimate a total effect over sampled graphs; ``foundcause.effects.decisions.effect`` lists the options."""
        from foundcause.effects.decisions import effect

        return effect(self, treatment, outcome, data, **options)

    def effects(self, outcome: str, data: Any, **options: Any) -> pd.DataFrame:
        """Estimate the total effects of all columns on one outcome, the most important first."""
        from foundcause.effects.decisions import effects

        return effects(self, outcome, data, **options)

    def check(self, data: Any, **options: Any) -> GraphCheck:
        """Check the graph against a table; ``foundcause.check`` checks yours."""
        from foundcause.effects.decisions import check

        return check(self, data, **options)

    def questions(self, n: int = 10, **options: Any) -> list[Question]:
        """Rank questions to an expert by how much an answer would settle."""
        from foundcause.effects.decisions import questions

        return questions(self, n, **options)

    # ---- pictures and files --------------------------------------------------------------------------------------

    def plot(self, path: str | Path | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the graph in layers; with ``path``, also write it (PNG, SVG, PDF by suffix)."""
        from foundcause.report.plot import plot

        return plot(self, path, ax=ax)

    def to_html(self, path: str | Path, *, embed_rows: int = 0) -> Path:
        """Write the self-contained interactive report, with at most ``embed_rows`` rows of the table."""
        from foundcause.report import write_html

        return write_html(self, path, embed_rows=embed_rows)

    def to_dict(self, *, embed_rows: int = 0) -> dict[str, Any]:
        """Return everything as JSON-ready values, with at most ``embed_rows`` rows of the table.

        docs/result_schema.md describes them.
        """
        return {
            "schema": "foundcause-result",
            "schema_version": SCHEMA_VERSION,
            "names": list(self.names),
            "edges": self.edges.to_dict("records"),
            "confounded_pairs": self.confounded_pairs.to_dict("records"),
            **{key: np.asarray(getattr(self.decoded, name) * 1).tolist() for key, name in _MATRICES.items()},
            "threshold": self.threshold,
            "confounding_threshold": self.confounding_threshold,
            "findings": [finding.to_dict() for finding in self.findings],
            "provenance": self.provenance,
            "timing": self.timing,
            "columns": [asdict(column) for column in self.column_info],
            "knowledge": None if self.knowledge is None else self.knowledge.to_dict(),
            "preview": _nullable(self.preview[:embed_rows]) if self.preview is not None and embed_rows > 0 else None,
            "evidence": {name: _nullable(matrix) for name, matrix in self.evidence.items()},
        }

    def to_json(self, path: str | Path | None = None, *, timing: bool = True, embed_rows: int = 0) -> str:
        """JSON text; with ``path``, also written there. ``Result.from_json`` reads it back.

        timing: leave it out for text that is the same whenever the result is.
        embed_rows: rows of the table that the text may hold, for scatter plots.
        """
        content = self.to_dict(embed_rows=embed_rows)
        if not timing:
            del content["timing"]
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        if path is not None:
            write_text(path, text)
        return text

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Result:
        """Read what ``to_dict`` wrote, also in schemas 1 and 2."""
        if not isinstance(content, Mapping):
            raise InputError(f"this is not a foundcause result: it holds a {type(content).__name__}, not an object")
        if content.get("schema") != "foundcause-result":
            raise InputError("this is not a foundcause result: the key 'schema' is not 'foundcause-result'")
        try:
            content = _current_schema(content)
            if content.get("schema_version") != SCHEMA_VERSION:
                raise InputError(
                    f"the result has schema version {content.get('schema_version')!r}, this foundcause reads up to "
                    f"{SCHEMA_VERSION}; install the version that wrote it"
                )
            preview = content["preview"]
            arrays = {name: np.asarray(content[key], dtype=float) for key, name in _MATRICES.items()}
            return cls(
                names=tuple(content["names"]),
                decoded=Decoded(
                    **{**arrays, "adjacency": arrays["adjacency"].astype(bool)},
                    threshold=float(content["threshold"]),
                    confounding_threshold=float(content["confounding_threshold"]),
                ),
                findings=[Finding.from_dict(finding) for finding in content["findings"]],
                provenance=dict(content["provenance"]),
                timing=dict(content.get("timing", {})),
                column_info=tuple(Column.from_dict(column) for column in content["columns"]),
                knowledge=None if content["knowledge"] is None else Knowledge.from_dict(content["knowledge"]),
                preview=None if preview is None else np.asarray(preview, dtype=float),
                evidence={name: np.asarray(matrix, dtype=float) for name, matrix in content["evidence"].items()},
            )
        except InputError:
            raise
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

    def save(self, folder: str | Path, *, embed_rows: int = 0) -> Path:
        """Write every format into ``folder``: JSON, CSV tables, DOT, GraphML, Mermaid, PNG and the HTML report.

        The files hold no rows of the table unless ``embed_rows`` asks for some, for scatter plots.
        """
        from foundcause.report.export import save

        return save(self, folder, embed_rows=embed_rows)


def _current_schema(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert a result of schema 1 or 2; others stay as they are."""
    if content.get("schema_version") == 1:  # remarks were sentences
        findings = [remark(text).to_dict() for text in content.get("warnings", ())]
        content = {**content, "schema_version": 2, "findings": findings}
    if content.get("schema_version") == 2:
        renamed = {
            "edge_probabilities": "probabilities",
            "existence_probabilities": "existence",
            "confounding_probabilities": "confounding",
            "agreement_matrix": "agreement",
            "confounders": "confounded_pairs",
        }
        content = {renamed.get(key, key): value for key, value in content.items()}
        content |= {"schema_version": 3, "provenance": _provenance_of_settings(content["settings"])}
    return content


def _provenance_of_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance of a result of schema 2, which knew neither digests nor all options."""
    read = {option: settings[option] for option in ("max_rows", "drop", "nominal") if option in settings}
    options = {
        "n_passes": settings.get("n_passes", settings.get("runs")),
        "random_state": settings.get("random_state", settings.get("seed")),
        "threshold": settings.get("threshold"),
        "protocol": settings.get("protocol"),
        "device": settings.get("device"),
        "read": settings.get("read", read),
    }
    sizes = ("source", "rows", "total_rows", "columns", "active_columns", "gaps")
    return {
        "versions": {"foundcause": settings.get("version")},
        "data": {
            **{key: settings.get(key) for key in sizes},
            "n_effective": settings.get("independent_rows", settings.get("rows")),
            "digest": None,
        },
        "weights": {"file": settings.get("checkpoint"), "network": settings.get("network"), "digest": None},
        "options": options,
    }


def _nullable(matrix: np.ndarray) -> list[list[float | None]]:
    """Nested lists with ``None`` for what is not finite, because JSON knows no NaN."""
    return [[float(cell) if np.isfinite(cell) else None for cell in row] for row in matrix]
