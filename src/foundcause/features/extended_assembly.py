"""How the extended features are declared and laid out: a block names quantities, the layout makes features of them.

D variables, F features. A *quantity* is what a block computes; a directed quantity becomes two features (its matrix and
the transpose), a marginal one becomes two as well (of the cause i and of the effect j). Symmetry is thus exact by
construction and a block never computes a transposed matrix twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from foundcause.features.registry import Kind, Quantity, features_of

__all__ = ["Kind", "Layout", "Quantity", "assemble", "features_of"]


class Layout:
    """Where the features of each kind of quantity stand."""

    def __init__(self, quantities: Sequence[Quantity]) -> None:
        self.names: dict[Kind, list[str]] = {}
        places: dict[Kind, list[int]] = {}
        self.width = 0
        for q in quantities:
            self.names.setdefault(q.kind, []).append(q.name)
            places.setdefault(q.kind, []).append(self.width)
            self.width += 2 if q.kind in ("directed", "marginal") else 1
        self.places = {kind: torch.tensor(found) for kind, found in places.items()}


def assemble(layout: Layout, values: Mapping[str, Tensor], together: Tensor) -> Tensor:
    """(D, D, F) float32 of the quantities' values; non-finite numbers become 0 and all are limited to [-8, 8].

    ``together`` (D, D) bool are the pairs seen in rows enough to be judged; matrices are 0 elsewhere.
    """
    D = together.shape[0]
    out_FDD = torch.empty(layout.width, D, D)
    between = together.float().fill_diagonal_(0.0)
    for kind, names in layout.names.items():
        stack = torch.nan_to_num_(torch.stack([values[name] for name in names]).float(), nan=0.0, posinf=8, neginf=-8)
        stack.clamp_(-8.0, 8.0)
        index = layout.places[kind]
        if kind == "size":
            out_FDD[index] = stack[:, None, None].expand(-1, D, D)
        elif kind == "marginal":
            out_FDD[index] = stack[:, :, None].expand(-1, D, D)
            out_FDD[index + 1] = stack[:, None, :].expand(-1, D, D)
        else:
            stack.mul_(between)
            turned = stack.transpose(1, 2)
            if kind == "symmetric":
                out_FDD[index] = (stack + turned) * 0.5
            elif kind == "antisymmetric":
                out_FDD[index] = (stack - turned) * 0.5
            else:
                out_FDD[index] = stack
                out_FDD[index + 1] = turned
    return out_FDD.permute(1, 2, 0).contiguous()
