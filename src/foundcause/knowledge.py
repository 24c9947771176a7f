"""Background knowledge: statements about columns, checked against each other and turned into masks.

Shapes: D columns. ``[i, j]`` is about the edge from i to j.

Every statement about order (required edges, "a is upstream of b", tiers) becomes an edge of one graph whose nodes are
columns and tiers. The statements contradict each other exactly when that graph has a cycle. Both the check and the
closure take time linear in the number of statements, apart from the size of the answer.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from foundcause.data.names import as_text, several_names
from foundcause.errors import KnowledgeError

Edge = tuple[str, str]
Belief = tuple[str, str, float]
_Node = str | int
"""A column, or the boundary after the tier of that number."""
_EDGE_OPTIONS = ("forbidden", "required", "upstream", "not_upstream", "unconfounded")


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What is known before looking at the data. Contradictions are refused when it is made.

    Columns are named as the table shows them or as a frame calls them. Blanks do not matter, and a name of several
    levels may be a tuple. An edge is a pair of names or "cause -> effect".

    Parameters
    ----------
    tiers : sequence of sequences of str
        Groups of columns in causal order. No path leads from a later tier to an earlier one.
    forbidden : sequence of edges
        Edges that cannot be.
    required : sequence of edges
        Edges that must be.
    forbid_within_tiers : bool
        Whether no edge may join columns of one tier.
    roots : sequence of str
        Columns that nothing causes, in the table or outside it. They share no hidden cause either.
    sinks : sequence of str
        Columns that cause nothing.
    upstream : sequence of edges
        The first causes the second, directly or through other columns.
    not_upstream : sequence of edges
        The first does not cause the second, neither directly nor through other columns.
    unconfounded : sequence of pairs
        Pairs without a hidden common cause.
    beliefs : sequence of (cause, effect, probability)
        How probable an edge is by your judgment alone. 0.5 changes nothing, and 0.9 multiplies its odds by nine.
    columns : sequence of str or None
        Columns of the table. When given, other names are refused before anything else is checked.
    """

    tiers: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[Edge, ...] = ()
    required: tuple[Edge, ...] = ()
    forbid_within_tiers: bool = False
    roots: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    upstream: tuple[Edge, ...] = ()
    not_upstream: tuple[Edge, ...] = ()
    unconfounded: tuple[Edge, ...] = ()
    beliefs: tuple[Belief, ...] = ()
    columns: InitVar[Sequence[str] | None] = None
    _tier_of: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self, columns: Sequence[str] | None) -> None:
        set_ = object.__setattr__
        set_(self, "tiers", tuple(_names(tier, "tiers") for tier in _sequence(self.tiers, "tiers")))
        for option in _EDGE_OPTIONS:
            edges = (_edge(item, option) for item in _sequence(getattr(self, option), option))
            set_(self, option, tuple(dict.fromkeys(edges)))
        set_(self, "beliefs", tuple(_belief(item) for item in _sequence(self.beliefs, "beliefs")))
        for option in ("roots", "sinks"):
            set_(self, option, tuple(dict.fromkeys(_names(getattr(self, option), option))))
        if not isinstance(self.forbid_within_tiers, bool):
            raise KnowledgeError(f"forbid_within_tiers must be true or false, not {self.forbid_within_tiers!r}")
        if columns is not None:
            self.refuse_unknown(columns)
        self._refuse_repeated_tier_members()
        self._refuse_contradicted_edges()
        self._refuse_contradicted_order()

    @classmethod
    def of(cls, source: Knowledge | Mapping[str, Any] | str | Path | None) -> Knowledge | None:
        """Return knowledge from what a user passes: itself, a dictionary, a TOML or JSON file, or None."""
        if source is None or isinstance(source, Knowledge):
            return source
        if isinstance(source, Mapping):
            return cls.from_dict(source)
        if isinstance(source, str | Path):
            return cls.from_file(source)
        raise KnowledgeError(f"knowledge must be a Knowledge, a dictionary or a file, not {type(source).__name__}")

    @classmethod
    def from_dict(cls, items: Mapping[str, Any], columns: Sequence[str] | None = None) -> Knowledge:
        """Return knowledge from a dictionary with the field names as keys.

        Parameters
        ----------
        items : mapping
            What ``to_dict`` gives, or a part of it.
        columns : sequence of str or None
            Columns of the table. When given, other names are refused before anything else is checked.
        """
        known = {f.name for f in fields(cls) if f.init}
        unknown = [str(key) for key in items if key not in known]
        if unknown:
            raise KnowledgeError(f"unknown knowledge item {unknown[0]!r}; the items are {', '.join(sorted(known))}")
        return cls(**{str(key): value for key, value in items.items()}, columns=columns)

    @classmethod
    def from_file(cls, path: str | Path) -> Knowledge:
        """Return the knowledge of an options file: its ``[knowledge]`` part, or the whole file without one."""
        from foundcause.analysis import Analysis

        return Analysis.from_file(path).knowledge or cls()

    def merged(self, other: Knowledge) -> Knowledge:
        """Return both pieces of knowledge together. Tiers may come from one of them only."""
        if self.tiers and other.tiers and self.tiers != other.tiers:
            raise KnowledgeError("tiers are given twice (in the file and by --tier); give them once")
        together = {name: getattr(self, name) + getattr(other, name) for name in (*_EDGE_OPTIONS, "beliefs")}
        return Knowledge(
            tiers=self.tiers or other.tiers,
            forbid_within_tiers=self.forbid_within_tiers or other.forbid_within_tiers,
            roots=self.roots + other.roots,
            sinks=self.sinks + other.sinks,
            **together,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready items. ``Knowledge.from_dict`` reads them back."""
        listed = ("roots", "sinks")
        nested = ("tiers", *_EDGE_OPTIONS, "beliefs")
        return {
            f.name: [list(item) for item in getattr(self, f.name)]
            if f.name in nested
            else list(getattr(self, f.name))
            if f.name in listed
            else getattr(self, f.name)
            for f in fields(self)
            if f.init
        }

    def __bool__(self) -> bool:
        """Whether anything is stated."""
        return self != Knowledge()

    @property
    def names(self) -> tuple[str, ...]:
        """Every column that is spoken of, in order of appearance."""
        mentioned = [*(name for tier in self.tiers for name in tier), *self.roots, *self.sinks]
        mentioned += [name for option in _EDGE_OPTIONS for edge in getattr(self, option) for name in edge]
        mentioned += [name for cause, effect, _ in self.beliefs for name in (cause, effect)]
        return tuple(dict.fromkeys(mentioned))

    def refuse_unknown(self, names: Sequence[str], *, left_out: Collection[str] = ()) -> None:
        """Raise KnowledgeError when a statement names a column that the table does not have.

        Parameters
        ----------
        names : sequence of str
            The D columns of the table.
        left_out : collection of str
            Columns that were dropped, which get a message of their own.
        """
        names, left_out = [as_text(name) for name in names], {as_text(name) for name in left_out}
        present = set(names)
        for name in self.names:
            if name in left_out and name not in present:
                raise KnowledgeError(
                    f"knowledge names {name!r}, which was dropped; keep the column or say nothing of it"
                )
            if name not in present:
                raise KnowledgeError(
                    f"knowledge names {name!r}, which is not a column of the table{_nearest(name, names)}"
                )

    def masks(self, names: Sequence[str], *, left_out: Collection[str] = ()) -> tuple[np.ndarray, np.ndarray]:
        """Return forbidden and required edges as two (D, D) bool arrays.

        What the statements about order imply is forbidden too: when i comes before j, no edge leads from j to i.
        ``left_out`` are dropped columns, as in ``refuse_unknown``.
        """
        names = [as_text(name) for name in names]
        self.refuse_unknown(names, left_out=left_out)
        position = {name: k for k, name in enumerate(names)}
        forbidden = np.zeros((len(names), len(names)), dtype=bool)
        required = np.zeros_like(forbidden)
        if self.forbid_within_tiers:
            tier = self._tiers(names)
            forbidden |= (tier[:, None] >= 0) & (tier[:, None] == tier[None, :])
        for cause, effect in (*self.forbidden, *self.not_upstream):
            forbidden[position[cause], position[effect]] = True
        for name in self.roots:
            forbidden[:, position[name]] = True
        for name in self.sinks:
            forbidden[position[name], :] = True
        for cause, effect in self.required:
            required[position[cause], position[effect]] = True
        forbidden |= self._later(position).T
        np.fill_diagonal(forbidden, True)
        return forbidden, required

    def before(self, names: Sequence[str]) -> np.ndarray:
        """Return (D, D) bool: the tier of i is earlier than that of j, so that no path leads back."""
        tier = self._tiers(names)
        return (tier[:, None] >= 0) & (tier[:, None] < tier[None, :])

    def uncaused(self, names: Sequence[str]) -> np.ndarray:
        """Return (D,) bool: the column is a root, so that it shares no hidden cause with any other."""
        roots = set(self.roots)
        return np.array([as_text(name) in roots for name in names], dtype=bool)

    def pairs(self, option: str, names: Sequence[str]) -> list[tuple[int, int]]:
        """Return the edges of an option, such as "upstream", as positions among ``names``."""
        position = {as_text(name): k for k, name in enumerate(names)}
        return [(position[first], position[second]) for first, second in getattr(self, option)]

    def odds(self, names: Sequence[str]) -> np.ndarray:
        """Return (D, D) factors by which ``beliefs`` multiply the odds of edges, 1 where nothing is believed."""
        position, odds = {as_text(name): k for k, name in enumerate(names)}, np.ones((len(names), len(names)))
        for cause, effect, probability in self.beliefs:
            odds[position[cause], position[effect]] *= probability / (1 - probability)
        return odds

    # ---- checks --------------------------------------------------------------------------------------------------

    def _refuse_repeated_tier_members(self) -> None:
        for k, tier in enumerate(self.tiers):
            for name in tier:
                if name in self._tier_of:
                    tiers = f"in tier {self._tier_of[name] + 1} and in tier {k + 1}"
                    raise KnowledgeError(f"{name!r} stands {tiers}; name it in one of them")
                self._tier_of[name] = k

    def _refuse_contradicted_edges(self) -> None:
        """Required edges and paths against statements about single edges, roots and sinks."""
        forbidden, roots, sinks = set(self.forbidden), set(self.roots), set(self.sinks)
        for option in ("required", "upstream"):
            for cause, effect in getattr(self, option):
                said = _statement(option, (cause, effect))
                if option == "required" and (cause, effect) in forbidden:
                    raise _clash(said, _statement("forbidden", (cause, effect)))
                if effect in roots:
                    raise _clash(said, f"{effect!r} is a root")
                if cause in sinks:
                    raise _clash(said, f"{cause!r} is a sink")
                tier = self._tier_of.get(cause)
                same = tier is not None and tier == self._tier_of.get(effect)
                if option == "required" and same and self.forbid_within_tiers:
                    raise _clash(said, f"edges within tier {(tier or 0) + 1} are forbidden")

    def _refuse_contradicted_order(self) -> None:
        """Statements about order that form a cycle, and paths that are stated and denied."""
        order = self._order()
        if cycle := _find_cycle(order):
            raise _clash(*self._statements_of(cycle))
        if self.not_upstream:
            paths: dict[_Node, list[_Node]] = {}
            for cause, effect in (*self.required, *self.upstream):
                paths.setdefault(cause, []).append(effect)
            bits = {name: k for k, name in enumerate(self.names)}
            reached = _closure(paths, bits)
            for cause, effect in self.not_upstream:
                if reached.get(cause, 0) >> bits[effect] & 1:
                    path = _path(paths, cause, effect)
                    raise _clash(_statement("not_upstream", (cause, effect)), *self._statements_of(path))

    def _order(self) -> dict[_Node, list[_Node]]:
        """The graph of all statements about order: columns, and a boundary after each tier."""
        order: dict[_Node, list[_Node]] = {}
        for cause, effect in (*self.required, *self.upstream):
            order.setdefault(cause, []).append(effect)
        for k, tier in enumerate(self.tiers[:-1]):
            for name in tier:
                order.setdefault(name, []).append(k)
            order[k] = [*self.tiers[k + 1], k + 1]
        return order

    def _statements_of(self, path: Sequence[_Node]) -> Iterator[str]:
        """The statements along a path of the graph of all statements about order."""
        required = set(self.required)
        start: str | None = None
        for k, (first, second) in enumerate(pairwise(path)):
            if isinstance(first, str) and isinstance(second, str):
                option = "required" if (first, second) in required else "upstream"
                yield _statement(option, (first, second))
            elif isinstance(first, str):
                start = start or first
            following = path[k + 2] if k + 2 < len(path) else ""
            if start is not None and isinstance(second, str) and isinstance(following, str):
                earlier, later = self._tier_of[start] + 1, self._tier_of[second] + 1
                yield f"{start!r} (tier {earlier}) comes before {second!r} (tier {later})"
                start = None

    def _later(self, position: Mapping[str, int]) -> np.ndarray:
        """(D, D) bool: by the statements about order, i comes before j."""
        later = np.zeros((len(position), len(position)), dtype=bool)
        for node, reached in _closure(self._order(), position).items():
            if isinstance(node, str) and reached:
                packed = np.frombuffer(reached.to_bytes(len(position) // 8 + 1, "little"), dtype=np.uint8)
                later[position[node]] = np.unpackbits(packed, count=len(position), bitorder="little")
        return later

    def _tiers(self, names: Sequence[str]) -> np.ndarray:
        """(D,) tier of each column, -1 for none."""
        return np.array([self._tier_of.get(as_text(name), -1) for name in names], dtype=int)


def _statement(option: str, edge: Edge) -> str:
    cause, effect = map(repr, edge)
    return {
        "required": f"{cause} -> {effect} is required",
        "forbidden": f"{cause} -> {effect} is forbidden",
        "upstream": f"{cause} is upstream of {effect}",
        "not_upstream": f"{cause} is not upstream of {effect}",
    }[option]


def _clash(*statements: str) -> KnowledgeError:
    """The error that names the statements that contradict each other."""
    shown = (
        [*statements[:5], f"... ({len(statements) - 6} more)", statements[-1]] if len(statements) > 7 else statements
    )
    error = KnowledgeError(f"these statements contradict each other: {'; '.join(shown)}. Remove one of them")
    error.statements = tuple(statements)
    return error


def _find_cycle(graph: Mapping[_Node, Sequence[_Node]]) -> list[_Node]:
    """A cycle as a path from a node to itself, empty without one."""
    finished: set[_Node] = set()
    for start in graph:
        if start in finished:
            continue
        path, on_path, waiting = [start], {start}, [iter(graph[start])]
        while waiting:
            node = next(waiting[-1], None)
            if node is None:
                waiting.pop()
                on_path.discard(path[-1])
                finished.add(path.pop())
            elif node in on_path:
                return [*path[path.index(node) :], node]
            elif node not in finished:
                path.append(node)
                on_path.add(node)
                waiting.append(iter(graph.get(node, ())))
    return []


def _closure(graph: Mapping[_Node, Sequence[_Node]], bits: Mapping[str, int]) -> dict[_Node, int]:
    """For each node of an acyclic graph, the columns that it leads to, as the bits of an integer."""
    reached: dict[_Node, int] = {}
    for start in graph:
        waiting: list[_Node] = [start]
        while waiting:
            node = waiting[-1]
            if node in reached:
                waiting.pop()
            elif missing := [after for after in graph.get(node, ()) if after not in reached]:
                waiting += missing
            else:
                found = 0
                for after in graph.get(node, ()):
                    found |= reached[after] | (1 << bits[after] if isinstance(after, str) else 0)
                reached[waiting.pop()] = found
    return reached


def _path(graph: Mapping[_Node, Sequence[_Node]], start: _Node, end: _Node) -> list[_Node]:
    """A shortest path between two nodes that are known to be connected."""
    came_from: dict[_Node, _Node] = {}
    layer = [start]
    while end not in came_from:
        following = []
        for node in layer:
            for after in graph.get(node, ()):
                if after not in came_from:
                    came_from[after] = node
                    following.append(after)
        layer = following
    path = [end]
    while path[-1] != start or len(path) == 1:
        path.append(came_from[path[-1]])
    return path[::-1]


def parse_edge(text: str, option: str) -> Edge:
    """(cause, effect) from ``"cause -> effect"``."""
    parts = [part.strip() for part in text.split("->")]
    if len(parts) != 2 or not all(parts):
        more = "" if len(parts) < 3 else "; names that hold '->' go into a knowledge file, as [cause, effect]"
        raise KnowledgeError(f"{option}: {text!r} is not an edge; write it as 'cause -> effect'{more}")
    return parts[0], parts[1]


def _edge(item: Any, option: str) -> Edge:
    if isinstance(item, str):
        item = parse_edge(item, option)
    if not (isinstance(item, Sequence) and len(item) == 2):
        raise KnowledgeError(f"{option}: {item!r} is not an edge; write (cause, effect) or 'cause -> effect'")
    cause, effect = map(as_text, item)
    if cause == effect:
        raise KnowledgeError(f"{option}: {cause!r} cannot be its own cause; remove the edge")
    return cause, effect


def _belief(item: Any) -> Belief:
    if isinstance(item, Mapping):
        item = [item.get(key) for key in ("cause", "effect", "probability")]
    if isinstance(item, str) or not (isinstance(item, Sequence) and len(item) == 3):
        raise KnowledgeError(f"beliefs: {item!r} is not a belief; write (cause, effect, probability)")
    cause, effect = _edge(item[:2], "beliefs")
    probability = item[2]
    if isinstance(probability, bool) or not isinstance(probability, int | float) or not 0 < probability < 1:
        raise KnowledgeError(
            f"beliefs: the probability {probability!r} of {cause!r} -> {effect!r} must lie between 0 and 1, both "
            "excluded; what is certain belongs to required or forbidden"
        )
    return cause, effect, float(probability)


def _sequence(items: Any, option: str) -> Iterable[Any]:
    if isinstance(items, str) or not isinstance(items, Iterable):
        example = '[["age"], ["bmi"]]' if option == "tiers" else '[("age", "bmi")]'
        raise KnowledgeError(f"{option} must be a list, such as {example}, not {items!r}")
    return items


def _names(items: Any, option: str) -> tuple[str, ...]:
    if isinstance(items, str) or not isinstance(items, Iterable):
        kind = "hold lists" if option == "tiers" else "be a list"
        raise KnowledgeError(f"{option} must {kind} of column names, such as ['age', 'sex'], not {items!r}")
    return tuple(as_text(name) for name in items)


def _nearest(name: str, names: Sequence[str]) -> str:
    bare = name.strip("\"' ")  # half of a name that was quoted in vain
    whole = [other for other in names if "," in other and bare in map(str.strip, other.split(","))]
    if whole:
        return (
            f"; {whole[0]!r} holds a comma, which --tier splits at: put the name into double quotes, "
            f"--tier '\"{whole[0]}\",...', or give tiers in a knowledge file"
        )
    if several := several_names(name, names):
        return f"; {several}"
    close = difflib.get_close_matches(name, list(names), n=1)
    if close:
        return f" (did you mean {close[0]!r}?)"
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"; the columns are {', '.join(map(repr, list(names)[:12]))}{more}"
