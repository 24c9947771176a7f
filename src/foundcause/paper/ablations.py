"""The six test-time ablations of Appendix "Test-Time Ablation Study": a part becomes neutral, without retraining."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from foundcause.errors import ConfigError
from foundcause.model.interface import Network

ABLATIONS = ("statistics", "refinement", "max_pool", "confounder_feedback", "constant_gate", "direction_head")


@contextmanager
def ablate(network: Network, part: str) -> Iterator[Network]:
    """Run ``network`` with one part neutralized; on leaving it is what it was, bit for bit (no tensor is touched).

    statistics: all pairwise features become 0 (after scaling, so 0 is the mean of a scaled feature).
    refinement: no triangle rounds; the paper's head reads the base logits and the role score alone.
    max_pool: embeddings are the maximum over rows, without attention pooling.
    confounder_feedback: the decoder sees no confounding.
    constant_gate: every feature gate is 0.5.
    direction_head: the direction half of the paper's pair state is 0; the shipped network averages the states of
        both orders of a pair before refinement.
    """
    if part not in ABLATIONS:
        raise ConfigError(f"unknown ablation {part!r}; choose from {', '.join(ABLATIONS)}")
    if part not in network.parts:
        raise ConfigError(
            f"this network has no part that the ablation {part!r} could switch off; it has {', '.join(network.parts)}"
        )
    before = network.off
    network.off = before | {part}
    try:
        yield network
    finally:
        network.off = before
