"""Names, groups and formulas of every pairwise feature: networks take sizes from here, documents their tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Kind = Literal["symmetric", "antisymmetric", "directed", "marginal", "size"]
Symmetry = Literal["symmetric", "antisymmetric", "directed"]
Group = Literal["dependence", "direction", "collider", "reliability"]


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One number for an ordered pair (i, j).

    symmetry: ``symmetric`` (s_ij = s_ji), ``antisymmetric`` (s_ij = -s_ji) or ``directed``
        (s_ij of this feature equals s_ji of its ``partner``).
    group: what it speaks of; feature dropout in training acts on ``direction`` and ``collider``.
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

    def __add__(self, other: FeatureSet) -> FeatureSet:
        return FeatureSet(f"{self.name}+{other.name}", self.features + other.features)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {feature.name: k for k, feature in enumerate(self.features)}

    def index(self, name: str) -> int:
        """Position of a feature by name."""
        return self._positions[name]

    @cached_property
    def symmetric(self) -> tuple[int, ...]:
        """Positions of symmetric features that speak of dependence or colliders (not the reliability metadata)."""
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
        """Positions of features that are antisymmetric as they stand."""
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


@dataclass(frozen=True)
class Quantity:
    """What one block computes under one name.

    kind: ``symmetric``, ``antisymmetric`` and ``directed`` quantities are (D, D) matrices with an empty diagonal,
        ``marginal`` ones (D,) vectors, ``size`` ones scalars of the whole table.
    """

    name: str
    kind: Kind
    group: Group
    formula: str


def features_of(quantities: Sequence[Quantity]) -> tuple[Feature, ...]:
    """The features that the quantities become, in the order of :func:`assemble`."""
    features: list[Feature] = []
    for q in quantities:
        if q.kind == "directed" or q.kind == "marginal":
            ends = ("forward", "backward") if q.kind == "directed" else ("cause", "effect")
            notes = ("", " (of the reversed pair)") if q.kind == "directed" else (" (of i)", " (of j)")
            for own, other, note in ((0, 1, notes[0]), (1, 0, notes[1])):
                features.append(
                    Feature(
                        name=f"{q.name}_{ends[own]}",
                        symmetry="directed",
                        group=q.group,
                        formula=q.formula + note,
                        partner=f"{q.name}_{ends[other]}",
                    )
                )
        else:
            symmetry: Literal["symmetric", "antisymmetric"] = (
                "antisymmetric" if q.kind == "antisymmetric" else "symmetric"
            )
            features.append(Feature(name=q.name, symmetry=symmetry, group=q.group, formula=q.formula))
    return tuple(features)


def markdown_table(features: Sequence[Feature]) -> str:
    """A documentation table of the features; bars within formulas are escaped, they would end a cell."""
    lines = ["| # | feature | symmetry | group | formula |", "|---|---|---|---|---|"]
    for k, f in enumerate(features):
        symmetry = f"{f.symmetry} (partner {f.partner})" if f.partner else f.symmetry
        formula = f.formula.replace("|", r"\|")
        lines.append(f"| {k} | {f.name} | {symmetry} | {f.group} | {formula} |")
    return "\n".join(lines) + "\n"
