"""Dependence of columns as blocks: nominal states and nonlinear shapes, given one, two or all other columns.

Every column becomes up to four functions: indicators of its states when it has few values, otherwise its normal score
and two Legendre polynomials of its rank. Whitened within a column, their cross-correlations hold phi-squared (the
chi-squared statistic over n) of two nominal columns, and the usual algebra of correlations conditions on others
without any three-way table.

N rows, D variables, M functions of a column (4, or fewer when no column needs as many). Components are ordered function
by function (a * D + i).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import torch
from torch import Tensor

from foundcause.features.candidates import copied, stand_ins, strongest, whitening
from foundcause.features.contingency import wilson_hilferty
from foundcause.features.correlations import compress, third_variables
from foundcause.features.registry import Statistic, register
from foundcause.features.row_samples import RowSample, plan_row_samples
from foundcause.features.standardize import BINS, Columns, TableState
from foundcause.features.tensor_math import as_array, asinh, kernels_for

FUNCTIONS = 4
CANDIDATES = 4
CHUNK = 1_300_000
CUBE = 1_300_000

STATISTICS: tuple[Statistic, ...] = (
    Statistic(
        "block", "symmetric", "dependence", "sqrt(||R_ij||^2 / min(m_i, m_j)), R cross-corr of whitened functions"
    ),
    Statistic("block_z", "symmetric", "dependence", "asinh(z/4) of n ||R_ij||^2 by Wilson-Hilferty, df = m_i m_j"),
    Statistic("block_partial", "symmetric", "dependence", "the same as block given all other columns, shrunk inverse"),
    Statistic("block_partial_z", "symmetric", "dependence", "its asinh(z/4), n less the functions of the others"),
    Statistic("block_order1_z", "symmetric", "dependence", "asinh(z/4) of the least z given one other column"),
    Statistic(
        "block_order1_gain", "symmetric", "collider", "asinh(dz/4), the largest gain in z given one other column"
    ),
    Statistic(
        "block_collider", "directed", "collider", "asinh(z/4), max_k min(z_ij, z_kj, z_ik|j) exp(-z_ik^2/4), blocks"
    ),
    Statistic(
        "block_chain", "directed", "collider", "asinh(z/4), max_k min(z_ij, z_kj, z_ik) exp(-z_ik|j^2/4), blocks"
    ),
    Statistic(
        "block_collider_gain", "directed", "collider", "asinh(z/4), max_k (z_ik|j - z_ik) exp(-zmin_ik^2/8), blocks"
    ),
    Statistic(
        "block_order2_z", "directed", "dependence", "asinh(z/4), least z over sets of at most 2 of the 4 strongest of j"
    ),
    Statistic(
        "block_bic_gain",
        "directed",
        "direction",
        "asinh(b/8)/2, b = best BIC of the functions of j over those sets without i minus that with i added",
    ),
    Statistic(
        "block_explained", "marginal", "direction", "mean variance of the functions explained by all other columns"
    ),
)


@dataclass(frozen=True)
class WhitenedFunctions:
    """Whitened functions of the columns.

    functions: M, the most that a column uses.
    correlation: (M D, M D) cross-correlations, the identity within a column.
    sizes: (D,) functions in use, 0 for a constant column.
    degrees: (D, D) sizes_i sizes_j, at least 1.
    """

    functions: int
    correlation: Tensor
    sizes: Tensor
    degrees: Tensor


def functions(columns: Columns) -> tuple[Tensor, Tensor, Tensor]:
    """(N, M, D) centered functions of the columns, (D,) how many are in use, (M, D) bool which are indicators."""
    N, D = columns.x.shape
    share_DK = columns.onehot.view(N, D, BINS).sum(0) / columns.counts[:, None]
    # the rarest state is the one left out, so its indicator never inflates a variance
    frequent = share_DK.sort(dim=1, descending=True, stable=True).indices[:, :FUNCTIONS]
    states = torch.where(columns.discrete, columns.distinct, 0)
    indicator = (columns.codes[:, None] == frequent.T).float()
    polynomial = torch.zeros(N, FUNCTIONS, D)
    centered = 2 * columns.u - 1
    polynomial[:, 0] = columns.g
    polynomial[:, 1] = 1.5 * centered.square() - 0.5
    polynomial[:, 2] = 2.5 * centered.pow(3) - 1.5 * centered
    many = columns.discrete & (states > FUNCTIONS + 1)
    order = torch.arange(FUNCTIONS)[:, None]
    use_indicator = columns.discrete & ((order < states - 1) | many)
    # with more states than functions, the normal score stands in for the states that get no indicator
    use_indicator = torch.where(many & (order == FUNCTIONS - 1), False, use_indicator)
    phi = torch.where(use_indicator, indicator, torch.where(columns.discrete, 0.0, polynomial))
    phi[:, FUNCTIONS - 1] = torch.where(many, columns.g, phi[:, FUNCTIONS - 1])
    phi = phi * columns.mask[:, None]
    phi = (phi - phi.sum(0) / columns.counts) * columns.mask[:, None]
    sizes = torch.where(columns.discrete, (states - 1).clamp(0, FUNCTIONS), 3)
    return phi, sizes, use_indicator


def whitened_functions(columns: Columns) -> WhitenedFunctions:
    """Cross-correlations of whitened functions; two rows are added to an indicator's variance to tame rare states."""
    N, D = columns.x.shape
    phi, sizes, indicators = functions(columns)
    M = int(sizes.amax().clamp_min(1))
    phi, indicators = phi[:, :M], indicators[:M]
    flat = phi.reshape(N, M * D)
    # the few rows of a pair hardly ever seen together could show it perfectly dependent: it counts as independent
    rows = torch.where(columns.together, columns.joint, torch.inf)
    product = (flat.T @ flat).view(M, D, M, D) / rows[:, None, :]
    own = torch.diagonal(product, dim1=1, dim2=3).permute(2, 0, 1).clone()  # (D, M, M)
    ridge = torch.where(indicators, 2 / columns.counts, 1e-4).T
    used = torch.arange(M) < sizes[:, None]
    own = own + torch.diag_embed(torch.where(used, ridge, 1.0))
    eye = torch.eye(M).expand(D, -1, -1)
    inverse_factor = torch.linalg.solve_triangular(torch.linalg.cholesky_ex(own)[0], eye, upper=False)  # (D, M, M)
    inverse_factor = torch.nan_to_num(inverse_factor)
    half = torch.einsum("iab,bijc->aijc", inverse_factor, product.transpose(2, 3))  # (M, D, D, M): [a, i, j, c]
    R = torch.einsum("jdc,aijc->aidj", inverse_factor, half).reshape(M * D, M * D)
    R = torch.nan_to_num(R).clamp(-1.0, 1.0)
    same = torch.arange(D).repeat(M)
    R = torch.where(same[:, None] == same[None, :], torch.eye(M * D), R)
    degrees = (sizes[:, None] * sizes[None, :]).clamp_min(1).float()
    return WhitenedFunctions(functions=M, correlation=R, sizes=sizes, degrees=degrees)


