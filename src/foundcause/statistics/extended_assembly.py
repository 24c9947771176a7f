"""How the extended features are declared and laid out: a block names quantities, the layout makes features of them.

D variables, F features. A *quantity* is what a block computes; a directed quantity becomes two features (its matrix and
the transpose), a marginal one becomes two as well (of the cause i and of the effect j). Symmetry is thus exact by
construction and a block never computes a transposed matrix twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from foundcause.statistics.registry import Feature, Group

Kind = Literal["symmetric", "antisymmetric", "directed", "marginal", "size"]


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


def assemble(quantities: Sequence[Quantity], values: Mapping[str, Tensor], variables: int) -> Tensor:
    """(D, D, F) float32 of the quantities' values; non-finite numbers become 0 and all are limited to [-8, 8]."""
    D = variables
    width = sum(2 if q.kind in ("directed", "marginal") else 1 for q in quantities)
    out_FDD = torch.empty(width, D, D)
    pair_rows: list[int] = []
    at = 0
    for q in quantities:
        value = values[q.name]
        if q.kind == "marginal":
            out_FDD[at] = value[:, None]
            out_FDD[at + 1] = value[None, :]
            at += 2
            continue
        if q.kind == "size":
            out_FDD[at] = value
            at += 1
            continue
        if q.kind == "symmetric":
            out_FDD[at] = (value + value.T) * 0.5
        elif q.kind == "antisymmetric":
            out_FDD[at] = (value - value.T) * 0.5
        else:
            out_FDD[at] = value
            pair_rows.append(at)
            at += 1
            out_FDD[at] = value.T
        pair_rows.append(at)
        at += 1
    diagonal_FD = torch.diagonal(out_FDD, dim1=1, dim2=2)
    diagonal_FD[pair_rows] = 0.0
    out_FDD = torch.nan_to_num_(out_FDD, nan=0.0, posinf=8.0, neginf=-8.0).clamp_(-8.0, 8.0)
    return out_FDD.permute(1, 2, 0).contiguous()
