"""Exact local scores on coarse tables: what i adds to the best discrete parent set of j, interactions included.

N rows, D variables, M candidates of a target, T parent sets of at most three of them, Q coarse states. Rows are counted
by one scatter over (row, target, set), so no product over all columns is needed.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import torch
from torch import Tensor

from foundcause.statistics.contingency import wilson_hilferty
from foundcause.statistics.extended_assembly import Quantity
from foundcause.statistics.extended_columns import Columns
from foundcause.statistics.extended_linear import compress

STATES = 5
COARSE = 4
CANDIDATES = 4
LARGEST_SET = 3
CHUNK = 4_000_000

QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        "table_bic_gain",
        "directed",
        "direction",
        "asinh(b/8)/2, b = best BIC of coarse j over parent sets without i (at most 3 of its 4 strongest) minus with i",
    ),
    Quantity(
        "table_min_z",
        "directed",
        "dependence",
        "asinh(z/4), least G-test z of i and j given at most 2 of the 4 strongest of j; 0 when i is not among them",
    ),
    Quantity("table_aic_gain", "directed", "direction", "asinh(b/8)/2, b the same by AIC; 0 when i is not among the 4"),
    Quantity("table_parents", "marginal", "direction", "size of the best parent set by that BIC, divided by 3"),
)


@lru_cache(maxsize=8)
def _sets(candidates: int) -> tuple[Tensor, Tensor, Tensor]:
    """Parent sets (T, 3) padded with ``candidates``, their sizes (T,), and (P, 3) [set, member, set without it]."""
    sizes = range(min(LARGEST_SET, candidates) + 1)
    sets = [s for size in sizes for s in combinations(range(candidates), size)]
    steps = [
        (place, member, sets.index(tuple(k for k in s if k != member))) for place, s in enumerate(sets) for member in s
    ]
    padded = [list(s) + [candidates] * (LARGEST_SET - len(s)) for s in sets]
    return torch.tensor(padded), torch.tensor([len(s) for s in sets]), torch.tensor(steps).view(-1, 3)


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
    subsets, sizes, steps = _sets(M)
    ranked = strength.clone().fill_diagonal_(-1.0)
    chosen = ranked.topk(M, dim=0).indices.T  # (D, M) candidates of each target
    single = _single_scores(columns, codes, states)

    gain = torch.empty(D, D)
    lenient_gain = torch.zeros(D, D)
    least = torch.zeros(D, D)
    parents = torch.empty(D)
    step = max(1, CHUNK // max(N * len(subsets), STATES ** (M + 1)))
    for start in range(0, D, step):
        targets = torch.arange(start, min(start + step, D))
        score, lenient, likelihood, configurations = _scores(columns, codes, states, targets, chosen[targets])
        best, place = score.min(1)
        parents[targets] = sizes[place] / LARGEST_SET
        # a column that is no candidate can only be tried alone
        gain[:, targets] = best[None, :] - single[:, targets]
        for m in range(M):
            inside = (subsets == m).any(1)
            worth = score[:, ~inside].amin(1) - score[:, inside].amin(1)
            gain[chosen[targets, m], targets] = worth
            lenient_gain[chosen[targets, m], targets] = lenient[:, ~inside].amin(1) - lenient[:, inside].amin(1)
            whole, _, rest = steps[steps[:, 1] == m].T
            G = 2 * (likelihood[:, whole] - likelihood[:, rest])
            freedom = (states[targets, None] - 1) * (configurations[:, whole] - configurations[:, rest])
            z = wilson_hilferty(G, freedom.clamp_min(1).float()).amin(1)
            least[chosen[targets, m], targets] = compress(z.clamp_min(0.0))
    return {
        "table_bic_gain": torch.asinh(gain / 8) / 2,
        "table_min_z": least,
        "table_aic_gain": torch.asinh(lenient_gain / 8) / 2,
        "table_parents": parents,
    }


def _scores(
    columns: Columns, codes: Tensor, states: Tensor, targets: Tensor, chosen: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """BIC and AIC scores (J, T) of parent sets, least is best; log-likelihoods and observed parent configurations."""
    if columns.complete:
        likelihood, configurations, n = _fits_complete(codes, targets, chosen)
    else:
        likelihood, configurations, n = _fits(codes, columns.mask, targets, chosen)
    parameters = (states[targets, None] - 1) * configurations
    cost = -2 * likelihood
    return cost + parameters * n.log(), cost + 2 * parameters, likelihood, configurations


def _fits_complete(codes: Tensor, targets: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Log-likelihoods (J, T), parent configurations (J, T) and rows (J, 1) of complete data.

    One table of all candidates and the target is counted; every set's table is a margin of it.
    """
    N = codes.shape[0]
    J, M = chosen.shape
    by_column = codes.T.contiguous()
    cell = torch.arange(J)[:, None].expand(J, N)
    for m in range(M):
        cell = cell * STATES + by_column[chosen[:, m]]
    cell = cell * STATES + by_column[targets]
    counts = torch.bincount(cell.reshape(-1), minlength=J * STATES ** (M + 1)).float()
    margins = {tuple(range(M)): counts.view(J, *[STATES] * (M + 1))}
    likelihoods, configurations = [], []
    subsets, sizes, _ = _sets(M)
    sets = [tuple(row[:size]) for row, size in zip(subsets.tolist(), sizes.tolist(), strict=True)]
    for members in reversed([s for size in range(M + 1) for s in combinations(range(M), size)]):
        if members not in margins:
            dropped = min(m for m in range(M) if m not in members)
            above = tuple(sorted((*members, dropped)))
            margins[members] = margins[above].sum(1 + above.index(dropped))
    for members in sets:
        table = margins[members].reshape(J, -1, STATES)
        parent = table.sum(2)
        likelihoods.append(torch.special.entr(parent).sum(1) - torch.special.entr(table).sum((1, 2)))
        configurations.append((parent > 0).sum(1))
    n = torch.full((J, 1), float(max(N, 1)))
    return torch.stack(likelihoods, 1), torch.stack(configurations, 1), n


