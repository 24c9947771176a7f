"""From the logits of K passes to one graph, by the paper's, the release's or our protocol.

Shapes: K passes, D variables; ``[i, j]`` means i causes j.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from foundcause.errors import ConfigError
from foundcause.inference.acyclic import greedy_acyclic, maximum_acyclic
from foundcause.inference.agreement import agreement, binarise
from foundcause.inference.constrain import constrain
from foundcause.inference.temperature import (
    Calibration,
    confounding_probabilities,
    factored_probabilities,
    joint_probabilities,
    sigmoid,
)
from foundcause.inference.threshold import mixture_threshold

Resampling = Literal["none", "bootstrap", "subsample"]


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """How passes are drawn and turned into a graph.

    name: what users call it.
    resampling: rows of each pass: all (``none``), a ``bootstrap``, or a ``subsample`` without replacement (which
        makes no ties); with ``subsample`` the first pass sees all rows.
    share: share of rows of a subsample.
    permute: whether columns are permuted in each pass; the network is equivariant, so this only smooths rounding.
    spares_far_cells: whether every second pass does without cells that lie far from all others of their column.
    heeds_neighbours: whether a pass over a table whose neighbouring rows resemble each other sees only as many rows as
        the table is worth (``foundcause.features.series``).
    max_rows: rows one pass may see.
    average: what is averaged over passes.
    temperature: fixed temperature, or None for the checkpoint's calibration.
    adaptive: rule of the threshold: the ``mixture`` of the paper or the ``learned`` one.
    min_agreement: share of passes an edge must stand in.
    """

    name: str
    resampling: Resampling = "subsample"
    share: float = 0.9
    permute: bool = False
    spares_far_cells: bool = False
    heeds_neighbours: bool = False
    max_rows: int = 5000
    average: Literal["logits", "probabilities"] = "logits"
    temperature: float | None = None
    adaptive: Literal["mixture", "learned"] = "learned"
    min_agreement: float = 0.5


DEFAULT = Protocol(name="default", spares_far_cells=True, heeds_neighbours=True)
IN_WORDS = (
    f"passes over {DEFAULT.share:.0%} of the rows, copies keep their edges, every fourth pass leaves gaps, "
    "every second spares far cells, donors by seed, strong pairs looked at closely, by the rows they share, "
    "series by as many rows as they are worth and by their order"
)
"""What the default protocol is by now. Change these words when `discover` changes its answers: calibrations and results
made before then count as not made, and tests ask for new ones."""
PAPER = Protocol(name="paper", resampling="bootstrap", permute=True, temperature=0.65, adaptive="mixture")
RELEASE = Protocol(
    name="release", resampling="none", permute=True, average="probabilities", temperature=0.65, adaptive="mixture"
)
PROTOCOLS: dict[str, Protocol] = {protocol.name: protocol for protocol in (DEFAULT, PAPER, RELEASE)}


def protocol_named(name: str | Protocol) -> Protocol:
    """The protocol of that name."""
    if isinstance(name, Protocol):
        return name
    if name not in PROTOCOLS:
        raise ConfigError(f"protocol {name!r} is unknown; choose {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]


@dataclass(frozen=True, kw_only=True)
class Passes:
    """Logits of K passes in table order, each (K, D, D) float64.

    factored: whether existence and direction were trained as such; of the released weights only ``edges`` counts.
    """

    edges: np.ndarray
    existence: np.ndarray
    direction: np.ndarray
    confounding: np.ndarray
    factored: bool


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """One graph: every array (D, D); ``adjacency`` is acyclic and obeys knowledge."""

    edges: np.ndarray
    existence: np.ndarray
    confounding: np.ndarray
    adjacency: np.ndarray
    agreement: np.ndarray
    threshold: float
    confounding_threshold: float


def decode(
    passes: Passes,
    protocol: Protocol = DEFAULT,
    *,
    calibration: Calibration | None = None,
    rows: int,
    threshold: float | None = None,
    forbidden: np.ndarray | None = None,
    required: np.ndarray | None = None,
) -> Decoded:
    """Average the passes, calibrate, respect knowledge, cut, prune by agreement, and make acyclic."""
    calibration = calibration or Calibration()
    D = passes.edges.shape[-1]
    forbidden = np.eye(D, dtype=bool) if forbidden is None else forbidden | np.eye(D, dtype=bool)
    required = np.zeros((D, D), dtype=bool) if required is None else required

    single, edges, existence = _edge_probabilities(passes, protocol, calibration)
    single, _ = constrain(single, _existence(single), forbidden, required)
    edges, existence = constrain(edges, existence, forbidden, required)
    if threshold is None:
        cut = mixture_threshold if protocol.adaptive == "mixture" else None
        threshold = cut(edges) if cut else calibration.threshold(edges, rows=min(rows, protocol.max_rows))

    agreed = agreement(single, threshold)
    agreed = np.where(required, 1.0, agreed)
    stands = agreed >= protocol.min_agreement
    if protocol.name == "default":
        candidates = (edges > threshold) & stands | required
        adjacency = maximum_acyclic(np.where(candidates, log_odds_gain(edges, threshold), 0.0), required)
    else:
        candidates = binarise(edges, threshold) & stands | required
        adjacency = greedy_acyclic(np.where(required, 2.0, np.where(candidates, np.maximum(edges, 1e-12), 0.0)))
    confounding = confounding_probabilities(passes.confounding.mean(axis=0), calibration)
    return Decoded(
        edges=edges,
        existence=existence,
        confounding=confounding,
        adjacency=adjacency,
        agreement=agreed,
        threshold=float(threshold),
        confounding_threshold=calibration.confounding_threshold,
    )


def log_odds_gain(probabilities: np.ndarray, threshold: float) -> np.ndarray:
    """How many nats an edge lies above the cut: the weight that makes the heaviest graph the most probable one."""
    clipped = np.clip(probabilities, 1e-9, 1 - 1e-9)
    cut = min(max(threshold, 1e-9), 1 - 1e-9)
    gain = np.log(clipped / (1 - clipped)) - np.log(cut / (1 - cut))
    return np.maximum(gain, 1e-9)


def _edge_probabilities(
    passes: Passes, protocol: Protocol, calibration: Calibration
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities of single passes (K, D, D), and edge and existence probabilities of all together (D, D)."""
    if protocol.temperature is not None:
        single = sigmoid(passes.edges / protocol.temperature)
        together = sigmoid(passes.edges.mean(axis=0) / protocol.temperature)
        edges = together if protocol.average == "logits" else single.mean(axis=0)
        off = ~np.eye(edges.shape[-1], dtype=bool)
        return single * off, edges * off, _existence(edges * off)
    if passes.factored:
        single = factored_probabilities(passes.existence, passes.direction, calibration)
        edges = factored_probabilities(passes.existence.mean(axis=0), passes.direction.mean(axis=0), calibration)
    else:
        single = joint_probabilities(passes.edges, calibration)
        edges = joint_probabilities(passes.edges.mean(axis=0), calibration)
    return single, edges, np.minimum(edges + edges.T, 1.0)


def _existence(edges: np.ndarray) -> np.ndarray:
    """Chance of an edge in either direction: the sum for rivals, never above what independent directions would give."""
    other = np.swapaxes(edges, -1, -2)
    return np.where(edges + other <= 1, edges + other, edges + other - edges * other)
