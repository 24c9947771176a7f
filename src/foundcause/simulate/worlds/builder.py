"""Scenes built column by column. N rows, V nodes."""

from __future__ import annotations

import numpy as np

from foundcause.simulate.task import Scene


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
        """Append a column caused by earlier ones; its number is returned."""
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
        """All columns as a scene, and what is to be remembered of it."""
        values, graph, hidden, discrete = self.assemble()
        confounded = np.zeros_like(graph)
        return Scene(
            values=values, graph=graph, hidden=hidden, confounded=confounded, discrete=discrete, record=dict(record)
        )
