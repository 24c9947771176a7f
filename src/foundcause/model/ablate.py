"""The six test-time ablations of the paper: one part replaced by a neutral value, without retraining."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from foundcause.errors import ConfigError
from foundcause.model.config import ModelConfig
from foundcause.model.network import FoundCause

ABLATIONS: dict[str, str] = {
    "statistics": "statistics",
    "refinement": "refinement",
    "max_pool": "attention_pooling",
    "confounder_feedback": "confounder_feedback",
    "constant_gate": "learned_gate",
    "direction_head": "direction",
}


def ablations_of(config: ModelConfig) -> tuple[str, ...]:
    """The ablations whose part a network of this config has."""
    absent = set()
    if not config.encoder_layers:
        absent.add("max_pool")
    if config.evidence == "direct":
        absent |= {"confounder_feedback", "constant_gate"}
    if not config.refinement_rounds:
        absent.add("refinement")
    return tuple(part for part in ABLATIONS if part not in absent)


@contextmanager
def ablate(network: FoundCause, part: str) -> Iterator[FoundCause]:
    """Run ``network`` with one part neutralised; on leaving it is what it was, bit for bit (no tensor is touched).

    statistics: all pairwise features become 0 (after scaling, so 0 is the mean of a scaled feature).
    refinement: no triangle rounds; the paper's head reads the base logits and the role score alone.
    max_pool: embeddings are the maximum over rows, without attention pooling.
    confounder_feedback: the decoder sees no confounding.
    constant_gate: every feature gate is 0.5.
    direction_head: the direction half of the pair state is 0; features that enter the pair state directly are
        averaged over both orders of the pair.
    """
    if part not in ABLATIONS:
        raise ConfigError(f"unknown ablation {part!r}; choose from {', '.join(ABLATIONS)}")
    if part not in (has := ablations_of(network.config)):
        raise ConfigError(
            f"this network has no part that the ablation {part!r} could switch off; it has {', '.join(has)}"
        )
    before = network.switches
    network.switches = replace(before, **{ABLATIONS[part]: False})
    try:
        yield network
    finally:
        network.switches = before
