"""How passes are drawn and turned into a graph. The protocols of the paper and of its release are in ``paper``."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from foundcause.errors import ConfigError

Draws = Callable[[int, int, int], tuple[np.ndarray | None, np.ndarray]]


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """How passes are drawn and turned into a graph.

    name: what users call it.
    n_passes: passes of ``n_passes="auto"``; None runs until the answer has settled.
    resampling: rows of each pass: all (``none``), a ``bootstrap``, or a ``subsample`` without replacement (which
        makes no ties); with ``subsample`` the first pass sees all rows.
    share: share of rows of a subsample.
    permute: whether columns are permuted in each pass; the network is equivariant, so this only smooths rounding.
    omits_outliers: whether every second pass does without outlier cells.
    uses_effective_size: whether a pass over a series sees only as many rows as its effective sample size.
    max_rows: rows one pass may see.
    draws: draws the rows of all passes and the column order of each, given rows, variables and passes, on the table in
        the order of its source; None draws as the fields above say, on the table in canonical order.
    average: what is averaged over passes.
    temperature: fixed temperature, or None for the checkpoint's calibration.
    cut: chooses the threshold from probabilities (D, D), or is one; None takes the learned rule.
    min_agreement: share of passes an edge must stand in; 0 prunes nothing.
    acyclicity: ``maximum`` keeps the graph of greatest weight, ``greedy`` adds edges by probability.
    """

    name: str
    n_passes: int | None = None
    resampling: Literal["none", "bootstrap", "subsample"] = "subsample"
    share: float = 0.9
    permute: bool = False
    omits_outliers: bool = False
    uses_effective_size: bool = False
    max_rows: int = 5000
    draws: Draws | None = None
    average: Literal["logits", "probabilities"] = "logits"
    temperature: float | None = None
    cut: Callable[[np.ndarray], float] | float | None = None
    min_agreement: float = 0.5
    acyclicity: Literal["maximum", "greedy"] = "maximum"


DEFAULT = Protocol(name="default", omits_outliers=True, uses_effective_size=True)
IN_WORDS = (
    f"passes over {DEFAULT.share:.0%} of the rows, copies keep their edges, every fourth pass leaves gaps, "
    "every second spares far cells, donors by seed, strong pairs looked at closely, by the rows they share, "
    "series by as many rows as they are worth and by their order"
)
"""What the default protocol is by now. Change these words when `discover` changes its answers: calibrations and results
made before then count as not made, and tests ask for new ones."""
# Looked up by name only when asked for: this package never imports the other.
_ELSEWHERE = {"paper": "foundcause.paper.protocol:PAPER", "release": "foundcause.paper.protocol:RELEASE"}
PROTOCOL_NAMES = (DEFAULT.name, *_ELSEWHERE)


def protocol_named(name: str | Protocol | None) -> Protocol:
    """Look up a protocol by name; None is the default one."""
    if isinstance(name, Protocol):
        return name
    if name is None or name == DEFAULT.name:
        return DEFAULT
    if name not in _ELSEWHERE:
        raise ConfigError(f"protocol {name!r} is unknown; choose {', '.join(PROTOCOL_NAMES)}")
    module, attribute = _ELSEWHERE[name].split(":")
    protocol: Protocol = getattr(importlib.import_module(module), attribute)
    return protocol
