"""The one registry of statistics: name, symmetry and meaning of every number that a network may read of a pair.

A block is a function that computes one or more statistics of a table. It is registered where it is defined:

    @register("extended", Statistic("spearman", "symmetric", "dependence", "correlation of average ranks"))
    def rank_correlation(table: TableState) -> dict[str, Tensor]: ...

A directed statistic becomes two features, the matrix and its transpose. A marginal one becomes two as well, of the
cause and of the effect. A network reads the features that the header of its weights names, in that order, so that
registering another statistic changes no network. Importing this module does not import torch.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, TypeVar

from foundcause.errors import ConfigError

Kind = Literal["symmetric", "antisymmetric", "directed", "marginal", "size"]
Symmetry = Literal["symmetric", "antisymmetric", "directed"]
Group = Literal["dependence", "direction", "collider", "reliability"]
Function = TypeVar("Function", bound=Callable[..., Any])

BUILT_IN: dict[str, tuple[str, ...]] = {
    "release": ("foundcause.paper.released_statistics",),
    "paper": ("foundcause.paper.statistics",),
    "extended": (
        "foundcause.features.correlations",
        "foundcause.features.parent_sets",
        "foundcause.features.contingency",
        "foundcause.features.conditional_moments",
        "foundcause.features.nonlinear",
        "foundcause.features.contingency:entropic_noise",
        "foundcause.features.regressions",
        "foundcause.features.curves",
        "foundcause.features.parent_sets:table_scores",
    ),
    "peeled": ("foundcause.features.residual_order",),
    "sparsest": ("foundcause.features.sparsest_order",),
    "lagged": ("foundcause.features.series",),
}
"""The modules of each set, imported when one of its features is asked for, and a few of their blocks by name.

Their order is that of the set."""


@dataclass(frozen=True)
class Statistic:
    """What a block computes under one name.

    kind: ``symmetric``, ``antisymmetric`` and ``directed`` ones are (D, D) matrices, ``marginal`` ones (D,) vectors,
        ``size`` ones scalars of the whole table.
    group: what it is about. Feature dropout in training acts on ``direction`` and ``collider``.
    meaning: its formula.
    """

    name: str
    kind: Kind
    group: Group
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One number for an ordered pair (i, j).

    symmetry: ``symmetric`` (s_ij = s_ji), ``antisymmetric`` (s_ij = -s_ji) or ``directed``
        (s_ij of this feature equals s_ji of its ``partner``).
    """

    name: str
    symmetry: Symmetry
    group: Group
    formula: str
    partner: str | None = None


