"""Exact local scores on coarse tables: what i adds to the best discrete parent set of j, interactions included.

N rows, D variables, M candidates of a target, T parent sets of at most three of them, Q coarse states. Rows are counted
by one scatter over (row, target, set), so no product over all columns is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import torch
from torch import Tensor

from foundcause.features.candidates import copied, stand_ins, strongest
from foundcause.features.contingency import wilson_hilferty
from foundcause.features.elementwise import asinh, entropy_terms
from foundcause.features.extended_assembly import Quantity
from foundcause.features.extended_columns import Columns
from foundcause.features.extended_linear import compress

STATES = 5
COARSE = 4
CANDIDATES = 4
LARGEST_SET = 3
CHUNK = 4_000_000

FEW_ROWS = 10
"""Sets seen together with the target in fewer rows say nothing."""

QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        "table_bic_gain",
        "directed",
        "direction",
        "asinh(b/8)/2, b = best BIC of coarse j over parent sets without i (at most 3 of its 4 strongest) minus with i,"
        " each on its joint rows; two sets are compared by the row, on the rows of the less seen, if at least 10",
    ),
    Quantity(
        "table_min_z",
        "directed",
        "dependence",
        "asinh(z/4), least G-test z of i and j given at most 2 of the 4 strongest of j; 0 when i is not among them",
    ),
    Quantity("table_aic_gain", "directed", "direction", "asinh(b/8)/2, b the same by AIC; 0 when i is not among the 4"),
    Quantity(
        "table_parents", "marginal", "direction", "size of the best parent set by BIC on its joint rows, divided by 3"
    ),
)


@dataclass(frozen=True)
class Sets:
    """All T sets of at most three of M candidates, by size; the empty one is the first.

    members: for each size from 1 its (T_k, k) candidates.
    sizes: (T,).
    inside, outside: (M, A) sets with a candidate, (M, B) sets without it.
    steps: (P, 2) [set, set without one member], all sets of a size for the first member, then for the second, ...
    of_member: (M, A) the steps that leave out a candidate.
    margins: candidates of every smaller table, those of the table it is a margin of, and the axis to sum.
    """

    members: tuple[tuple[tuple[int, ...], ...], ...]
    sizes: Tensor
    inside: Tensor
    outside: Tensor
    steps: Tensor
    of_member: Tensor
    margins: tuple[tuple[tuple[int, ...], tuple[int, ...], int], ...]


@lru_cache(maxsize=8)
def _sets(candidates: int) -> Sets:
    members = tuple(tuple(combinations(range(candidates), k)) for k in range(1, min(LARGEST_SET, candidates) + 1))
    sets = [(), *(s for group in members for s in group)]
    steps = [(s, place) for group in members for place in range(len(group[0])) for s in group]
    every = range(candidates)
    margins = []
    for table in reversed([s for size in every for s in combinations(every, size)]):
        dropped = min(m for m in every if m not in table)
        above = tuple(sorted((*table, dropped)))
        margins.append((table, above, 1 + above.index(dropped)))
    return Sets(
        members=members,
        sizes=torch.tensor([len(s) for s in sets]),
        inside=torch.tensor([[t for t, s in enumerate(sets) if m in s] for m in every]),
        outside=torch.tensor([[t for t, s in enumerate(sets) if m not in s] for m in every]),
        steps=torch.tensor([(sets.index(s), sets.index(s[:place] + s[place + 1 :])) for s, place in steps]),
        of_member=torch.tensor([[p for p, (s, place) in enumerate(steps) if s[place] == m] for m in every]),
        margins=tuple(margins),
    )


@dataclass(frozen=True)
class Fits:
    """How well parent sets explain J targets, each on the rows that have the target and the whole set.

    gain: (J, T) log-likelihood over that without parents.
    configurations: (J, T) parent configurations seen.
    rows: (J, T).
    step_gain, step_configurations: (J, P) the same of a set over the set without one member, on the rows of the former.
    """

    gain: Tensor
    configurations: Tensor
    rows: Tensor
    step_gain: Tensor
    step_configurations: Tensor


def coarse_codes(columns: Columns) -> tuple[Tensor, Tensor]:
    """(N, D) codes below 5 and (D,) their number: values when there are at most five, else quarters by rank."""
    by_value = columns.distinct <= STATES
    quarter = (columns.u * COARSE).long().clamp(0, COARSE - 1)
    codes = torch.where(by_value, columns.codes.clamp_min(0), quarter)
    return codes, torch.where(by_value, columns.distinct, COARSE).clamp_min(1)


def local_block(columns: Columns, strength: Tensor) -> dict[str, Tensor]:
    """Values of :data:`QUANTITIES`; ``strength`` (D, D) ranks the candidates of every target."""
    D, N = columns.variables, columns.rows
    codes, states = coarse_codes(columns)
    M = min(CANDIDATES, D - 1)
    sets = _sets(M)
    stand_in = stand_ins(columns)
    chosen = strongest(strength, stand_in, M)
    single, single_rows = _single_scores(columns, codes, states)
    step = max(1, CHUNK // max(N, (STATES + 1) ** (M + 1)))
    parts = []
    for start in range(0, D, step):
        targets = torch.arange(start, min(start + step, D))
        few = chosen[targets]
        fits = _fits(codes, None if columns.complete else columns.observed, targets, few)
        freedom = (states[targets, None] - 1).float()
        parameters = freedom * (fits.configurations - 1)
        # by the row, so that sets seen in different rows can be compared
        bic = (parameters * fits.rows.log() - 2 * fits.gain) / fits.rows
        aic = (parameters * 2 - 2 * fits.gain) / fits.rows
        told = fits.rows >= FEW_ROWS

        # a column that is no candidate can only be tried alone
        shared = torch.minimum(fits.rows[:, None, :], single_rows[targets, :, None])
        worth = shared * (bic[:, None, :] - single[targets, :, None])
        worth = worth.masked_fill(~told[:, None, :], torch.inf).amin(2).masked_fill(single_rows[targets] < FEW_ROWS, 0)
        gain = worth.scatter(1, few, _worth(bic, fits.rows, told, sets))
        lenient = torch.zeros(len(targets), D).scatter(1, few, _worth(aic, fits.rows, told, sets))

        z = wilson_hilferty(2 * fits.step_gain, (freedom * fits.step_configurations).clamp_min(1))
        z = z.masked_fill(~told[:, sets.steps[:, 0]], torch.inf)[:, sets.of_member].amin(2).clamp_min(0.0)
        least = torch.zeros(len(targets), D).scatter(1, few, compress(z.masked_fill(torch.isinf(z), 0.0)))

        total = (bic * fits.rows).masked_fill(~told, 0.0)
        # rounding must not choose among sets that explain all alike: the smallest of those within it is taken
        within = total <= total.amin(1, keepdim=True) + 0.01 + 1e-5 * fits.rows[:, :1]
        parts.append(
            {
                "table_bic_gain": asinh(gain / 8) / 2,
                "table_min_z": least,
                "table_aic_gain": asinh(lenient / 8) / 2,
                "table_parents": torch.where(within, sets.sizes, LARGEST_SET).amin(1) / LARGEST_SET,
            }
        )
    merged = copied({name: torch.cat([part[name] for part in parts]) for name in parts[0]}, stand_in)
    return {name: value.T if value.dim() == 2 else value for name, value in merged.items()}


def _worth(score: Tensor, rows: Tensor, told: Tensor, sets: Sets) -> Tensor:
    """(J, M) what each candidate is worth: the best set with it over the best one without it.

    Scores are by the row; two sets are compared on as many rows as the less seen of them has, so that a set seen in
    few rows can neither gain nor cost much.
    """
    inside, outside = sets.inside[:, :, None], sets.outside[:, None, :]
    gap = torch.minimum(rows[:, inside], rows[:, outside]) * (score[:, outside] - score[:, inside])  # (J, M, A, B)
    gap = gap.masked_fill(~told[:, outside], torch.inf).amin(3).masked_fill(~told[:, sets.inside], -torch.inf).amax(2)
    return torch.where(torch.isfinite(gap), gap, 0.0)


def _fits(codes: Tensor, observed: Tensor | None, targets: Tensor, chosen: Tensor) -> Fits:
    """Fits of all sets of the (J, M) candidates; ``observed`` is None for complete data.

    One table of all candidates and the target is counted, a missing cell being a state of its own; the table of a set
    is a margin of it without that state.
    """
    N = codes.shape[0]
    J, M = chosen.shape
    Q = STATES if observed is None else STATES + 1
    by_column = (codes if observed is None else torch.where(observed, codes, STATES)).T.contiguous()
    cell = torch.arange(J)[:, None].expand(J, N)
    for m in range(M):
        cell = cell * Q + by_column[chosen[:, m]]
    cell = cell * Q + by_column[targets]
    counts = torch.bincount(cell.reshape(-1), minlength=J * Q ** (M + 1)).float()
    margins = {tuple(range(M)): counts.view(J, *[Q] * (M + 1))[..., :STATES]}
    for members, above, axis in _sets(M).margins:
        margins[members] = margins[above].sum(axis)

    rows = margins[()].sum(1, keepdim=True)
    gains, configurations, seen = [torch.zeros(J, 1)], [torch.ones(J, 1)], [rows.clamp_min(1.0)]
    step_gains, step_configurations = [], []
    for group in _sets(M).members:
        size = len(group[0])
        table = torch.stack([margins[s] for s in group], 1)
        for axis in range(2, 2 + size if Q > STATES else 0):
            table = table.narrow(axis, 0, STATES)
        fit, count = _likelihood(table)
        alone = table.sum(tuple(range(2, 2 + size)))  # (J, T_k, 5): the target on these rows
        n = alone.sum(2)
        gains.append(fit - entropy_terms(n) + entropy_terms(alone).sum(2))
        configurations.append(count)
        seen.append(n.clamp_min(1.0))
        if observed is not None:
            for place in range(size):
                lesser, lesser_count = _likelihood(table.sum(2 + place))
                step_gains.append(fit - lesser)
                step_configurations.append(count - lesser_count)
    gain, configuration = torch.cat(gains, 1), torch.cat(configurations, 1)
    if observed is None:
        whole, rest = _sets(M).steps.T
        step_gains = [gain[:, whole] - gain[:, rest]]
        step_configurations = [configuration[:, whole] - configuration[:, rest]]
    return Fits(
        gain=gain,
        configurations=configuration,
        rows=torch.cat(seen, 1),
        step_gain=torch.cat(step_gains, 1),
        step_configurations=torch.cat(step_configurations, 1),
    )


def _likelihood(table: Tensor) -> tuple[Tensor, Tensor]:
    """(J, T) log-likelihood of the last axis given all between, and how many configurations of those were seen."""
    flat = table.flatten(2, -2) if table.dim() > 3 else table[:, :, None]
    parent = flat.sum(3)
    fit = entropy_terms(parent).sum(2) - entropy_terms(flat).sum((2, 3))
    return fit, (parent > 0).float().sum(2)


def _single_scores(columns: Columns, codes: Tensor, states: Tensor) -> tuple[Tensor, Tensor]:
    """(D, D) of [j, i]: BIC by the row of j with i as its only parent over that without, and the rows of both."""
    N, D = codes.shape
    onehot = torch.zeros(N, D, STATES).scatter_(2, codes[:, :, None], columns.mask[:, :, None]).view(N, D * STATES)
    table = (onehot.T @ onehot).view(D, STATES, D, STATES)
    marginal = table.sum(1)  # (D, D, Q): [j, i, state of i], on the joint rows
    n = columns.joint
    entropies = entropy_terms(marginal).sum(2)
    gain = entropies + entropies.T - entropy_terms(table).sum((1, 3)) - entropy_terms(n)
    parameters = (states[:, None] - 1) * ((marginal > 0).sum(2) - 1)
    return (parameters * n.log() - 2 * gain) / n, n
