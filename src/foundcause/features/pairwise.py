"""``compute``: statistics of all ordered pairs of columns of one table or of a batch of tables.

Shape letters: B tasks, N rows, D variables, F features.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import torch
from torch import Tensor

from foundcause.errors import InputError
from foundcause.features.gap_fill import fill_gaps
from foundcause.features.precision import single_precision
from foundcause.features.registry import Block, FeatureSet, Kind, Statistic, feature_set, owners, version
from foundcause.features.standardize import TableState, prepare_few
from foundcause.features.tensor_math import use_kernels

Array = Tensor | np.ndarray


@single_precision()
@torch.no_grad()
def compute(
    values_BND: Array,
    observed_BND: Array | None = None,
    variables_BD: Array | None = None,
    *,
    features: str | FeatureSet | Iterable[str] = "paper",
    seed: int = 0,
    kernel_rows: int | None = None,
    constants: object | None = None,
    fill_seed: int | None = None,
    lagged_BDDL: Array | None = None,
    compiled: bool | None = None,
) -> Tensor:
    """Compute statistics of all ordered pairs; [i, j] is about i as a cause of j.

    Parameters
    ----------
    values_BND : array of shape (B, N, D) or (N, D)
        Cells of a batch of tables, or of one.
    observed_BND : array of bool, optional
        False marks missing cells, whatever they hold.
    variables_BD : array of bool, optional
        False marks padding variables, whose pairs are 0.
    features : str, FeatureSet or iterable of str, default="paper"
        As in :func:`foundcause.features.feature_set`. Blocks behind features that are not asked for are skipped.
    seed : int, default=0
        Seed of tie-breaking and of row samples.
    kernel_rows : int, optional
        Rows of the kernel block of ``paper`` and ``release``.
    constants : RffConstants, optional
        Random Fourier constants of ``release``, which belong to its weights.
    fill_seed : int, optional
        Fill missing cells from donors of this seed first (not for ``release``). None judges every pair by the rows
        where both are observed. Features about missing cells describe the table with its gaps either way.
    lagged_BDDL : array of shape (B, D, D, L) or (D, D, L), optional
        Features of ``lagged``, which belong to a whole series (``foundcause.features.series``). None makes them 0.
    compiled : bool, optional
        Whether compiled kernels are used. By default only tables of many columns load them.

    Returns
    -------
    Tensor of shape (B, D, D, F) or (D, D, F)
        Float32 statistics.
    """
    batch = checked_batch(values_BND, observed_BND, variables_BD)
    if kernel_rows is not None and kernel_rows < 3:
        raise InputError(f"kernel_rows is {kernel_rows}; pass at least 3, or None for the default")
    wanted = features if isinstance(features, FeatureSet) else feature_set(features)
    plan = _plan(wanted.names, version())
    B, _, D = batch.values.shape
    result = torch.zeros(B, D, D, len(wanted), device=batch.values.device)
    # a sixth of the time of small tables is the bookkeeping of autograd
    kernels = nullcontext() if compiled is None else use_kernels(compiled)
    with kernels, torch.autocast(batch.values.device.type, enabled=False), torch.inference_mode():
        for k in range(B):
            lagged = None if lagged_BDDL is None else (lagged_BDDL if batch.single else lagged_BDDL[k])
            task = Task(
                values=batch.values[k],
                observed=batch.observed[k],
                variables=batch.variables[k],
                seed=seed,
                kernel_rows=kernel_rows,
                constants=constants,
                fill_seed=fill_seed,
                lagged=None if lagged is None else torch.as_tensor(lagged, device=batch.values.device),
            )
            _fill_in(result[k], task, plan)
    return result[0] if batch.single else result


@dataclass(frozen=True)
class _Plan:
    """Which blocks to run, and where their features go.

    whole: blocks that return all their features, with positions in the block and in the result.
    single: blocks that return statistics by name.
    layout: for each kind of statistic the names, and the positions of the first and the second feature.
    width: F.
    """

    whole: tuple[tuple[Block, list[int], list[int]], ...]
    single: tuple[Block, ...]
    layout: Layout
    gap_features: tuple[tuple[int, str], ...]


Layout = Mapping[Kind, tuple[list[str], list[int], list[int]]]
_ASSEMBLED = 20_000_000
"""Most elements of a block of features."""
_ABOUT_GAPS = ("missing_cause", "missing_effect", "joint_share")


@lru_cache(maxsize=32)
def _plan(wanted: tuple[str, ...], _registered: int) -> _Plan:
    found = owners(wanted)
    blocks = list(dict.fromkeys(owner.block for owner in found.values()))
    place = {name: k for k, name in enumerate(wanted)}
    whole, single = [], []
    statistics: list[tuple[Statistic, int, int]] = []
    for block in blocks:
        if block.statistics is None:
            names = [name for name, owner in found.items() if owner.block is block]
            whole.append((block, [found[name].position for name in names], [place[name] for name in names]))
            continue
        single.append(block)
        for statistic, first, last in _places(block.statistics):
            ends = block.features[first].name, block.features[last].name
            if ends[0] in place:
                statistics.append((statistic, place[ends[0]], place[ends[1]]))
    about_gaps = [(k, name.rpartition(".")[2]) for k, name in enumerate(wanted)]
    return _Plan(
        whole=tuple(whole),
        single=tuple(single),
        layout=_by_kind(statistics),
        gap_features=tuple(
            (k, name) for k, name in about_gaps if name in _ABOUT_GAPS and found[wanted[k]].block.set != "release"
        ),
    )


def layout_of(statistics: Sequence[Statistic]) -> Layout:
    """The layout of the features that statistics become, in order."""
    return _by_kind(_places(statistics))


def _places(statistics: Sequence[Statistic]) -> list[tuple[Statistic, int, int]]:
    """Each statistic with the positions of its first and its last feature."""
    found, first = [], 0
    for statistic in statistics:
        last = first + (statistic.kind in ("directed", "marginal"))
        found.append((statistic, first, last))
        first = last + 1
    return found


def _by_kind(statistics: Sequence[tuple[Statistic, int, int]]) -> Layout:
    layout: dict[Kind, tuple[list[str], list[int], list[int]]] = {}
    for statistic, first, last in statistics:
        names, forward, backward = layout.setdefault(statistic.kind, ([], [], []))
        names.append(statistic.name)
        forward.append(first)
        backward.append(last)
    return layout


@dataclass(kw_only=True)
class Task:
    """One table of a batch in the forms that blocks start from, each made once.

    values, observed: (N, D) padding included. variables: (D,) which are real. lagged: (D, D, L).
    """

    values: Tensor
    observed: Tensor
    variables: Tensor
    seed: int
    kernel_rows: int | None
    constants: object | None
    fill_seed: int | None
    lagged: Tensor | None

    @cached_property
    def padded(self) -> bool:
        """Whether some variables are padding."""
        return not bool(self.variables.all())

    @cached_property
    def unpadded(self) -> tuple[Tensor, Tensor]:
        """Values and observed cells (N, d) of the d real variables."""
        if not self.padded:
            return self.values, self.observed
        return self.values[:, self.variables], self.observed[:, self.variables]

    @cached_property
    def gaps(self) -> Tensor | None:
        """Observed cells of a table whose gaps are filled; None where nothing is filled."""
        observed = self.unpadded[1]
        return None if self.fill_seed is None or bool(observed.all()) else observed

    @cached_property
    def table(self) -> tuple[Tensor, Tensor]:
        """Values and observed cells (N, d), filled if asked for."""
        values, observed = self.unpadded
        if self.gaps is None:
            return values, observed
        cells = fill_gaps(values.double().cpu().numpy(), observed.cpu().numpy(), seed=self.fill_seed or 0)
        return torch.from_numpy(cells).to(values), torch.ones_like(observed)

    def with_padding(self, inner_ddF: Tensor) -> Tensor:
        """(D, D, F) of features (d, d, F) of the real variables, 0 for padding."""
        if not self.padded:
            return inner_ddF
        D = len(self.variables)
        padded = torch.zeros(D, D, inner_ddF.shape[2], device=inner_ddF.device)
        place = self.variables.nonzero()[:, 0]
        padded[place[:, None], place] = inner_ddF
        return padded

    @cached_property
    def state(self) -> TableState:
        """The table standardized, with what several blocks share."""
        values, observed = self.table
        return TableState(prepare_few(values, observed, seed=self.seed), n_rows=len(values), seed=self.seed)


def _fill_in(result_DDF: Tensor, task: Task, plan: _Plan) -> None:
    """Write the statistics of one task."""
    for block, there, here in plan.whole:
        part = block.function(task, there)
        if part is not None:
            _put(result_DDF, part if len(there) == part.shape[2] else part[:, :, there], here)
    if plan.single:
        values: dict[str, Tensor] = {}
        for block in plan.single:
            values |= task.state.get(block.function)
        together = task.state.columns.together
        del task.state  # what blocks share is large for wide tables
        real = task.variables.nonzero()[:, 0]
        here = sorted(k for _, forward, backward in plan.layout.values() for k in {*forward, *backward})
        for rows, part in assembled(plan.layout, values, together):
            if task.padded:
                padded = torch.zeros(len(part), len(task.variables), part.shape[2])
                padded[:, real] = part
                _put_rows(result_DDF, real[rows], padded, here)
            else:
                _put(result_DDF[rows], part, here)
    if task.gaps is not None:
        seen = task.gaps.float()
        missing, joint = 1.0 - seen.mean(0), seen.T @ seen / len(seen)
        truth = {"missing_cause": missing[:, None], "missing_effect": missing[None, :], "joint_share": joint}
        between = ~torch.eye(len(missing), dtype=torch.bool)
        place = task.variables.nonzero()[:, 0]
        for k, name in plan.gap_features:
            kept = result_DDF[place[:, None], place, k]
            result_DDF[place[:, None], place, k] = torch.where(between, truth[name], kept)


def _put_rows(result_DDF: Tensor, rows: Tensor, part: Tensor, here: list[int]) -> None:
    result_DDF[rows[:, None], :, torch.tensor(here)] = part.transpose(1, 2)


def _put(result_DDF: Tensor, part: Tensor, here: list[int]) -> None:
    if here == list(range(here[0], here[0] + len(here))):  # a slice is written many times faster
        result_DDF[:, :, here[0] : here[0] + len(here)] = part
    else:
        result_DDF[:, :, here] = part


def assembled(layout: Layout, values: Mapping[str, Tensor], together: Tensor) -> Iterator[tuple[slice, Tensor]]:
    """Features of statistics for successive blocks of causes: (C, D, F) float32 in the order of their positions.

    Non-finite numbers become 0 and all are limited to [-8, 8]. ``together`` (D, D) bool are the pairs observed in
    enough rows; matrices are 0 elsewhere.
    """
    D = together.shape[0]
    order = sorted(k for _, forward, backward in layout.values() for k in {*forward, *backward})
    rank = {k: n for n, k in enumerate(order)}
    places = {
        kind: tuple(torch.tensor([rank[k] for k in places]) for places in ends) for kind, (_, *ends) in layout.items()
    }
    between = together.float().fill_diagonal_(0.0)
    step = max(1, _ASSEMBLED // (D * len(order)))
    for start in range(0, D, step):
        i = slice(start, min(start + step, D))
        out_FCD = torch.empty(len(order), i.stop - start, D)
        for kind, (names, _, _) in layout.items():
            one, other = places[kind]
            if kind == "size":
                out_FCD[one] = _tidy([values[name] for name in names])[:, None, None]
            elif kind == "marginal":
                stack = _tidy([values[name] for name in names])
                out_FCD[one] = stack[:, i, None].expand(-1, -1, D)
                out_FCD[other] = stack[:, None].expand(-1, i.stop - start, -1)
            else:
                stack = _tidy([values[name][i] for name in names]).mul_(between[i])
                whole = start == 0 and i.stop == D
                turned = stack if whole else _tidy([values[name][:, i] for name in names]).mul_(between[:, i])
                turned = turned.transpose(1, 2)
                if kind == "symmetric":
                    out_FCD[one] = (stack + turned) * 0.5
                elif kind == "antisymmetric":
                    out_FCD[one] = (stack - turned) * 0.5
                else:
                    out_FCD[one] = stack
                    out_FCD[other] = turned
        yield i, out_FCD.permute(1, 2, 0)


def _tidy(values: Sequence[Tensor]) -> Tensor:
    """Values stacked, as finite numbers from -8 to 8."""
    return torch.nan_to_num_(torch.stack(list(values)).float(), nan=0.0, posinf=8, neginf=-8).clamp_(-8.0, 8.0)


@dataclass(frozen=True, kw_only=True)
class Batch:
    """values: float (B, N, D), unobserved cells finite. observed: bool (B, N, D). variables: bool (B, D).
    single: whether one table (N, D) was given."""

    values: Tensor
    observed: Tensor
    variables: Tensor
    single: bool


def checked_batch(values: Array, observed: Array | None, variables: Array | None) -> Batch:
    """Tensors of one shape, or an InputError that says what to change. Two-dimensional input is a batch of one."""
    cells = _tensor(values)
    single = cells.ndim == 2
    if single:
        cells = cells[None]
        observed = None if observed is None else _tensor(observed)[None]
        variables = None if variables is None else _tensor(variables)[None]
    if cells.ndim != 3:
        raise InputError(f"values have shape {tuple(cells.shape)}; pass (rows, variables) or (tasks, rows, variables)")
    B, N, D = cells.shape
    if N < 3:
        raise InputError(f"{N} rows are too few for pairwise statistics; pass at least 3")
    if not cells.is_floating_point():
        cells = cells.to(torch.float64)
    elif cells.dtype not in (torch.float32, torch.float64):
        cells = cells.to(torch.float32)
    seen = _mask(observed, (B, N, D), "observed", cells.device)
    real = _mask(variables, (B, D), "variables", cells.device)
    fewest = int(real.sum(dim=1).min()) if B else 2
    if fewest < 2:
        raise InputError(f"a task has {fewest} variable(s) and no pair to speak of; pass at least 2 variables")
    finite = cells.isfinite()
    wrong = seen & real[:, None] & ~finite
    if bool(wrong.any()):
        task, row, column = (int(k) for k in wrong.nonzero()[0])
        raise InputError(
            f"task {task}, row {row}, column {column} holds {float(cells[task, row, column])} but counts as observed "
            f"({int(wrong.sum())} such cells); mark missing cells False in `observed` and replace infinities"
        )
    return Batch(values=torch.where(finite, cells, 0.0), observed=seen & finite, variables=real, single=single)


def _tensor(array: Array) -> Tensor:
    return array.detach() if isinstance(array, Tensor) else torch.as_tensor(np.asarray(array))


def _mask(mask: Array | None, shape: tuple[int, ...], name: str, device: torch.device) -> Tensor:
    if mask is None:
        return torch.ones(shape, dtype=torch.bool, device=device)
    found = _tensor(mask)
    if tuple(found.shape) != shape:
        raise InputError(f"`{name}` has shape {tuple(found.shape)} but the values ask for {shape}; make them match")
    if found.dtype != torch.bool:
        if not bool(((found == 0) | (found == 1)).all()):
            raise InputError(f"`{name}` holds other numbers than 0 and 1; pass a boolean mask")
        found = found.to(torch.bool)
    return found.to(device)
