"""Discrete Bayesian networks: reading the interchange format and sampling. Shape letters: N rows, D variables."""

from __future__ import annotations

import gzip
import itertools
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import networkx as nx
import numpy as np

from foundcause.errors import InputError

_VARIABLE = re.compile(r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*\d+\s*\]\s*\{([^}]*)\}", re.S)
_PROBABILITY = re.compile(r"probability\s*\(\s*([^)|\s]+)\s*(?:\|\s*([^)]*))?\)\s*\{(.*?)\}", re.S)
_ROW = re.compile(r"\(([^)]*)\)\s*([^;]*);")
_TABLE = re.compile(r"table\s+([^;]*);")


@dataclass(frozen=True, kw_only=True)
class DiscreteNetwork:
    """A Bayesian network over categories."""

    names: tuple[str, ...]
    """D variables, in the order of the file."""
    states: tuple[tuple[str, ...], ...]
    """The states of each variable; a sample holds their positions."""
    parents: tuple[tuple[int, ...], ...]
    """Positions of each variable's parents."""
    tables: tuple[np.ndarray, ...]
    """Per variable: probabilities with one axis per parent and the variable's own axis last."""

    @property
    def adjacency(self) -> np.ndarray:
        """(D, D) bool."""
        matrix = np.zeros((len(self.names), len(self.names)), dtype=bool)
        for child, parents in enumerate(self.parents):
            matrix[list(parents), child] = True
        return matrix

    def sample(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """(N, D) state positions drawn in causal order."""
        values = np.zeros((rows, len(self.names)), dtype=np.int64)
        order: list[int] = list(nx.topological_sort(nx.DiGraph(self.adjacency)))
        for child in order:
            table = self.tables[child]
            row = table[tuple(values[:, p] for p in self.parents[child])] if self.parents[child] else table[None, :]
            cumulative = np.cumsum(np.broadcast_to(row, (rows, table.shape[-1])), axis=1)
            # the last column is left out: it is 1 up to rounding, and a draw above it would be no state at all
            values[:, child] = (rng.random(rows)[:, None] >= cumulative[:, :-1]).sum(axis=1)
        return values


@cache
def read(path: Path) -> DiscreteNetwork:
    """The network of a (gzipped) BIF file."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    found = {name: tuple(state.strip() for state in listed.split(",")) for name, listed in _VARIABLE.findall(text)}
    names = tuple(found)
    states = tuple(found.values())
    position = {name: k for k, name in enumerate(names)}
    parents: list[tuple[int, ...]] = [()] * len(names)
    tables: list[np.ndarray | None] = [None] * len(names)
    for child_name, listed, body in _PROBABILITY.findall(text):
        child = position[child_name]
        parents[child] = tuple(position[p.strip()] for p in listed.split(",")) if listed.strip() else ()
        tables[child] = _table(child, parents[child], states, body)
    unset = [names[k] for k, table in enumerate(tables) if table is None]
    if not names or unset:
        raise InputError(f"{path.name}: no probabilities for {', '.join(unset) or 'any variable'}")
    return DiscreteNetwork(
        names=names, states=states, parents=tuple(parents), tables=tuple(t for t in tables if t is not None)
    )


def _table(child: int, parents: tuple[int, ...], states: tuple[tuple[str, ...], ...], body: str) -> np.ndarray:
    shape = [len(states[p]) for p in parents] + [len(states[child])]
    table = np.full(shape, np.nan)
    whole = _TABLE.search(body)
    if whole:
        table = np.array([float(x) for x in whole.group(1).split(",")]).reshape(shape)
    for listed, numbers in _ROW.findall(body):
        keys = [key.strip() for key in listed.split(",")]
        at = tuple(states[p].index(key) for p, key in zip(parents, keys, strict=True))
        table[at] = [float(x) for x in numbers.split(",")]
    for at in itertools.product(*(range(n) for n in shape[:-1])):
        total = table[at].sum()
        if not abs(total - 1) < 0.02:
            raise InputError(f"probabilities of one variable sum to {total}")
        table[at] /= total  # files print few digits
    return table
