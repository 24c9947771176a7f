"""Pairwise statistics of tables: which variables depend, and which way.

``compute`` gives them for a batch of tables; ``feature_set`` names and describes them. Shape letters: B tasks, N rows,
D variables, F features.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from foundcause.errors import ConfigError, InputError
from foundcause.features.blocks import blocks_for
from foundcause.features.constants import RffConstants
from foundcause.features.inputs import Array, Batch, checked_batch
from foundcause.features.paper import PAPER_KERNEL_ROWS, paper_statistics
from foundcause.features.paper_features import PAPER
from foundcause.features.precision import single_precision
from foundcause.features.registry import FeatureSet
from foundcause.features.release import release_statistics
from foundcause.features.release_features import RELEASE

if TYPE_CHECKING:
    from foundcause.features.extended_columns import Columns

FAMILIES = ("release", "paper", "extended", "peeled", "sparsest", "lagged", "sketch")


def family(name: str) -> FeatureSet:
    """All features of one of :data:`FAMILIES`."""
    if name == "release":
        return RELEASE
    if name == "paper":
        return PAPER
    if name == "extended":
        from foundcause.features.extended import EXTENDED

        return EXTENDED
    if name == "peeled":
        from foundcause.features.peeling import PEELED

        return PEELED
    if name == "sparsest":
        from foundcause.features.sparsest import SPARSEST

        return SPARSEST
    if name == "lagged":
        from foundcause.features.series import LAGGED

        return LAGGED
    if name == "sketch":
        from foundcause.features.sketch import SKETCH

        return SKETCH
    raise ConfigError(f"unknown feature set {name!r}; choose from {', '.join(FAMILIES)} or join them with '+'")


def feature_set(name: str) -> FeatureSet:
    """A family, or several joined by '+' as in ``paper+extended``."""
    first, *others = [family(part.strip()) for part in name.split("+")]
    for other in others:
        first = first + other
    return first


def selection(names: list[str] | tuple[str, ...], *, label: str = "selection") -> FeatureSet:
    """A feature set of single features by name; a directed feature comes with its partner."""
    known = {feature.name: feature for part in FAMILIES for feature in family(part).features}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ConfigError(f"unknown feature {unknown[0]!r}; docs/statistics.md lists the names")
    lonely = [name for name in names if (known[name].partner or name) not in names]
    if lonely:
        raise ConfigError(f"feature {lonely[0]!r} needs its partner {known[lonely[0]].partner!r} in the selection")
    return FeatureSet(label, tuple(known[name] for name in names))


@single_precision()
@torch.no_grad()
def compute(
    values_BND: Array,
    observed_BND: Array | None = None,
    variables_BD: Array | None = None,
    *,
    features: str | FeatureSet = "paper",
    seed: int = 0,
    kernel_rows: int | None = None,
    constants: RffConstants | None = None,
    fill_seed: int | None = None,
    lagged_BDDL: Array | None = None,
) -> Tensor:
    """Float32 statistics (B, D, D, F), or (D, D, F) for a single table (N, D); [i, j] speaks of i as a cause of j.

    observed_BND: False marks missing cells, whatever they hold. variables_BD: False marks padding variables, whose
    pairs are 0. features: names as in :func:`feature_set`, or a :class:`FeatureSet`; blocks behind features that are
    not asked for are skipped. seed: of tie-breaking and row subsets. kernel_rows: rows of the kernel block, by default
    all for ``release`` and ``PAPER_KERNEL_ROWS`` for ``paper``. constants: random Fourier constants of ``release``,
    which belong to its weights; ``paper`` has its own. fill_seed: a number fills missing cells from donors of that
    seed before anything else (``foundcause.features.fill``; not for ``release``); features that say how much is
    missing still tell the truth. None judges every pair by the rows where both are observed. lagged_BDDL: features of
    ``lagged``, which belong to a whole table in its order and not to the rows given here
    (``foundcause.features.series``; without the first axis for a single table); None for tables that are no series.
    """
    batch = checked_batch(values_BND, observed_BND, variables_BD)
    if kernel_rows is not None and kernel_rows < 3:
        raise InputError(f"kernel_rows is {kernel_rows}; pass at least 3, or None for the default")
    width, places = _named_places(features) if isinstance(features, str) else (len(features), _places(features))
    B, _, D = batch.values.shape
    result = torch.zeros(B, D, D, width, device=batch.values.device)
    with torch.autocast(batch.values.device.type, enabled=False):
        for task in range(B):
            with torch.inference_mode():  # a sixth of the time of small tables is autograd's bookkeeping
                lagged = None if lagged_BDDL is None else (lagged_BDDL if batch.single else lagged_BDDL[task])
                lagged = None if lagged is None else torch.as_tensor(lagged, device=batch.values.device)
                sources = _Sources(batch, task, seed, fill_seed, lagged)
                parts = {
                    name: _one_task(name, sources, there, kernel_rows, constants) for name, (_, there) in places.items()
                }
            for name, (here, there) in places.items():
                part = parts[name] if len(there) == parts[name].shape[2] else parts[name][:, :, there]
                if here == list(range(here[0], here[0] + len(here))):  # a slice is written many times faster
                    result[task, :, :, here[0] : here[0] + len(here)] = part
                else:
                    result[task, :, :, here] = part
    return result[0] if batch.single else result


@lru_cache(maxsize=16)
def _named_places(name: str) -> tuple[int, dict[str, tuple[list[int], list[int]]]]:
    """Number of features of a set by name, and its :func:`_places`."""
    wanted = feature_set(name)
    return len(wanted), _places(wanted)


def _places(wanted: FeatureSet) -> dict[str, tuple[list[int], list[int]]]:
    """Per family: positions in the wanted set, and positions in the family."""
    places: dict[str, tuple[list[int], list[int]]] = {}
    owners: dict[str, tuple[str, int]] = {}
    for name in FAMILIES if any(feature.name not in _EARLY for feature in wanted.features) else FAMILIES[:2]:
        owners |= {feature.name: (name, k) for k, feature in enumerate(family(name).features)}
    for position, feature in enumerate(wanted.features):
        if feature.name not in owners:
            raise ConfigError(f"feature {feature.name!r} of set {wanted.name!r} is not known; see docs/statistics.md")
        name, k = owners[feature.name]
        here, there = places.setdefault(name, ([], []))
        here.append(position)
        there.append(k)
    return places


_EARLY = frozenset(feature.name for feature in RELEASE.features + PAPER.features)


class _Sources:
    """One task of a batch in the forms that families of features start from, each made once."""

    def __init__(self, batch: Batch, task: int, seed: int, fill_seed: int | None, lagged: Tensor | None) -> None:
        self.whole = batch.values[task], batch.observed[task], batch.variables[task]
        self.real, self.seed, self.fill_seed, self.lagged = self.whole[2], seed, fill_seed, lagged

    @cached_property
    def padded(self) -> bool:
        return not bool(self.real.all())

    @cached_property
    def unpadded(self) -> tuple[Tensor, Tensor]:
        """Values and observed cells (N, D) of the real variables."""
        values, observed, _ = self.whole
        return (values[:, self.real], observed[:, self.real]) if self.padded else (values, observed)

    @cached_property
    def gaps(self) -> Tensor | None:
        """What is observed of a table whose gaps are filled; None where nothing is filled."""
        observed = self.unpadded[1]
        return None if self.fill_seed is None or bool(observed.all()) else observed

    @cached_property
    def table(self) -> tuple[Tensor, Tensor]:
        """Values and observed cells (N, D), filled if asked for."""
        values, observed = self.unpadded
        if self.gaps is None:
            return values, observed
        return _without_gaps(values, self.gaps, self.fill_seed or 0), torch.ones_like(observed)

    @cached_property
    def columns(self) -> Columns:
        """The table as extended statistics see it."""
        from foundcause.features.extended_columns import prepare_few

        return prepare_few(*self.table, seed=self.seed)


def _one_task(
    name: str,
    sources: _Sources,
    wanted: list[int],
    kernel_rows: int | None,
    constants: RffConstants | None,
) -> Tensor:
    """All features (D, D, F) of one family for one task of a batch."""
    seed = sources.seed
    if name == "lagged":
        D = len(sources.real)
        return torch.zeros(D, D, len(family(name))) if sources.lagged is None else sources.lagged
    if name == "release":
        return release_statistics(
            *sources.whole, constants=constants, seed=seed, kernel_rows=kernel_rows, blocks=blocks_for(wanted)
        )
    values, observed = sources.table
    if name == "paper":
        inner = paper_statistics(
            values, observed, seed=seed, kernel_rows=kernel_rows or PAPER_KERNEL_ROWS, blocks=blocks_for(wanted)
        )
    elif name == "extended":
        from foundcause.features.extended import extended_features

        inner = extended_features(sources.columns, rows=len(values), seed=seed)
    elif name == "peeled":
        from foundcause.features.peeling import peeled_features

        inner = peeled_features(sources.columns, seed=seed)
    elif name == "sparsest":
        from foundcause.features.sparsest import sparsest_features

        inner = sparsest_features(sources.columns)
    else:
        from foundcause.features.sketch import sketch_statistics

        inner = sketch_statistics(values, observed, seed=seed)
    if sources.gaps is not None:
        inner = _with_true_gaps(inner, family(name), sources.gaps)
    if not sources.padded:
        return inner
    D = len(sources.real)
    whole = torch.zeros(D, D, inner.shape[2], device=inner.device)
    place = sources.real.nonzero()[:, 0]
    whole[place[:, None], place] = inner
    return whole


def _without_gaps(values: Tensor, observed: Tensor, seed: int) -> Tensor:
    """(N, D) values with donors' values in the gaps."""
    from foundcause.features.fill import fill

    cells = fill(values.double().cpu().numpy(), observed.cpu().numpy(), seed=seed)
    return torch.from_numpy(cells).to(values)


def _with_true_gaps(statistics: Tensor, features: FeatureSet, observed: Tensor) -> Tensor:
    """Statistics of a filled table whose features about missing cells are those of the table with gaps."""
    seen = observed.float()
    missing, joint = 1.0 - seen.mean(0), seen.T @ seen / len(seen)
    truth = {"missing_cause": missing[:, None], "missing_effect": missing[None, :], "joint_share": joint}
    between = ~torch.eye(len(missing), dtype=torch.bool, device=observed.device)
    statistics = statistics.clone()
    for k, feature in enumerate(features.features):
        if (name := feature.name.rpartition(".")[2]) in truth:
            statistics[..., k] = torch.where(between, truth[name], statistics[..., k])
    return statistics
