"""Background knowledge: tiers, forbidden and required edges, roots and sinks, checked and turned into masks.

Shapes: D variables; ``[i, j]`` speaks of the edge from i to j.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from foundcause.data.names import as_text, several_names
from foundcause.errors import KnowledgeError

Edge = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What is known before looking at the data; contradictions are refused when it is made.

    tiers: groups of columns in causal order; nothing in a later tier causes anything in an earlier one, neither
        directly nor through columns without a tier.
    forbidden: edges (cause, effect) that cannot be.
    required: edges (cause, effect) that must be.
    forbid_within_tiers: whether no edge may join columns of one tier.
    roots: columns that nothing causes, in the table or outside it, so that they share no hidden cause either.
    sinks: columns that cause nothing.

    Columns are named as the table shows them or as a frame calls them: blanks do not matter, and a name of several
    levels may be a tuple. An edge is a pair of names, so that two plain names are never one of two levels.
    """

    tiers: tuple[tuple[str, ...], ...] = ()
    forbidden: tuple[Edge, ...] = ()
    required: tuple[Edge, ...] = ()
    forbid_within_tiers: bool = False
    roots: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    _tier_of: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "tiers", tuple(_names(tier, "tiers") for tier in _sequence(self.tiers, "tiers")))
        for option in ("forbidden", "required"):
            edges = (_edge(item, option) for item in _sequence(getattr(self, option), option))
            set_(self, option, tuple(dict.fromkeys(edges)))
        for option in ("roots", "sinks"):
            set_(self, option, tuple(dict.fromkeys(_names(getattr(self, option), option))))
        if not isinstance(self.forbid_within_tiers, bool):
            raise KnowledgeError(f"forbid_within_tiers must be true or false, not {self.forbid_within_tiers!r}")
        self._refuse_repeated_tier_members()
        self._refuse_contradictions()
        self._refuse_required_cycle()
        self._refuse_required_paths_against_tiers()

    @classmethod
    def of(cls, source: Knowledge | Mapping[str, Any] | str | Path | None) -> Knowledge | None:
        """Knowledge from whatever a user passes: itself, a dictionary, a TOML or JSON file, or None."""
        if source is None or isinstance(source, Knowledge):
            return source
        if isinstance(source, Mapping):
            return cls.from_dict(source)
        if isinstance(source, str | Path):
            return cls.from_file(source)
        raise KnowledgeError(f"knowledge must be a Knowledge, a dictionary or a file, not {type(source).__name__}")

    @classmethod
    def from_dict(cls, items: Mapping[str, Any]) -> Knowledge:
        """Knowledge from a dictionary with the field names as keys."""
        known = {f.name for f in fields(cls) if f.init}
        unknown = [str(key) for key in items if key not in known]
        if unknown:
            raise KnowledgeError(f"unknown knowledge item {unknown[0]!r}; the items are {', '.join(sorted(known))}")
        return cls(**{str(key): value for key, value in items.items()})

    @classmethod
    def from_file(cls, path: str | Path) -> Knowledge:
        """Knowledge from a TOML file, or a JSON file when its name ends in ``.json``."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")  # some editors mark UTF-8 files
            items = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
        except OSError as error:
            raise KnowledgeError(f"cannot read the knowledge file {str(path)!r}: {error.strerror or error}") from error
        except (ValueError, tomllib.TOMLDecodeError) as error:
            raise KnowledgeError(f"the knowledge file {str(path)!r} is not valid TOML or JSON: {error}") from error
        if not isinstance(items, dict):
            raise KnowledgeError(f"the knowledge file {str(path)!r} must hold a table of items, e.g. forbidden = [...]")
        return cls.from_dict(items)

    def merged(self, other: Knowledge) -> Knowledge:
        """Both pieces of knowledge together; tiers may come from one of them only."""
        if self.tiers and other.tiers and self.tiers != other.tiers:
            raise KnowledgeError("tiers are given twice (in the file and by --tier); give them once")
        return Knowledge(
            tiers=self.tiers or other.tiers,
            forbidden=self.forbidden + other.forbidden,
            required=self.required + other.required,
            forbid_within_tiers=self.forbid_within_tiers or other.forbid_within_tiers,
            roots=self.roots + other.roots,
            sinks=self.sinks + other.sinks,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready items; ``Knowledge.from_dict`` reads them back."""
        return {
            "tiers": [list(tier) for tier in self.tiers],
            "forbidden": [list(edge) for edge in self.forbidden],
            "required": [list(edge) for edge in self.required],
            "forbid_within_tiers": self.forbid_within_tiers,
            "roots": list(self.roots),
            "sinks": list(self.sinks),
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Every column that is spoken of, in order of appearance."""
        mentioned = [*(name for tier in self.tiers for name in tier), *self.roots, *self.sinks]
        mentioned += [name for edge in (*self.forbidden, *self.required) for name in edge]
        return tuple(dict.fromkeys(mentioned))

    def masks(self, names: Sequence[str], *, left_out: Collection[str] = ()) -> tuple[np.ndarray, np.ndarray]:
        """Forbidden and required edges as two (D, D) bool arrays.

        What required edges and tiers imply is forbidden too: when they lead from i to j, nothing leads from j to i.
        left_out: columns that the table had, so that knowledge of them is not taken for a slip of the pen.
        """
        names, left_out = [as_text(name) for name in names], {as_text(name) for name in left_out}
        position = {name: k for k, name in enumerate(names)}
        for name in self.names:
            if name in left_out and name not in position:
                raise KnowledgeError(
                    f"knowledge names {name!r}, which was dropped; keep the column or say nothing of it"
                )
            if name not in position:
                raise KnowledgeError(
                    f"knowledge names {name!r}, which is no column of the table{_nearest(name, names)}"
                )
        forbidden = np.zeros((len(names), len(names)), dtype=bool)
        required = np.zeros_like(forbidden)
        if self.forbid_within_tiers:
            tier = self._tiers(names)
            forbidden |= (tier[:, None] >= 0) & (tier[:, None] == tier[None, :])
        for cause, effect in self.forbidden:
            forbidden[position[cause], position[effect]] = True
        for name in self.roots:
            forbidden[:, position[name]] = True
        for name in self.sinks:
            forbidden[position[name], :] = True
        for cause, effect in self.required:
            required[position[cause], position[effect]] = True
        forbidden |= _leads_to(required, self.before(names)).T
        np.fill_diagonal(forbidden, True)
        return forbidden, required

    def before(self, names: Sequence[str]) -> np.ndarray:
        """(D, D) bool: the tier of i is earlier than that of j, so that no path, however long, may lead back."""
        tier = self._tiers(names)
        return (tier[:, None] >= 0) & (tier[:, None] < tier[None, :])

    def uncaused(self, names: Sequence[str]) -> np.ndarray:
        """(D,) bool: the column is a root, so that it shares no hidden cause with any other."""
        return np.array([as_text(name) in self.roots for name in names], dtype=bool)

    def _tiers(self, names: Sequence[str]) -> np.ndarray:
        """(D,) tier of each column, -1 for none."""
        return np.array([self._tier_of.get(as_text(name), -1) for name in names], dtype=int)

    def _refuse_repeated_tier_members(self) -> None:
        for k, tier in enumerate(self.tiers):
            for name in tier:
                if name in self._tier_of:
                    tiers = f"in tier {self._tier_of[name] + 1} and in tier {k + 1}"
                    raise KnowledgeError(f"{name!r} stands {tiers}; name it in one of them")
                self._tier_of[name] = k

    def _refuse_contradictions(self) -> None:
        forbidden, roots, sinks = set(self.forbidden), set(self.roots), set(self.sinks)
        for cause, effect in self.required:
            edge = f"the required edge {cause!r} -> {effect!r}"
            if (cause, effect) in forbidden:
                raise KnowledgeError(f"{edge} is also forbidden; remove one of the two")
            if effect in roots:
                raise KnowledgeError(f"{edge} points into the root {effect!r}; remove one of the two")
            if cause in sinks:
                raise KnowledgeError(f"{edge} leaves the sink {cause!r}; remove one of the two")
            if cause in self._tier_of and effect in self._tier_of:
                first, second = self._tier_of[cause], self._tier_of[effect]
                if first > second:
                    back = f"goes from tier {first + 1} back to tier {second + 1}"
                    raise KnowledgeError(f"{edge} {back}; remove it, or change the tiers")
                if first == second and self.forbid_within_tiers:
                    raise KnowledgeError(
                        f"{edge} lies within tier {first + 1}, where edges are forbidden; remove it, or "
                        "forbid_within_tiers"
                    )

    def _required_effects(self) -> dict[str, list[str]]:
        effects: dict[str, list[str]] = {}
        for cause, effect in self.required:
            effects.setdefault(cause, []).append(effect)
        return effects

    def _refuse_required_paths_against_tiers(self) -> None:
        effects = self._required_effects()
        for start in (name for name in effects if name in self._tier_of):
            paths, waiting = {start: repr(start)}, [start]
            while waiting:
                name = waiting.pop()
                if self._tier_of.get(name, len(self.tiers)) < self._tier_of[start]:
                    raise KnowledgeError(
                        f"the required edges {paths[name]} lead from tier {self._tier_of[start] + 1} back to "
                        f"tier {self._tier_of[name] + 1}; remove one of them"
                    )
                for effect in effects.get(name, ()):
                    if effect not in paths:
                        paths[effect] = f"{paths[name]} -> {effect!r}"
                        waiting.append(effect)

    def _refuse_required_cycle(self) -> None:
        effects = self._required_effects()
        finished: set[str] = set()
        for start in effects:
            path: list[str] = []
            stack: list[tuple[str, int]] = [(start, 0)]
            while stack:
                name, depth = stack.pop()
                for left in path[depth:]:
                    finished.add(left)
                del path[depth:]
                if name in path:
                    cycle = " -> ".join(repr(node) for node in [*path[path.index(name) :], name])
                    raise KnowledgeError(f"the required edges form a cycle: {cycle}; remove one of them")
                if name in finished:
                    continue
                path.append(name)
                stack.extend((effect, depth + 1) for effect in effects.get(name, ()))
            finished.update(path)


def parse_edge(text: str, option: str) -> Edge:
    """(cause, effect) from ``"cause -> effect"``."""
    parts = [part.strip() for part in text.split("->")]
    if len(parts) != 2 or not all(parts):
        more = "" if len(parts) < 3 else "; names that hold '->' go into a knowledge file, as [cause, effect]"
        raise KnowledgeError(f"{option}: {text!r} is no edge; write it as 'cause -> effect'{more}")
    return parts[0], parts[1]


def _edge(item: Any, option: str) -> Edge:
    if isinstance(item, str):
        item = parse_edge(item, option)
    if not (isinstance(item, Sequence) and len(item) == 2):
        raise KnowledgeError(f"{option}: {item!r} is no edge; write (cause, effect) or 'cause -> effect'")
    cause, effect = map(as_text, item)
    if cause == effect:
        raise KnowledgeError(f"{option}: {cause!r} cannot be its own cause; remove the edge")
    return cause, effect


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


def _leads_to(required: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(D, D) bool: required edges and steps to a later tier lead from i to j."""
    reach = required | before
    # Two steps from tier to tier are one step: between any others lies the end of a required edge.
    for k in np.flatnonzero(required.any(axis=0) | required.any(axis=1)):
        reach |= reach[:, k, None] & reach[None, k, :]
    return reach


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
