"""A larger network that starts as a smaller one: the same answers, with room to learn more.

What may grow in a network of direct evidence and lean refinement (``SMALL``): its rounds (new ones start as the
identity), the hidden width of the direct map (new units start unheard), the features (new ones, and bent readings of
all, start unread, with their own scaling), averages over weighed thirds where there were none (they start unheard),
and, to whole multiples, the width of the pair state and the channels of the motifs. These start as
copies, which norms do not notice; whoever reads them gives each copy another share of the old weight, so that
the copies learn apart. Other networks only start from their equals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from foundcause.errors import ConfigError
from foundcause.model.config import ModelConfig
from foundcause.model.features import PairFeatures
from foundcause.model.network import FoundCause
from foundcause.model.triangle import MOTIFS

MULTIPLIED = frozenset({"pair_width", "motif_channels"})
ADDED = frozenset({"bent_features", "weighed_channels"})  # where there were none
GROWABLE = frozenset({"refinement_rounds", "direct_width", "features"}) | MULTIPLIED | ADDED
# Parts laid side by side along an axis (outputs 0, inputs 1), each of which is copied within itself.
_PARTS: dict[str, tuple[int, int]] = {
    "thirds.project.weight": (4 * len(MOTIFS), 1),
    "thirds.project.bias": (4 * len(MOTIFS), 1),
    "project.weight": (3 * len(MOTIFS), 1),
    "project.bias": (3 * len(MOTIFS), 1),
    "motif_norm.weight": (len(MOTIFS), 1),
    "motif_norm.bias": (len(MOTIFS), 1),
    "motifs_out.weight": (1, len(MOTIFS)),
    "symmetric.hidden.weight": (1, 2),
}
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


def check_growth(wanted: ModelConfig, other: ModelConfig, names: Sequence[str]) -> None:
    """Refuse to start a network of ``wanted`` as one of ``other`` with features ``names`` where that cannot be."""
    found = obstacles(wanted, other)
    if gone := sorted(set(names) - set(PairFeatures.of(wanted.features).names)):
        found.append(f"features ({', '.join(gone[:4])} no longer computed)")
    if found:
        raise ConfigError(f"the network cannot start as the other: {', '.join(found)}; {_rule(wanted)}")


def _can_grow(config: ModelConfig) -> bool:
    return config.evidence == "direct" and config.refinement == "lean"


def _rule(config: ModelConfig) -> str:
    if _can_grow(config):
        return (
            f"only {', '.join(sorted(GROWABLE - ADDED))} may be larger than there, "
            f"{' and '.join(sorted(MULTIPLIED))} by whole multiples, and {' and '.join(sorted(ADDED))} may be added"
        )
    return f"one with evidence {config.evidence!r} and refinement {config.refinement!r} cannot grow"


def _grows(name: str, wanted: ModelConfig, other: ModelConfig) -> bool:
    if name not in GROWABLE or not _can_grow(wanted):
        return False
    if name == "features":
        return True  # as far as all of the other's are among them
    mine, theirs = getattr(wanted, name), getattr(other, name)
    if name in ADDED:
        return bool(mine) and not theirs
    return bool(mine > theirs > 0) and not (name in MULTIPLIED and mine % theirs)


def brings_scaling(network: FoundCause, config: ModelConfig, names: Sequence[str]) -> bool:
    """Whether another network has fitted all scaling that ``network`` needs: of every feature and every reading."""
    bent = config.bent_features or not network.config.bent_features
    return bent and set(names) == set(network.features.names)


@torch.no_grad()
def start_as(network: FoundCause, config: ModelConfig, names: Sequence[str], tensors: Mapping[str, Tensor]) -> None:
    """Give ``network`` the weights of another, so that it answers as the other does; its own new ones stay.

    The other is given by its configuration, the names of its features and its tensors. Features it does not know keep
    the scaling ``network`` has: fit it before.
    """
    check_growth(network.config, config, names)
    place = {name: index for index, name in enumerate(network.features.names)}
    known = torch.tensor([place[name] for name in names])
    own = network.state_dict()
    for name, theirs in tensors.items():
        mine = own[name]  # shares its memory with the parameter
        if name.startswith("scaling."):
            mine[known] = theirs
        elif name == "direct.hidden.weight":
            mine[: len(theirs)] = 0.0
            readings = theirs.shape[1] // len(names)
            mine[: len(theirs), torch.cat([known + k * len(place) for k in range(readings)])] = theirs
        elif name == "direct.hidden.bias":
            mine[: len(theirs)] = theirs
        elif name == "direct.out.weight":
            mine.zero_()
            mine[:, : theirs.shape[1]] = _copied(theirs, len(mine), 1)
        elif mine.shape == theirs.shape:
            mine.copy_(theirs)
        else:
            outputs, inputs = next((parts for end, parts in _PARTS.items() if name.endswith(end)), (1, 1))
            copied = _copied(theirs, len(mine), outputs)
            mine.copy_(_shared_out(copied, mine, inputs) if mine.ndim == 2 else copied)
    if not config.weighed_channels:
        for name, mine in own.items():  # the other's rounds hear no weighed thirds; new rounds keep their own
            if ".thirds.out." in name and name.replace("thirds.out", "motifs_out") in tensors:
                mine.zero_()


def _copied(old: Tensor, length: int, parts: int) -> Tensor:
    """``old`` with each of its ``parts`` along the first axis repeated, ``length`` long."""
    inner = old.unflatten(0, (parts, -1))
    return torch.cat([inner] * (length // len(old)), dim=1).flatten(0, 1)


def _shared_out(old_RC: Tensor, fresh: Tensor, parts: int) -> Tensor:
    """A matrix like ``fresh`` that reads copies as ``old`` reads what was copied: their weights add up to the old one.

    How copies differ is taken from ``fresh``, or drawn where that starts at zero.
    """
    if not fresh.any():
        bound = fresh.shape[1] ** -0.5
        fresh = torch.empty_like(fresh).uniform_(-bound, bound, generator=torch.Generator().manual_seed(0))
    columns = old_RC.shape[1] // parts
    own = fresh.reshape(len(fresh), parts, -1, columns)
    shares = own - own.mean(2, keepdim=True) + old_RC.reshape(len(fresh), parts, 1, columns) / own.shape[2]
    return shares.reshape(fresh.shape)