def _fits(codes: Tensor, mask: Tensor, targets: Tensor, chosen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The same with missing cells: every set is counted on the rows that have all its columns."""
    N, D = codes.shape
    subsets, _, _ = _sets(chosen.shape[1])
    J, T = len(targets), len(subsets)
    members = torch.cat([chosen, torch.full((J, 1), D)], 1)[:, subsets]  # (J, T, 3), D is the empty place
    padded = torch.cat([codes, torch.zeros(N, 1, dtype=torch.long)], 1).T.contiguous()  # (D + 1, N)
    seen = torch.cat([mask, torch.ones(N, 1)], 1).T.contiguous()
    a, b, c = members.unbind(2)
    cell = ((padded[a] * STATES + padded[b]) * STATES + padded[c]) * STATES + padded[targets][:, None]  # (J, T, N)
    cells = STATES ** (LARGEST_SET + 1)
    cell += (torch.arange(J * T) * cells).view(J, T, 1)
    weight = seen[a] * seen[b] * seen[c] * seen[targets][:, None]
    counts = torch.zeros(J * T * cells).scatter_add_(0, cell.view(-1), weight.view(-1))
    rows = weight.sum(2).clamp_min(1.0)
    counts = counts.view(J, T, cells // STATES, STATES)
    parent = counts.sum(3)
    likelihood = torch.special.entr(parent).sum(2) - torch.special.entr(counts).sum((2, 3))
    # sets with missing cells are scored on fewer rows: bring every set to the rows of the empty one
    return likelihood * (rows[:, :1] / rows), (parent > 0).sum(2), rows[:, :1]


def _single_scores(columns: Columns, codes: Tensor, states: Tensor) -> Tensor:
    """(D, D) BIC score of j with i as its only parent."""
    N, D = codes.shape
    onehot = torch.zeros(N, D, STATES).scatter_(2, codes[:, :, None], columns.mask[:, :, None]).view(N, D * STATES)
    table = (onehot.T @ onehot).view(D, STATES, D, STATES)
    parent = table.sum(3)  # (D, Q, D)
    likelihood = torch.special.entr(parent).sum(1) - torch.special.entr(table).sum((1, 3))
    likelihood = likelihood * (columns.counts[None, :] / columns.joint)
    configurations = (parent > 0).sum(1)
    return (states[None, :] - 1) * configurations * columns.counts[None, :].log() - 2 * likelihood
