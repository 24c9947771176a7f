"""From a model to a scene: the arrays that components fill column by column. V nodes in causal order, N rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from foundcause.simulate.hidden_causes import SharedNoise
from foundcause.simulate.task import Scene

INTERVENTIONS = ("set", "randomize", "shift")


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Experiments pooled into one table. Each has one target.

    targets: for each target node the rows (N,) bool of its experiment and its kind.
    """

    targets: dict[int, tuple[np.ndarray, str]] = field(default_factory=dict)

    def apply(self, rng: np.random.Generator, node: int, values_N: np.ndarray, discrete: bool) -> np.ndarray:
        """(N,) values of the node, those of its experiment cut off from (or shifted against) its causes."""
        if node not in self.targets:
            return values_N
        rows, kind = self.targets[node]
        changed = values_N.copy()
        if kind == "set":
            changed[rows] = rng.choice(values_N)
        elif kind == "randomize" or discrete:
            changed[rows] = rng.choice(values_N, size=int(rows.sum()))
        else:
            changed[rows] += np.float32(rng.choice((-1.0, 1.0)) * rng.uniform(1.0, 4.0)) * values_N.std()
        return changed


def draw_conditions(rng: np.random.Generator, nodes: int, rows: int, count: int) -> Conditions:
    """``count`` conditions: the first is left alone, each other one has a target of its own."""
    which = rng.integers(count, size=rows)
    chosen = rng.permutation(nodes)[: count - 1].tolist()
    kinds = rng.integers(len(INTERVENTIONS), size=len(chosen)).tolist()
    return Conditions(
        targets={node: (which == k + 1, INTERVENTIONS[kinds[k]]) for k, node in enumerate(chosen)},
    )


@dataclass(frozen=True, kw_only=True)
class Blueprint:
    """A model to be sampled.

    graph: (V, V) bool, strictly upper triangular.
    hidden: (V,) bool.
    shared: correlated exogenous noise.
    conditions: experiments, if any.
    rows: N.
    """

    graph: np.ndarray
    hidden: np.ndarray
    shared: SharedNoise
    conditions: Conditions
    rows: int


class Samples:
    """Values drawn so far, and which families made them."""

    def __init__(self, nodes: int, rows: int) -> None:
        self.values_VN = np.empty((nodes, rows), dtype=np.float32)
        self.discrete = np.zeros(nodes, dtype=bool)
        self.mechanisms: Counter[str] = Counter()
        self.noises: Counter[str] = Counter()
        self.roots: Counter[str] = Counter()

    def scene(self, blueprint: Blueprint, **record: object) -> Scene:
        """Everything as a scene of the first N rows."""
        return Scene(
            values=self.values_VN.T[: blueprint.rows],
            graph=blueprint.graph,
            hidden=blueprint.hidden,
            confounded=blueprint.shared.confounded,
            discrete=self.discrete,
            record={
                **record,
                "latents": int(blueprint.hidden.sum()),
                "correlated_noise": bool(blueprint.shared.parts),
                "mechanisms": dict(self.mechanisms),
                "noises": dict(self.noises),
                "roots": dict(self.roots),
            },
        )


class Builder:
    """Collects columns in a causal order and turns them into the arrays of a scene."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._columns: list[np.ndarray] = []
        self._parents: list[list[int]] = []
        self._hidden: list[bool] = []
        self._discrete: list[bool] = []

    def __len__(self) -> int:
        """How many columns the table will show."""
        return len(self._hidden) - sum(self._hidden)

    def add(self, column: np.ndarray, parents: list[int], *, hidden: bool = False, discrete: bool = False) -> int:
        """Append a column caused by earlier ones. Its number is returned."""
        self._columns.append(column)
        self._parents.append(parents)
        self._hidden.append(bool(hidden))
        self._discrete.append(bool(discrete))
        return len(self._columns) - 1

    def column(self, node: int) -> np.ndarray:
        """The column of a node, (N,)."""
        return self._columns[node]

    def assemble(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """values (N, V), graph (V, V), hidden (V,), discrete (V,)."""
        nodes = len(self._columns)
        graph = np.zeros((nodes, nodes), dtype=bool)
        for child, parents in enumerate(self._parents):
            graph[parents, child] = True
        values = np.stack(self._columns, axis=1).astype(np.float64)
        return values, graph, np.array(self._hidden), np.array(self._discrete)

    def scene(self, **record: object) -> Scene:
        """All columns as a scene with a record."""
        values, graph, hidden, discrete = self.assemble()
        confounded = np.zeros_like(graph)
        return Scene(
            values=values, graph=graph, hidden=hidden, confounded=confounded, discrete=discrete, record=dict(record)
        )
