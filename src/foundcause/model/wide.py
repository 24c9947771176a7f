"""The forward pass of the shipped network over wide tables, in blocks of pairs.

Memory holds the states of all pairs and the channels of one motif, whatever the number of features, and the blocks are
shared out over threads. ``FoundCause.forward`` is the slow, obvious twin: answers agree up to rounding.

Shape letters: D variables, F features, P width of a pair's state; of one motif, C channels that sum and W that average.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import Tensor

from foundcause.model.interface import Network, Prediction
from foundcause.model.layers import MASKED_LOGIT, MOTIFS, contract
from foundcause.model.network import _LARGEST_EXPONENT, FoundCause, LeanRound, joint_logit

Share = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]

_BLOCK_PAIRS = 8192  # keep the caches warm and the threads busy


@torch.no_grad()
def wide_forward(network: Network, statistics_DDF: Tensor, share: Share = map) -> Prediction:
    """Predict one graph without gradients.

    Parameters
    ----------
    network : Network
        A ``FoundCause`` in evaluation mode, nothing switched off.
    statistics_DDF : Tensor of shape (D, D, F)
        Features of all pairs of real variables.
    share : callable
        ``map``, or the same over threads (``foundcause.inference.threads.side_by_side``).
    """
    assert isinstance(network, FoundCause)
    D = len(statistics_DDF)
    weight = network.direct.out.weight
    states = weight.new_empty(D, D, weight.shape[0])
    rows = _slices(D, max(1, _BLOCK_PAIRS // D))

    def read(block: slice) -> None:
        with torch.no_grad():
            states[block] = network.direct(network.scaling(statistics_DDF[block].to(weight)))

    _all(share(read, rows))
    for step in network.refinement.rounds:
        assert isinstance(step, LeanRound)
        _refine(step, states, rows, share)
    return _head(network, states, share)


def _refine(step: LeanRound, states: Tensor, rows: list[slice], share: Share) -> None:
    """One round, in place."""
    D, C, W = len(states), step.channels // len(MOTIFS), step.thirds.channels // len(MOTIFS)
    sums = states.new_empty(step.channels, D, D)
    totals, averages = (states.new_empty(step.thirds.channels, D, D) for _ in range(2))
    means: list[Tensor] = []
    for k, motif in enumerate(MOTIFS):
        left, right = states.new_empty(C, D, D), states.new_empty(C, D, D)
        weights = states.new_empty(4, W, D, D)

        def project(block: slice, k: int = k, out: tuple[Tensor, ...] = (left, right, weights)) -> Tensor:
            with torch.no_grad():
                return _project(step, states, block, k, *out)

        found = list(share(project, rows))
        means = means or found

        def combine(channel: int, motif: str = motif, k: int = k, of: tuple[Tensor, ...] = (left, right)) -> None:
            with torch.no_grad():
                sums[k * C + channel] = contract(motif, of[0][channel], of[1][channel])

        def weigh(channel: int, motif: str = motif, k: int = k, of: Tensor = weights) -> None:
            with torch.no_grad():
                a, b, a_sum, b_sum = of[:, channel]
                totals[k * W + channel] = contract(motif, a, b)
                averages[k * W + channel] = contract(motif, a_sum, b) + contract(motif, a, b_sum)

        _all(share(combine, range(C)))
        _all(share(weigh, range(W)))
    overall = step.overall(torch.stack(means).sum(0) / max(D * (D - 1), 1))

    def update(tile: tuple[slice, slice]) -> None:
        with torch.no_grad():
            i, j = tile
            forward = _updated(step, states, (i, j), overall, sums, totals, averages)
            if i != j:
                states[j, i] = _updated(step, states, (j, i), overall, sums, totals, averages)
            states[i, j] = forward

    _all(share(update, _tiles(D)))


def _project(
    step: LeanRound, states: Tensor, block: slice, k: int, left: Tensor, right: Tensor, weights: Tensor
) -> Tensor:
    """Factors of motif ``k`` for a block of rows, channels first, 0 on the diagonal; the sum of the states (P,)."""
    D, C, W = len(states), len(left), weights.shape[1]
    e = states[block]
    y = step.norm(e).flatten(0, 1)
    own = torch.arange(D)[block]
    diagonal = torch.zeros(len(e), D, dtype=torch.bool)
    diagonal[torch.arange(len(e)), own] = True

    def mapped(linear: torch.nn.Linear, first: int, count: int) -> Tensor:
        part = slice(first, first + count)
        found = torch.addmm(linear.bias[part].unsqueeze(1), linear.weight[part], y.t())
        return found.view(count, len(e), D)

    gates, a, b = (mapped(step.project, m * step.channels + k * C, C) for m in range(3))
    left[:, block] = (torch.sigmoid(gates) * a * D**-0.5).masked_fill(diagonal, 0.0)
    right[:, block] = b.masked_fill(diagonal, 0.0)
    for m in range(2):
        exponents = mapped(step.thirds.project, m * step.thirds.channels + k * W, W)
        values = mapped(step.thirds.project, (2 + m) * step.thirds.channels + k * W, W)
        weight = torch.exp(_LARGEST_EXPONENT * torch.tanh(exponents / _LARGEST_EXPONENT)).masked_fill(diagonal, 0.0)
        weights[m, :, block] = weight
        weights[2 + m, :, block] = weight * values
    return y.view(len(e), D, -1).masked_fill(diagonal.unsqueeze(-1), 0.0).sum((0, 1))


def _updated(
    step: LeanRound,
    states: Tensor,
    tile: tuple[slice, slice],
    overall: Tensor,
    sums: Tensor,
    totals: Tensor,
    averages: Tensor,
) -> Tensor:
    """New states of a tile of pairs from the old ones."""
    i, j = tile
    e = states[i, j]
    y = step.norm(e)
    total = totals[:, i, j]
    heard = torch.cat([torch.log1p(total), averages[:, i, j] / (1.0 + total)]).movedim(0, -1)
    out = step.motifs_out(step.motif_norm(sums[:, i, j].movedim(0, -1)))
    out = out + step.thirds.out(heard)
    out = out + step.opposite(step.norm(states[j, i])).transpose(0, 1) + overall
    e = e + torch.sigmoid(step.gate(y)) * out
    return e + step.transition(step.transition_norm(e))


def _head(network: FoundCause, states: Tensor, share: Share) -> Prediction:
    D = len(states)
    existence, direction, confounding = (states.new_empty(D, D) for _ in range(3))

    def read(tile: tuple[slice, slice]) -> None:
        with torch.no_grad():
            i, j = tile
            head = network.head
            e, opposite = head.norm(states[i, j]), head.norm(states[j, i]).transpose(0, 1)
            exists, shared = head.symmetric(torch.cat([e + opposite, e * opposite], dim=-1)).unbind(-1)
            turned = (head.direction(e) - head.direction(opposite)).squeeze(-1)
            if i == j:
                exists, shared = 0.5 * (exists + exists.T), 0.5 * (shared + shared.T)
                turned = 0.5 * (turned - turned.T)
            existence[i, j], confounding[i, j], direction[i, j] = exists, shared, turned
            existence[j, i], confounding[j, i], direction[j, i] = exists.T, shared.T, -turned.T

    _all(share(read, _tiles(D)))
    diagonal = torch.eye(D, dtype=torch.bool)
    return Prediction(
        edge_logits=joint_logit(existence, direction).masked_fill(diagonal, MASKED_LOGIT)[None],
        existence_logits=existence.masked_fill(diagonal, MASKED_LOGIT)[None],
        direction_logits=direction.masked_fill(diagonal, 0.0)[None],
        confounding_logits=confounding.masked_fill(diagonal, MASKED_LOGIT)[None],
        pair_state=states[None],
    )


def _slices(D: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, D)) for start in range(0, D, size)]


def _tiles(D: int) -> list[tuple[slice, slice]]:
    """Tiles on and above the diagonal; a tile and its transpose belong together."""
    parts = _slices(D, max(1, int(_BLOCK_PAIRS**0.5)))
    return [(i, j) for k, i in enumerate(parts) for j in parts[k:]]


def _all(done: Iterable[Any]) -> None:
    for _ in done:
        pass
