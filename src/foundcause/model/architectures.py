"""Which architectures there are, where their code lives, and how their configurations are checked and stored."""

from __future__ import annotations

import importlib
import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from foundcause.errors import ConfigError

if TYPE_CHECKING:
    from foundcause.model.interface import Network, NetworkConfig

# Looked up by name only when asked for: this package never imports the others.
_CONFIGS = {
    "pairs": "foundcause.model.config:ModelConfig",
    "paper": "foundcause.paper.config:PaperConfig",
    "rival": "foundcause.paper.rival:RivalConfig",
}
_NETWORKS = {
    "pairs": "foundcause.model.network:FoundCause",
    "paper": "foundcause.paper.paper_network:PaperNetwork",
    "rival": "foundcause.paper.rival:Rival",
}
_PRESETS = {
    "small": "foundcause.model.config:SMALL",
    "tiny": "foundcause.model.config:TINY",
    "base": "foundcause.paper.config:BASE",
    "paper_small": "foundcause.paper.config:PAPER_SMALL",
    "rival": "foundcause.paper.rival:RIVAL",
}


def preset(name: str) -> Any:
    """Look up a preset of any architecture by its name, in any case."""
    try:
        address = _PRESETS[name.lower()]
    except KeyError:
        raise ConfigError(f"unknown preset {name!r}; choose from {', '.join(_PRESETS)}") from None
    return _at(address)


def build_network(config: NetworkConfig, *, seed: int = 0) -> Network:
    """Make an untrained network of any architecture."""
    return network_class(config.architecture)(config, seed=seed)


def network_class(architecture: str) -> Any:
    """Look up the class of an architecture by the name that checkpoint headers carry."""
    return _at(_known(_NETWORKS, architecture))


def stored_config(entries: dict[str, Any], architecture: str | None) -> Any:
    """Read a stored configuration; without an architecture it is of format 1, which described both of them."""
    if architecture is None:
        architecture, entries = _from_format_1(entries)
    return _at(_known(_CONFIGS, architecture)).from_dict(entries)


def _from_format_1(entries: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Convert the configuration of an old header, which described both architectures, to (architecture, entries)."""
    entries = {"evidence": "paper", "fills_gaps": False, "bent_features": False, "weighed_channels": 0, **entries}
    pairs = entries["evidence"] == "direct"
    needed: dict[str, Any] = (
        {"encoder_layers": 0, "refinement": "lean", "head": "factored", "bent_features": True, "fills_gaps": True}
        if pairs
        else {"direct_width": 0, "refinement": "paper", "head": "blend", "fills_gaps": False}
    )
    needed |= {"scaled_features": pairs}
    if strange := sorted(name for name, value in needed.items() if entries.get(name) != value):
        raise ConfigError(
            f"it mixes both architectures ({', '.join(f'{name}={entries.get(name)!r}' for name in strange)}); "
            "only foundcause 0.1.0 reads such checkpoints"
        )
    architecture = "pairs" if pairs else "paper"
    dropped = _FORMAT_1_ONLY | (_PAPER_ONLY if pairs else _PAIRS_ONLY)
    return architecture, {name: value for name, value in entries.items() if name not in dropped}


_FORMAT_1_ONLY = {"evidence", "refinement", "head", "bent_features", "fills_gaps", "scaled_features"}
_PAIRS_ONLY = {"direct_width", "motif_channels", "weighed_channels"}
_PAPER_ONLY = {
    "compatibility", "width", "encoder_layers", "heads", "global_tokens", "guarded", "encoder_rows", "bias_width",
    "pooling_queries", "pooling_heads", "gate_width", "confounder_tokens", "confounder_layers",
    "confounder_bias_width", "pair_heads",
}  # fmt: skip


def checked_fields(config: type, entries: dict[str, Any]) -> dict[str, Any]:
    """Refuse entries that are not exactly the fields of a configuration."""
    known = {field.name for field in fields(config)}
    if unknown := sorted(set(entries) - known):
        raise ConfigError(f"unknown config field(s) {', '.join(unknown)}; was this written by a newer foundcause?")
    if missing := sorted(known - set(entries)):
        raise ConfigError(f"config field(s) {', '.join(missing)} are missing; was this written by an older foundcause?")
    return entries


def check_whole_numbers(config: Any, **smallest: int) -> None:
    """Refuse fields that are no whole numbers of at least their smallest value."""
    for name, least in smallest.items():
        value = getattr(config, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ConfigError(f"{name} is {value!r}; it must be a whole number of at least {least}")


def check_rates(config: Any) -> None:
    """Refuse an initial logit or a feature dropout that makes no sense."""
    for name in ("initial_logit", "feature_dropout"):
        value = getattr(config, name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            raise ConfigError(f"{name} is {value!r}; it must be a finite number")
    if not 0.0 <= config.feature_dropout < 1.0:
        raise ConfigError(f"feature_dropout is {config.feature_dropout}; it must lie in [0, 1)")


def _known(table: dict[str, str], architecture: str) -> str:
    if architecture not in table:
        raise ConfigError(f"unknown architecture {architecture!r}; this foundcause has {', '.join(table)}")
    return table[architecture]


def _at(address: str) -> Any:
    module, name = address.split(":")
    return getattr(importlib.import_module(module), name)