@register("extended", *STATISTICS)
def block_statistics(table: TableState) -> dict[str, Tensor]:
    """Dependence of columns as blocks of functions, given none, one, two or all other columns."""
    columns = table.columns
    D, n = columns.variables, columns.joint
    blocks = whitened_functions(columns)
    R, degrees = blocks.correlation, blocks.degrees
    live = (blocks.sizes[:, None] > 0) & (blocks.sizes[None, :] > 0)
    least_size = torch.minimum(blocks.sizes[:, None], blocks.sizes[None, :]).clamp_min(1)
    strength = _block_sum(R.square(), blocks.functions)
    z = (wilson_hilferty(n * strength, degrees) * live).clamp_min(0.0)
    out = {"block": (strength / least_size).sqrt(), "block_z": compress(z)}
    partial, explained = _full(blocks, n)
    others = blocks.sizes.sum() - blocks.sizes[:, None] - blocks.sizes[None, :]
    partial_z = wilson_hilferty(torch.maximum(n - 1 - others, n / 4) * partial, degrees) * live
    out["block_partial"] = (partial / least_size).sqrt()
    out["block_partial_z"] = compress(partial_z.clamp_min(0.0))
    out["block_explained"] = explained
    out |= _order1(blocks, z, n, live)
    sets = len(_subsets(min(CANDIDATES, D - 1))[0])
    steps = max(1, CHUNK // (sets * 2 * blocks.functions**2 * D))
    # the z-values are cut at 0; the raw strength settles such ties whatever the order of the columns
    order1 = out["block_order1_z"] + 1e-3 * out["block"]
    stand_in = stand_ins(columns)
    chosen = strongest(order1, stand_in, min(CANDIDATES, D - 1))
    parts = [
        _targets(blocks, chosen[start : start + steps], n, live, torch.arange(start, min(start + steps, D)))
        for start in range(0, D, steps)
    ]
    merged = copied({name: torch.cat([part[name] for part in parts]) for name in parts[0]}, stand_in)
    return out | {name: value.T for name, value in merged.items()}


def _block_sum(square: Tensor, M: int) -> Tensor:
    """Sum over the functions of both columns: (..., M D, M D) to (..., D, D)."""
    D = square.shape[-1] // M
    lead = square.shape[:-2]
    return square.reshape(*lead, M, D * M * D).sum(-2).view(*lead, D, M, D).sum(-2)


def _full(blocks: WhitenedFunctions, n: Tensor) -> tuple[Tensor, Tensor]:
    """(D, D) ||partial R_ij||^2 given all other columns, and (D,) the mean explained variance of its functions."""
    D, M = n.shape[0], blocks.functions
    # components that no column uses are apart from all others: the algebra is done without them
    used = (torch.arange(M)[:, None] < blocks.sizes).reshape(-1).nonzero()[:, 0]
    owner = used % D
    R = blocks.correlation[used][:, used].double()
    square = R.square()
    between = (owner[:, None] != owner[None, :]).double()
    noise = ((1 - square).square() / n[owner][:, owner] * between).sum()
    intensity = (noise / (square * between).sum().clamp_min(1e-9)).clamp(0.01, 1.0)
    shrunk = R * (1 - intensity)
    shrunk.diagonal().add_(intensity)
    factor, failed = torch.linalg.cholesky_ex(shrunk)
    if bool(failed):
        spectrum, vectors = torch.linalg.eigh(shrunk)
        factor = torch.linalg.cholesky((vectors * spectrum.clamp_min(1e-2)) @ vectors.T)
    Q = torch.eye(M * D, dtype=torch.float64)
    Q[used[:, None], used] = torch.cholesky_inverse(factor)
    Q = Q.view(M, D, M, D)
    own = torch.diagonal(Q, dim1=1, dim2=3).permute(2, 0, 1)  # (D, M, M)
    root = torch.linalg.solve_triangular(
        torch.linalg.cholesky(own), torch.eye(M, dtype=torch.float64).expand(D, -1, -1), upper=False
    ).float()
    half = torch.einsum("iab,bijc->aijc", root, Q.transpose(2, 3).float())
    whole = torch.einsum("jdc,aijc->aidj", root, half)
    alone = 1 / torch.diagonal(own, dim1=1, dim2=2).float()  # variance given everything else, own functions included
    live = (torch.arange(M) < blocks.sizes[:, None]).float()
    explained = ((1 - alone) * live).sum(1) / live.sum(1).clamp_min(1)
    return whole.square().sum((0, 2)), explained


def _order1(blocks: WhitenedFunctions, z: Tensor, n: Tensor, live: Tensor) -> dict[str, Tensor]:
    """Quantities over third columns, working on [k, i, j]: i and j given k."""
    D = n.shape[0]
    R, degrees, M = blocks.correlation, blocks.degrees, blocks.functions
    by_column = R.view(M * D, M, D).permute(2, 0, 1)  # (D, M D, M): correlations with column k
    root = (1 - by_column.square().sum(2)).clamp_min(0.02).rsqrt()  # (D, M D)
    scaled = by_column * root[:, :, None]
    least, most = z.clone(), z.clone()
    best = torch.zeros(3, D, D)  # [k, i]
    open_ik = torch.exp(-z.square() / 4)
    alive = live.float()
    if (kernels := kernels_for(D)) is not None:
        sizes = blocks.sizes.float().numpy()
        arrays = z, n, degrees, alive, open_ik
        z_, n_, degrees_, alive_, open_ = map(as_array, arrays)
        kernels.third_functions(
            as_array(R), M, z_, n_, sizes, degrees_, alive_, open_, least.numpy(), most.numpy(), best.numpy()
        )
        return _third_column(best, least, most, z)
    step = max(1, min(D, CUBE // (M * D) ** 2))
    space = torch.empty(step, M * D, M * D)  # kept, as fresh pages would cost more than the arithmetic on them
    gains = []
    for start in range(0, D, step):
        k = slice(start, min(start + step, D))
        given = torch.mul(root[k, :, None], R, out=space[: k.stop - start])
        given.mul_(root[k, None, :]).baddbmm_(scaled[k], scaled[k].transpose(1, 2), alpha=-1)
        strength = _block_sum(given.square_(), M).clamp_max_(1e3)
        strength.mul_((n - blocks.sizes[k, None, None]).clamp_min(1.0))
        third = third_variables(start, k.stop, D)
        gain = wilson_hilferty(strength, degrees).mul_(alive).clamp_min_(0.0).sub_(z).mul_(third)
        z_given = z + gain
        least = torch.minimum(least, z_given.amin(0))
        most = torch.maximum(most, z_given.amax(0))
        # for colliders the conditioned column is the effect: [k, i, j] is read as [effect, cause, other]
        both = torch.minimum(z[k, :, None], z[k, None, :])
        best[0, k] = torch.minimum(both, z_given).mul_(open_ik).mul_(third).amax(2)
        closed = z_given.square_().mul_(-0.25).clamp_min_(-80.0).exp_()  # numbers too small to be normal are slow
        best[1, k] = closed.mul_(torch.minimum(both, z)).mul_(third).amax(2)
        gains.append(gain)
    separable = torch.exp(-least.square() / 8)
    best[2] = torch.cat([gain.mul_(separable).amax(2) for gain in gains])
    return _third_column(best, least, most, z)


def _third_column(best: Tensor, least: Tensor, most: Tensor, z: Tensor) -> dict[str, Tensor]:
    names = ("block_collider", "block_chain", "block_collider_gain")
    out = dict(zip(names, compress(best).transpose(1, 2), strict=True))
    return out | {"block_order1_z": compress(least), "block_order1_gain": compress(most - z)}


@lru_cache(maxsize=8)
def _subsets(candidates: int) -> tuple[Tensor, Tensor]:
    """(T, 2) positions of every subset of at most two candidates (padded with ``candidates``), and (T,) sizes."""
    sets = [s for size in range(min(2, candidates) + 1) for s in combinations(range(candidates), size)]
    padded = [list(s) + [candidates] * (2 - len(s)) for s in sets]
    return torch.tensor(padded), torch.tensor([len(s) for s in sets])


def _targets(blocks: WhitenedFunctions, chosen: Tensor, n: Tensor, live: Tensor, targets: Tensor) -> dict[str, Tensor]:
    """Order-2 minimum and BIC gain of some targets j with their (J, M) candidates, laid out [j, i]."""
    D, J, M = n.shape[0], len(targets), blocks.functions
    subsets, _ = _subsets(chosen.shape[1])
    T = len(subsets)
    members = torch.cat([chosen, torch.full((J, 1), D)], 1)[:, subsets]  # (J, T, 2), D is the empty place
    few = chosen.shape[1]
    near = blocks.correlation.view(M, D, M * D).transpose(0, 1)[chosen]  # (J, few, M, M D)
    among = torch.zeros(J, few + 1, M, few + 1, M)
    place = (torch.arange(M) * D + chosen[..., None]).view(J, 1, 1, few * M)
    among[:, :few, :, :few] = near.gather(3, place.expand(-1, few, M, -1)).view(J, few, M, few, M)
    square = among[:, subsets[:, :, None], :, subsets[:, None, :]]  # (T, 2, 2, J, M, M)
    square = square.permute(3, 0, 1, 4, 2, 5).reshape(J, T, 2 * M, 2 * M)
    torch.diagonal(square, dim1=-2, dim2=-1).fill_(1.01)
    maps = whitening(square, subsets).view(J, T * 2 * M, few * M)
    whitened = torch.bmm(maps, near.view(J, few * M, M * D)).view(J, T, 2 * M, M * D)
    variance = 1 - whitened.square().sum(2)  # (J, T, M D)
    own_index = (torch.arange(M) * D + targets[:, None])[:, None, None].expand(-1, T, 2 * M, -1)
    own = whitened.gather(3, own_index)  # (J, T, 2M, M)
    direct = blocks.correlation.view(M, D, M * D)[:, targets].transpose(0, 1)  # (J, M, M D)
    covariance = direct[:, None] - own.transpose(2, 3) @ whitened  # (J, T, M, M D)
    left = variance.gather(2, own_index[:, :, 0])  # (J, T, M)
    broken = ~torch.isfinite(left).all(2, keepdim=True) | (left < -0.05).any(2, keepdim=True)
    left = left.clamp_min(0.02)
    scale = variance.clamp_min(0.02).rsqrt()
    statistic = (covariance * left.rsqrt()[..., None]).square_().sum(2) * scale.square()  # (J, T, M D)
    statistic = statistic.view(J, T, M, D).sum(2).clamp_max(1e3)
    unusable = (members[..., None] == torch.arange(D)).any(2) | broken

    rows = n[targets][:, None]
    sizes = torch.cat([blocks.sizes, torch.zeros(1, dtype=torch.long)])[members].sum(2)  # (J, T) functions given
    degrees = blocks.degrees[targets][:, None]
    z = wilson_hilferty((rows - sizes[..., None]).clamp_min(1.0) * statistic, degrees) * live[targets][:, None]
    z = z.clamp_min(0.0).masked_fill(unusable, torch.inf)
    used = (torch.arange(M) < blocks.sizes[targets, None]).float()[:, None]
    n_j = n[targets].mean(1)
    price = n_j.clamp_min(2).log()[:, None]
    without = n_j[:, None] * (left.log() * used).sum(2) + blocks.sizes[targets, None] * sizes * price
    # the most a column's functions can explain is all of them
    share = (statistic / degrees.sqrt()).clamp_max(0.999)
    gain = -rows * degrees.sqrt() * torch.log1p(-share) - degrees * price[..., None]
    without_i = without[..., None].expand_as(gain).masked_fill(unusable, torch.inf)
    best = without_i.amin(1) - (without_i - gain).amin(1)
    return {
        "block_order2_z": compress(z.amin(1)),
        "block_bic_gain": asinh(best * live[targets] / 8) / 2,
    }


def strength(table: TableState) -> Tensor:
    """(D, D) strength of dependence given one other column, which ranks pairs for closer looks."""
    found = table.get(block_statistics)
    # the z-values are cut at 0; the raw strength settles such ties whatever the order of the columns
    return found["block_order1_z"] + 1e-3 * found["block"]


def row_samples(table: TableState) -> list[RowSample]:
    """The rows that regressions within pairs read."""
    return plan_row_samples(table.columns, table.get(strength), seed=table.seed)
