"""A set of sampled graphs and what can be asked of it.

Shapes: n graphs, D columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from foundcause.effects.separation import adjustment_sets, blocks_back_doors, reachability
from foundcause.errors import InputError

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

_CERTAIN = 0.9  # share of graphs that settles a mark of the PAG


@dataclass(frozen=True, kw_only=True, eq=False)
class SampledGraphs:
    """Graphs drawn from the uncertainty of a result.

    Parameters
    ----------
    columns : tuple of str
        Names of the D columns.
    directed : ndarray of shape (n, D, D), bool
        Acyclic graphs, ``[g, i, j]`` is the edge from i to j.
    confounded : ndarray of shape (n, D, D), bool
        Symmetric pairs with a hidden common cause.
    """

    columns: tuple[str, ...]
    directed: np.ndarray
    confounded: np.ndarray

    def __len__(self) -> int:
        return len(self.directed)

    def __repr__(self) -> str:
        return f"SampledGraphs({len(self)} graphs of {len(self.columns)} columns)"

    def __iter__(self) -> Iterator[nx.DiGraph]:
        """Yield networkx graphs; confounded pairs are in ``graph.graph["confounded_pairs"]``."""
        import networkx as nx

        for edges, pairs in zip(self.directed, self.confounded, strict=True):
            graph = nx.DiGraph(confounded_pairs=[self._names(pair) for pair in np.argwhere(np.triu(pairs))])
            graph.add_nodes_from(self.columns)
            graph.add_edges_from(self._names(edge) for edge in np.argwhere(edges))
            yield graph

    @cached_property
    def ancestors(self) -> np.ndarray:
        """(n, D, D) whether i is an ancestor of j."""
        return reachability(self.directed)

    # ---- questions -----------------------------------------------------------------------------------------------

    def edge_probabilities(self) -> pd.DataFrame:
        """Return the share of graphs with each edge."""
        return self._labelled(self.directed.mean(axis=0))

    def ancestor_probabilities(self) -> pd.DataFrame:
        """Return the share of graphs in which the row is a direct or indirect cause of the column."""
        return self._labelled(self.ancestors.mean(axis=0))

    def ancestor(self, cause: str, effect: str) -> float:
        """Return the probability that one column is a direct or indirect cause of another."""
        return float(self.ancestors[:, self.index(cause), self.index(effect)].mean())

    def path_through(self, cause: str, via: str, effect: str) -> float:
        """Return the probability that a directed path from cause to effect runs through a third column."""
        i, k, j = self.index(cause), self.index(via), self.index(effect)
        return float((self.ancestors[:, i, k] & self.ancestors[:, k, j]).mean())

    def blocks_back_doors(self, treatment: str, outcome: str, adjustment: Iterable[str]) -> float:
        """Return the probability that a set of columns meets the back-door criterion.

        Parameters
        ----------
        treatment, outcome : str
            Columns.
        adjustment : iterable of str
            Columns to adjust for.

        Returns
        -------
        float
            Share of graphs in which the set blocks all back-door paths and holds no descendant of the treatment.
        """
        mask = np.isin(np.arange(len(self.columns)), [self.index(name) for name in adjustment])
        x, y = self.index(treatment), self.index(outcome)
        return float(blocks_back_doors(self.directed, self.confounded, x, y, mask).mean())

    def adjustment_sets(
        self, treatment: str, outcome: str, *, usable: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return sets, identified and causal of each graph; see ``separation.adjustment_sets``."""
        x, y = self.index(treatment), self.index(outcome)
        if x == y:
            raise InputError(f"treatment and outcome are both {treatment!r}; choose two columns")
        return adjustment_sets(self.directed, self.confounded, x, y, usable=usable)

    # ---- exports -------------------------------------------------------------------------------------------------

    def pag(self, *, adjacent: float = 0.5, certain: float = _CERTAIN) -> nx.DiGraph:
        """Return a partial ancestral graph whose marks are those that the samples agree about.

        Parameters
        ----------
        adjacent : float, default=0.5
            Share of graphs in which two columns must be joined.
        certain : float, default=0.9
            Share of these graphs that must agree about a mark. The mark is a circle otherwise.

        Returns
        -------
        networkx.DiGraph
            Both directions of each joined pair. ``mark`` of the edge (i, j) is the mark at j: ``">"``, ``"-"``
            or ``"o"``.
        """
        import networkx as nx

        joined = self.directed | np.swapaxes(self.directed, 1, 2) | self.confounded
        share = joined.mean(axis=0)
        heads = (self.directed | self.confounded).mean(axis=0)  # arrowheads at j
        graph = nx.DiGraph()
        graph.add_nodes_from(self.columns)
        for i, j in np.argwhere(share >= adjacent):
            arrow = heads[i, j] / share[i, j]
            mark = ">" if arrow >= certain else "-" if arrow <= 1 - certain else "o"
            graph.add_edge(self.columns[i], self.columns[j], mark=mark, probability=float(share[i, j]))
        return graph

    def to_causallearn_pag(self, *, adjacent: float = 0.5, certain: float = _CERTAIN) -> object:
        """Return the PAG as a causal-learn ``GeneralGraph``."""
        from causallearn.graph.Edge import Edge
        from causallearn.graph.Endpoint import Endpoint
        from causallearn.graph.GeneralGraph import GeneralGraph
        from causallearn.graph.GraphNode import GraphNode

        ends = {">": Endpoint.ARROW, "-": Endpoint.TAIL, "o": Endpoint.CIRCLE}
        marks = self.pag(adjacent=adjacent, certain=certain)
        nodes = {name: GraphNode(name) for name in self.columns}
        graph = GeneralGraph(list(nodes.values()))
        for first, second, data in marks.edges(data=True):
            if self.index(first) < self.index(second):
                at_first = ends[marks.edges[second, first]["mark"]]
                graph.add_edge(Edge(nodes[first], nodes[second], at_first, ends[data["mark"]]))
        return graph

    def index(self, name: str) -> int:
        """Return the position of a column."""
        try:
            return self.columns.index(name)
        except ValueError:
            raise InputError(f"{name!r} is not a column of these graphs; choose one of {self.columns[:20]}") from None

    def _names(self, pair: np.ndarray) -> tuple[str, str]:
        return self.columns[pair[0]], self.columns[pair[1]]

    def _labelled(self, matrix: np.ndarray) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(matrix, index=list(self.columns), columns=list(self.columns))
