"""A larger network that starts as a smaller one: the same answers, with room to learn more.

The network of the shipped weights may grow in its rounds (new ones start as the identity), the hidden width of the map
from features (new units start at zero weight), its features (new ones start at zero weight, with their own scaling)
and, to whole multiples, the width of the pair state and the channels of the motifs. These start as copies, which norms
do not notice. Whoever reads them gives each copy another share of the old weight, so that the copies learn apart.
Other networks only start from their equals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from foundcause.errors import ConfigError
from foundcause.model.interface import Network, NetworkConfig
from foundcause.model.layers import MOTIFS
from foundcause.model.pair_features import PairFeatures

MULTIPLIED = frozenset({"pair_width", "motif_channels"})
GROWABLE = frozenset({"refinement_rounds", "direct_width", "features"}) | MULTIPLIED
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
_FREE = frozenset({"name", "feature_dropout"})  # no parameter depends on these


def differing(wanted: NetworkConfig, other: NetworkConfig) -> dict[str, str]:
    """Describe the fields that make two networks different in their parameters, by name."""
    if wanted.architecture != other.architecture:
        return {"architecture": f"architecture ({other.architecture!r}, not {wanted.architecture!r})"}
    mine, theirs = wanted.to_dict(), other.to_dict()
    return {
        name: f"{name} ({theirs[name]!r}, not {mine[name]!r})"
        for name in mine
        if name not in _FREE and mine[name] != theirs[name]
    }


def obstacles(wanted: NetworkConfig, other: NetworkConfig) -> list[str]:
    """Describe what keeps a network of ``wanted`` from starting as one of ``other``; empty if it can."""
    return [words for name, words in differing(wanted, other).items() if not _grows(name, wanted, other)]


def check_growth(wanted: NetworkConfig, other: NetworkConfig, names: Sequence[str]) -> None:
    """Refuse to start a network of ``wanted`` as one of ``other`` with features ``names`` where that cannot be."""
    found = obstacles(wanted, other)
    if gone := sorted(set(names) - set(PairFeatures.of(wanted.features).names)):
        found.append(f"features ({', '.join(gone[:4])} no longer computed)")
    if found:
        raise ConfigError(f"the network cannot start as the other: {', '.join(found)}; {_rule(wanted)}")


def brings_scaling(network: Network, names: Sequence[str]) -> bool:
    """Whether another network with features ``names`` has fitted all scaling that ``network`` needs."""
    return set(names) == set(network.features.names)


def _rule(config: NetworkConfig) -> str:
    if config.architecture == "pairs":
        return (
            f"only {', '.join(sorted(GROWABLE))} may be larger than there, "
            f"{' and '.join(sorted(MULTIPLIED))} by whole multiples"
        )
    return f"a network of the architecture {config.architecture!r} cannot grow"


def _grows(name: str, wanted: NetworkConfig, other: NetworkConfig) -> bool:
    if name not in GROWABLE or wanted.architecture != "pairs":
        return False
    if name == "features":
        return True  # as far as all of the other's are among them
    mine, theirs = getattr(wanted, name), getattr(other, name)
    return bool(mine > theirs > 0) and not (name in MULTIPLIED and mine % theirs)


@torch.no_grad()
def start_as(network: Network, config: NetworkConfig, names: Sequence[str], tensors: Mapping[str, Tensor]) -> None:
    """Give ``network`` the weights of another, so that it answers as the other does; its own new ones stay.

    The other is given by its configuration, the names of its features and its tensors. Features that it does not have
    keep the scaling of ``network``: fit it before.
    """
    check_growth(network.config, config, names)
    position = {name: index for index, name in enumerate(network.features.names)}
    shared = torch.tensor([position[name] for name in names])
    own = network.state_dict()
    for name, theirs in tensors.items():
        mine = own[name]  # shares its memory with the parameter
        if name.startswith("scaling."):
            mine[shared] = theirs
        elif name == "direct.hidden.weight":
            mine[: len(theirs)] = 0.0
            mine[: len(theirs), torch.cat([shared, shared + len(position)])] = theirs
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