@dataclass(frozen=True)
class FeatureSet:
    """An ordered list of features with the index lists that networks need."""

    name: str
    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        names = [feature.name for feature in self.features]
        if len(set(names)) != len(names):
            raise ValueError(f"feature set {self.name!r} repeats a name")
        for feature in self.features:
            if (feature.partner is not None) != (feature.symmetry == "directed"):
                raise ValueError(f"feature {feature.name!r}: directed features, and only those, have a partner")
            if feature.partner is not None and self[feature.partner].partner != feature.name:
                raise ValueError(f"feature {feature.name!r} is not the partner of its partner {feature.partner!r}")

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, name: str) -> Feature:
        return self.features[self.index(name)]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names in order."""
        return tuple(feature.name for feature in self.features)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.names)}

    def index(self, name: str) -> int:
        """Position of a feature by name."""
        return self._positions[name]

    @cached_property
    def symmetric(self) -> tuple[int, ...]:
        """Positions of symmetric features of dependence or colliders (not the reliability metadata)."""
        return tuple(k for k, f in enumerate(self.features) if f.symmetry == "symmetric" and f.group != "reliability")

    @cached_property
    def differences(self) -> tuple[tuple[int, int], ...]:
        """Directed pairs (a, b), a before b: ``s[a] - s[b]`` is antisymmetric."""
        return tuple(
            (k, self.index(f.partner))
            for k, f in enumerate(self.features)
            if f.partner is not None and k < self.index(f.partner)
        )

    @cached_property
    def antisymmetric(self) -> tuple[int, ...]:
        """Positions of features that are antisymmetric already."""
        return tuple(k for k, f in enumerate(self.features) if f.symmetry == "antisymmetric")

    @cached_property
    def droppable(self) -> tuple[tuple[int, ...], ...]:
        """Groups of positions that feature dropout hides together: direction and collider features and partners."""
        groups: list[tuple[int, ...]] = []
        for k, f in enumerate(self.features):
            if f.group not in ("direction", "collider"):
                continue
            partner = self.index(f.partner) if f.partner is not None else None
            if partner is None:
                groups.append((k,))
            elif k < partner:
                groups.append((k, partner))
        return tuple(groups)


@dataclass(frozen=True, eq=False)
class Block:
    """A registered function and what it computes.

    features: names that the set offers. statistics: what the function returns by name, or None where it returns all
        features (D, D, F) itself.
    """

    set: str
    features: tuple[Feature, ...]
    statistics: tuple[Statistic, ...] | None
    function: Callable[..., Any]


_blocks: list[Block] = []
_changes = 0


def register(set_name: str, *statistics: Statistic) -> Callable[[Function], Function]:
    """Register a block of statistics under the name of a set; a decorator.

    The function takes a :class:`foundcause.features.standardize.TableState` and returns the values of all
    ``statistics`` by name.
    """
    return _register(set_name, features_of(statistics), statistics)


def register_set(set_name: str, features: Sequence[Feature]) -> Callable[[Function], Function]:
    """Register a function that computes all features (D, D, F) of a set at once; a decorator.

    The function takes a :class:`foundcause.features.pairwise.Task` and the positions of the features that are wanted.
    """
    return _register(set_name, tuple(features), None)


def _register(
    set_name: str, features: tuple[Feature, ...], statistics: tuple[Statistic, ...] | None
) -> Callable[[Function], Function]:
    def keep(function: Function) -> Function:
        taken = {feature.name for block in _blocks for feature in block.features}
        if again := [feature.name for feature in features if feature.name in taken]:
            raise ValueError(f"a statistic named {again[0]!r} is registered already")
        _blocks.append(Block(set_name, features, statistics, function))
        _count_change()
        return function

    return keep


def unregister(function: Callable[..., Any]) -> None:
    """Take a block out of the registry again, as tests do."""
    _blocks[:] = [block for block in _blocks if block.function is not function]
    _count_change()


def version() -> int:
    """A number that grows with every change of the registry, for caches."""
    return _changes


def _count_change() -> None:
    global _changes
    _changes += 1


def set_names() -> tuple[str, ...]:
    """Names of all sets."""
    return tuple(dict.fromkeys([*BUILT_IN, *(block.set for block in _blocks)]))


def blocks_of(set_name: str) -> list[Block]:
    """The blocks of a set in order."""
    homes = BUILT_IN.get(set_name, ())
    for home in homes:
        importlib.import_module(home.partition(":")[0])
    found = [block for block in _blocks if block.set == set_name]
    if not found:
        raise ConfigError(f"unknown feature set {set_name!r}; choose from {', '.join(set_names())} or join them by '+'")
    return sorted(found, key=lambda block: _place(block.function, homes))


def _place(function: Callable[..., Any], homes: Sequence[str]) -> int:
    """Where a function stands among the homes of a set; functions registered elsewhere come last."""
    for address in (f"{function.__module__}:{function.__name__}", function.__module__):
        if address in homes:
            return homes.index(address)
    return len(homes)


def feature_set(features: str | Iterable[str], *, label: str = "selection") -> FeatureSet:
    """Look up features: those of a set, of several joined by '+' as in ``paper+extended``, or single ones by name.

    Parameters
    ----------
    features : str or iterable of str
        Name of sets, or names of features. A directed feature comes with its partner.
    label : str, default="selection"
        Name of a set made of single features.
    """
    if isinstance(features, str):
        parts = tuple(part.strip() for part in features.split("+"))
        for part in parts:
            blocks_of(part)  # what importing a module registers counts as a change
        return _joined(parts, _changes)
    names = tuple(features)
    known = {name: owner.feature for name, owner in owners(names).items()}
    lonely = [name for name in names if (known[name].partner or name) not in names]
    if lonely:
        raise ConfigError(f"feature {lonely[0]!r} needs its partner {known[lonely[0]].partner!r} in the selection")
    return FeatureSet(label, tuple(known[name] for name in names))


@lru_cache(maxsize=32)
def _joined(sets: tuple[str, ...], _registered: int) -> FeatureSet:
    return FeatureSet("+".join(sets), tuple(f for name in sets for b in blocks_of(name) for f in b.features))


@dataclass(frozen=True)
class Owner:
    """The block that computes a feature, and the position of the feature in it."""

    block: Block
    position: int

    @property
    def feature(self) -> Feature:
        """The feature itself."""
        return self.block.features[self.position]


def owners(names: Iterable[str]) -> dict[str, Owner]:
    """The block behind each feature; only modules that may hold one of them are imported."""
    wanted = list(names)
    found: dict[str, Owner] = {}
    for set_name in set_names():
        prefixed = [name for name in wanted if name.startswith(f"{set_name}.")]
        if set_name in ("release", "paper") and not prefixed:
            continue
        if set_name in ("release", "paper") or any(name not in found for name in wanted):
            for block in blocks_of(set_name):
                found |= {feature.name: Owner(block, k) for k, feature in enumerate(block.features)}
    if unknown := [name for name in wanted if name not in found]:
        raise ConfigError(f"unknown feature {unknown[0]!r}; docs/statistics.md lists the names")
    return {name: found[name] for name in wanted}


def features_of(statistics: Sequence[Statistic]) -> tuple[Feature, ...]:
    """The features that statistics become, in order."""
    features: list[Feature] = []
    for s in statistics:
        if s.kind == "directed" or s.kind == "marginal":
            ends = ("forward", "backward") if s.kind == "directed" else ("cause", "effect")
            notes = ("", " (of the reversed pair)") if s.kind == "directed" else (" (of i)", " (of j)")
            for own, other in ((0, 1), (1, 0)):
                features.append(
                    Feature(
                        name=f"{s.name}_{ends[own]}",
                        symmetry="directed",
                        group=s.group,
                        formula=s.meaning + notes[own],
                        partner=f"{s.name}_{ends[other]}",
                    )
                )
        else:
            symmetry: Symmetry = "antisymmetric" if s.kind == "antisymmetric" else "symmetric"
            features.append(Feature(name=s.name, symmetry=symmetry, group=s.group, formula=s.meaning))
    return tuple(features)


def markdown_table(features: Sequence[Feature]) -> str:
    """A documentation table of the features; bars within formulas are escaped, they would end a cell."""
    lines = ["| # | feature | symmetry | group | formula |", "|---|---|---|---|---|"]
    for k, f in enumerate(features):
        symmetry = f"{f.symmetry} (partner {f.partner})" if f.partner else f.symmetry
        formula = f.formula.replace("|", r"\|")
        lines.append(f"| {k} | {f.name} | {symmetry} | {f.group} | {formula} |")
    return "\n".join(lines) + "\n"
