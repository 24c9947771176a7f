"""Small parent sets: what i adds to the best set of causes of j, by Gaussian scores and by coarse tables.

For every target j all subsets of its strongest candidates are tried at once. Gaussian scores try at most three of six
candidates under a Gaussian copula, so conditional independence up to order three and BIC gains come from one pass.
Table scores count a target with at most three of four candidates, interactions included.

N rows, D variables, M candidates of each target, T subsets of them, Q coarse states.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import torch
from torch import Tensor

from foundcause.features.candidates import copied, stand_ins, strongest, whitening
from foundcause.features.contingency import wilson_hilferty
from foundcause.features.correlations import compress, fisher_z, linear
from foundcause.features.nonlinear import strength
from foundcause.features.registry import Statistic, register
from foundcause.features.standardize import Columns, TableState
from foundcause.features.tensor_math import asinh, entropy_terms

GAUSSIAN_CANDIDATES = 6
LARGEST_SET = 3
GAUSSIAN_CHUNK = 1_000_000
_NEVER = 1e30

GAUSSIAN_SCORES: tuple[Statistic, ...] = (
    Statistic(
        "bic_gain",
        "directed",
        "direction",
        "asinh(b/4)/2, b = best BIC of j over sets without i (of its 6 strongest, at most 3) minus that with i added",
    ),
    Statistic(
        "bic_gain_best", "directed", "direction", "asinh(b/4)/2, b = BIC gain of i on top of the best set without i"
    ),
    Statistic("best_partial", "directed", "direction", "corr(g_i, g_j | best set of j without i)"),
    Statistic("order3_min", "directed", "dependence", "min over those sets T of |corr(g_i, g_j | T)|"),
    Statistic(
        "order3_min_z", "directed", "dependence", "asinh(z/4) of the least z = atanh|corr| sqrt(n - 3 - |T|) over T"
    ),
    Statistic("order2_min_z", "directed", "dependence", "the same over sets of at most two"),
    Statistic("order3_min_both_z", "symmetric", "dependence", "the lesser order3_min_z of the two directions"),
    Statistic("local_explained", "marginal", "direction", "R2 of j given its best set by BIC"),
    Statistic("local_parents", "marginal", "direction", "size of the best set by BIC, divided by 3"),
)


@lru_cache(maxsize=8)
def _gaussian_sets(candidates: int) -> tuple[Tensor, Tensor]:
    """(T, 3) positions of every subset of at most three candidates (padded with ``candidates``), and (T,) sizes."""
    rows, sizes = [], []
    for size in range(min(LARGEST_SET, candidates) + 1):
        for subset in combinations(range(candidates), size):
            rows.append(list(subset) + [candidates] * (LARGEST_SET - size))
            sizes.append(size)
    return torch.tensor(rows), torch.tensor(sizes)


@register("extended", *GAUSSIAN_SCORES)
def gaussian_scores(table: TableState) -> dict[str, Tensor]:
    """What i adds to the best small parent set of j under a Gaussian copula.

    Candidates are ranked by the order-1 minimum of the copula correlation.
    """
    columns, found = table.columns, table.get(linear)
    D = columns.variables
    parts = []
    subsets, _ = _gaussian_sets(min(GAUSSIAN_CANDIDATES, D - 1))
    stand_in = stand_ins(columns)
    # of columns that a third one explains away, the more correlated go first; rounding would choose otherwise
    strength = (found.order1_min - 1e-4).clamp_min(0.0) + 1e-3 * found.correlation[2].abs()
    chosen = strongest(strength, stand_in, min(GAUSSIAN_CANDIDATES, D - 1))
    step = max(1, GAUSSIAN_CHUNK // (len(subsets) * LARGEST_SET * D))
    for start in range(0, D, step):
        targets = torch.arange(start, min(start + step, D))
        parts.append(_gaussian_scores(columns, found.correlation[2], targets, chosen[targets]))
    merged = copied({name: torch.cat([part[name] for part in parts]) for name in parts[0]}, stand_in)
    out = {name: value.T if value.dim() == 2 else value for name, value in merged.items()}
    out["order3_min_both_z"] = torch.minimum(out["order3_min_z"], out["order3_min_z"].T)
    return out


def _gaussian_scores(columns: Columns, c: Tensor, targets: Tensor, chosen: Tensor) -> dict[str, Tensor]:
    """Quantities of some targets j with their (J, M) candidates, laid out [j, i]; ``c`` are copula correlations."""
    D, J, M = columns.variables, len(targets), chosen.shape[1]
    subsets, sizes = _gaussian_sets(M)
    n_ji = columns.joint[targets]
    n_j = n_ji.mean(1)

    members = torch.cat([chosen, torch.full((J, 1), D)], 1)[:, subsets]  # (J, T, 3), D is the empty place
    near = c[chosen]  # (J, M, D)
    among = torch.zeros(J, M + 1, M + 1)
    among[:, :M, :M] = near.gather(2, chosen[:, None].expand(-1, M, -1))
    square = among[:, subsets[:, :, None], subsets[:, None, :]]  # (J, T, 3, 3)
    torch.diagonal(square, dim1=-2, dim2=-1).fill_(1.0 + 1e-3)
    # an indefinite square (pairwise deletion) leaves a broken factor: such a set is passed over below
    maps = whitening(square, subsets).view(J, -1, M)
    whitened = torch.bmm(maps, near).view(J, len(subsets), LARGEST_SET, D)
    own = whitened.gather(3, targets[:, None, None, None].expand(-1, *whitened.shape[1:3], 1))  # (J, T, 3, 1)
    remaining = torch.ones(J, len(subsets), D)  # variance of every variable given the set
    covariance = c[targets][:, None].repeat(1, len(subsets), 1)
    for place in range(LARGEST_SET):
        part = whitened[:, :, place]
        remaining.addcmul_(part, part, value=-1)
        covariance.addcmul_(part, own[:, :, place], value=-1)
    left = remaining.gather(2, targets[:, None, None].expand(-1, len(subsets), 1))  # (J, T, 1)
    broken = ~torch.isfinite(left) | (left < -0.01)
    if bool(broken.any()):
        left, covariance = torch.where(broken, 1.0, left), torch.where(broken, 0.0, covariance)
        remaining = torch.where(broken, 1.0, remaining)
    left = left.clamp_min(1e-4)
    partial = covariance * (left * remaining.clamp_min(1e-3)).rsqrt()
    partial = partial.clamp(-0.9999, 0.9999)

    # added to what a minimum is taken of, where i belongs to the set (or the set is broken)
    unusable = torch.zeros(J, len(subsets), D + 1).scatter_(2, members, _NEVER)[..., :D] + _NEVER * broken
    price = n_j.clamp_min(2).log()
    without = n_j[:, None] * left[..., 0].log() + sizes * price[:, None]  # (J, T)
    gain = -n_ji[:, None] * torch.log1p(-partial.square()) - price[:, None, None]
    without_i = without[:, :, None] + unusable
    best_without, best_set = without_i.min(1)
    best_with = (without_i - gain).amin(1)
    gain_best = gain.gather(1, best_set[:, None])[:, 0]
    z = fisher_z(partial, n_ji[:, None] - 3 - sizes[None, :, None]).add_(unusable)
    least = partial.abs().add_(unusable).amin(1)
    plain = without.masked_fill(broken[..., 0], torch.inf)
    best_plain = plain.argmin(1)
    return {
        "bic_gain": asinh((best_without - best_with) * 0.25) * 0.5,
        "bic_gain_best": asinh(gain_best * 0.25) * 0.5,
        "best_partial": partial.gather(1, best_set[:, None])[:, 0],
        "order3_min": least,
        "order3_min_z": compress(z.amin(1)),
        "order2_min_z": compress(z[:, sizes <= 2].amin(1)),
        "local_explained": 1 - left[..., 0].gather(1, best_plain[:, None])[:, 0],
        "local_parents": sizes[best_plain] / LARGEST_SET,
    }


# Exact scores on coarse tables

STATES = 5
COARSE = 4
TABLE_CANDIDATES = 4
TABLE_CHUNK = 4_000_000

FEW_ROWS = 10
"""Sets seen together with the target in fewer rows say nothing."""

TABLE_SCORES: tuple[Statistic, ...] = (
    Statistic(
        "table_bic_gain",
        "directed",
        "direction",
        "asinh(b/8)/2, b = best BIC of coarse j over parent sets without i (at most 3 of its 4 strongest) minus with i,"
        " each on its joint rows; two sets are compared by the row, on the rows of the less seen, if at least 10",
    ),
    Statistic(
        "table_min_z",
        "directed",
        "dependence",
        "asinh(z/4), least G-test z of i and j given at most 2 of the 4 strongest of j; 0 when i is not among them",
    ),
    Statistic(
        "table_aic_gain", "directed", "direction", "asinh(b/8)/2, b the same by AIC; 0 when i is not among the 4"
    ),
    Statistic(
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


@register("extended", *TABLE_SCORES)
def table_scores(table: TableState) -> dict[str, Tensor]:
    """What i adds to the best small parent set of j on coarse tables, interactions included."""
    columns = table.columns
    D, N = columns.variables, columns.rows
    codes, states = coarse_codes(columns)
    M = min(TABLE_CANDIDATES, D - 1)
    sets = _sets(M)
    stand_in = stand_ins(columns)
    chosen = strongest(table.get(strength), stand_in, M)
    single, single_rows = _single_scores(columns, codes, states)
    step = max(1, TABLE_CHUNK // max(N, (STATES + 1) ** (M + 1)))
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
        enough = fits.rows >= FEW_ROWS

        # a column that is no candidate can only be tried alone
        shared = torch.minimum(fits.rows[:, None, :], single_rows[targets, :, None])
        worth = shared * (bic[:, None, :] - single[targets, :, None])
        worth = (
            worth.masked_fill(~enough[:, None, :], torch.inf).amin(2).masked_fill(single_rows[targets] < FEW_ROWS, 0)
        )
        gain = worth.scatter(1, few, _worth(bic, fits.rows, enough, sets))
        lenient = torch.zeros(len(targets), D).scatter(1, few, _worth(aic, fits.rows, enough, sets))

        z = wilson_hilferty(2 * fits.step_gain, (freedom * fits.step_configurations).clamp_min(1))
        z = z.masked_fill(~enough[:, sets.steps[:, 0]], torch.inf)[:, sets.of_member].amin(2).clamp_min(0.0)
        least = torch.zeros(len(targets), D).scatter(1, few, compress(z.masked_fill(torch.isinf(z), 0.0)))

        total = (bic * fits.rows).masked_fill(~enough, 0.0)
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


def _worth(score: Tensor, rows: Tensor, enough: Tensor, sets: Sets) -> Tensor:
    """(J, M) what each candidate is worth: the best set with it over the best one without it.

    Scores are by the row; two sets are compared on as many rows as the less seen of them has, so that a set seen in
    few rows can neither gain nor cost much.
    """
    inside, outside = sets.inside[:, :, None], sets.outside[:, None, :]
    gap = torch.minimum(rows[:, inside], rows[:, outside]) * (score[:, outside] - score[:, inside])  # (J, M, A, B)
    gap = (
        gap.masked_fill(~enough[:, outside], torch.inf).amin(3).masked_fill(~enough[:, sets.inside], -torch.inf).amax(2)
    )
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
