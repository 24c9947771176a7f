"""A larger network that starts as a smaller one: the same answers, with room to learn more.

What may grow: rounds of lean refinement (new ones start as the identity), the hidden width of the direct map (new
units start unheard) and the features (new ones start unread, with their own scaling).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from foundcause.errors import ConfigError
from foundcause.model.config import ModelConfig
from foundcause.model.network import FoundCause

GROWABLE = frozenset({"refinement_rounds", "direct_width", "features"})
_FREE = frozenset({"name", "feature_dropout", "fills_gaps"})  # no parameter depends on these


def differing(wanted: ModelConfig, other: ModelConfig) -> dict[str, str]:
    """Fields that make two networks different in their parameters, each in words."""
    mine, theirs = wanted.to_dict(), other.to_dict()
    return {
        name: f"{name} ({theirs[name]!r}, not {mine[name]!r})"
        for name in mine
        if name not in _FREE and mine[name] != theirs[name]
    }


def obstacles(wanted: ModelConfig, other: ModelConfig) -> list[str]:
    """What keeps a network of ``wanted`` from starting as one of ``other``, in words; nothing if it can."""
    return [words for name, words in differing(wanted, other).items() if not _grows(name, wanted, other)]


def _grows(name: str, wanted: ModelConfig, other: ModelConfig) -> bool:
    if name not in GROWABLE or wanted.evidence != "direct" or wanted.refinement != "lean":
        return False
    if name == "features":
        return True  # as far as all of the other's are among them
    return bool(getattr(wanted, name) > getattr(other, name) > 0)


@torch.no_grad()
def start_as(network: FoundCause, config: ModelConfig, names: Sequence[str], tensors: Mapping[str, Tensor]) -> None:
    """Give ``network`` the weights of another, so that it answers as the other does; its own new ones stay.

    The other is given by its configuration, the names of its features and its tensors. Features it does not know keep
    the scaling ``network`` has: fit it before.
    """
    place = {name: index for index, name in enumerate(network.features.names)}
    found = obstacles(network.config, config)
    if gone := [name for name in names if name not in place]:
        found.append(f"features ({', '.join(gone[:4])} no longer computed)")
    if found:
        raise ConfigError(f"the network cannot start as the other: {', '.join(found)}")
    known = torch.tensor([place[name] for name in names])
    own = network.state_dict()
    for name, theirs in tensors.items():
        mine = own[name]  # shares its memory with the parameter
        if name.startswith("scaling."):
            mine[known] = theirs
        elif name == "direct.hidden.weight":
            mine[: len(theirs)] = 0.0
            mine[: len(theirs), known] = theirs
        elif name == "direct.hidden.bias":
            mine[: len(theirs)] = theirs
        elif name == "direct.out.weight":
            mine.zero_()
            mine[:, : theirs.shape[1]] = theirs
        else:
            mine.copy_(theirs)
