"""Compare every share and size of a mixture with what the records of many tasks count, and measure shortcuts.

Standard errors are taken over tasks, since the nodes of one task may share a family. Sortability says how far the
causal order can be read off variances (Reisach, Seiler, Weichwald, 2021) or predictabilities (Reisach et al., 2023)
alone; one half means no information. N rows, D columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from foundcause.simulate.corruptions.extra_columns import SMALLEST_FOR_DERIVED, SMALLEST_FOR_UNRELATED
from foundcause.simulate.corruptions.paper_artifacts import SMALLEST_FOR_COPIES
from foundcause.simulate.draws import Range
from foundcause.simulate.extension import components, pair_components
from foundcause.simulate.settings import Mixture, Sizes
from foundcause.simulate.task import Task

Record = dict[str, Any]
Measure = Callable[[Record], tuple[float, float] | None]
_OWN_ARTIFACTS = tuple(name for name, one in components().items() if one.artifacts != "paper")
_AS_WRITTEN = tuple(name for name, one in components().items() if one.as_written)
_NO_SHARED_NOISE = (*_OWN_ARTIFACTS, "discrete", "subpopulation", "mixed")
_SPECIALS = ("bivariate", "fog", "subpopulation", "interventions", "ultra_sparse", "discrete")
_PATH_COMPONENTS = ("dowhy", "diverse", "ultra_sparse", "interventions", "linear_gaussian")


@dataclass(frozen=True, kw_only=True)
class Share:
    """One number of the page.

    name: what it is.
    expected: the page's number.
    measure: (successes, trials) of a task's record, or None when the number does not concern it.
    bounds: for a size instead of a share, the range no task may leave.
    """

    name: str
    expected: float
    measure: Measure
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A share as counted.

    name, expected: of the share.
    observed: the same over all tasks.
    error: standard error of ``observed``.
    tasks: how many tasks it concerns.
    outside: tasks out of the bounds.
    """

    name: str
    expected: float
    observed: float
    error: float
    tasks: int
    outside: int

    @property
    def deviation(self) -> float:
        """Distance from what is expected in standard errors."""
        if self.observed == self.expected:
            return 0.0
        return (self.observed - self.expected) / self.error if self.error > 0 else math.inf


def shares(mixture: Mixture) -> list[Share]:
    """Every share and size of the mixture that its records can answer for."""
    found = [
        Share(name=f"component {name}", expected=weight, measure=_is("component", name))
        for name, weight in mixture.shares.items()
    ]
    fair = list(_SPECIALS)
    if mixture.weights.get("dowhy", 0) == mixture.weights.get("diverse", 0):
        fair += ["dowhy", "diverse"]
    found.append(Share(name="DoWhy path", expected=0.5, measure=_is("path", "dowhy", _among("component", *fair))))
    found += _sizes(mixture)
    found += _families("DoWhy mechanism", "mechanisms", mixture.dowhy.mechanisms, _plain_dowhy)
    found += _families("DoWhy noise", "noises", mixture.dowhy.noise, _plain_dowhy)
    found += _families("DoWhy root", "roots", {"gaussian_mixture": mixture.dowhy.root_mixture}, _plain_dowhy)
    found += _families("diverse noise", "noises", mixture.diverse.noise, _plain_diverse)
    if mixture.diverse.mixed_types == 0.0:
        found += _families("diverse mechanism", "mechanisms", mixture.diverse.mechanisms, _plain_diverse)
    found += [
        Share(name=f"topology {name}", expected=weight, measure=_is("topology", name, _is_component("diverse")))
        for name, weight in mixture.diverse.topologies.items()
    ]
    found += _artifacts(mixture)
    corrupted = mixture.corruptions
    found.append(Share(name="unrelated columns", expected=corrupted.get("unrelated_columns", 0.0), measure=_unrelated))
    found.append(Share(name="derived columns", expected=corrupted.get("derived", 0.0), measure=_derived))
    found.append(Share(name="rows that repeat", expected=corrupted.get("repeats", 0.0), measure=_told("units")))
    found.append(Share(name="scales of their own", expected=corrupted.get("scales", 0.0), measure=_told("scales")))
    in_classes = _told("classes", but=_AS_WRITTEN)
    found.append(Share(name="told in classes", expected=corrupted.get("classes", 0.0), measure=in_classes))
    found.append(Share(name="missing cells in a task", expected=mixture.missing.chance, measure=_has("missing")))
    found += [
        Share(name=f"missing {kind}", expected=weight, measure=_missing_kind(kind))
        for kind, weight in mixture.missing.kinds.items()
    ]
    cells = mixture.missing.cells
    found.append(_size("share of cells missing", cells, lambda r: r["missing"]["share"], lambda r: bool(r["missing"])))
    found.append(Share(name="easy among bivariate", expected=mixture.specials.easy_pairs, measure=_easy))
    found.append(
        _size(
            "ultra-sparse density",
            mixture.specials.sparse_density,
            lambda r: r["density"],
            _is_component("ultra_sparse"),
        )
    )
    found.append(
        _size(
            "conditions pooled",
            mixture.specials.conditions,
            lambda r: r["conditions"],
            _is_component("interventions"),
            True,
        )
    )
    return found


def tally(mixture: Mixture, records: Iterable[Record]) -> list[Finding]:
    """What the records count for every share."""
    wanted = shares(mixture)
    counts: list[list[tuple[float, float]]] = [[] for _ in wanted]
    for record in records:
        for share, seen in zip(wanted, counts, strict=True):
            measured = share.measure(record)
            if measured is not None and measured[1] > 0:
                seen.append(measured)
    return [_finding(share, seen) for share, seen in zip(wanted, counts, strict=True) if seen]


def _finding(share: Share, seen: list[tuple[float, float]]) -> Finding:
    trials = sum(n for _, n in seen)
    observed = sum(k for k, _ in seen) / trials
    center = observed if share.bounds else share.expected
    error = math.sqrt(sum((k - center * n) ** 2 for k, n in seen)) / trials
    if not share.bounds:  # a rare event seen by luck too seldom must not shrink its own error
        error = max(error, math.sqrt(center * (1.0 - center) / trials))
    low, high = share.bounds or (-math.inf, math.inf)
    return Finding(
        name=share.name,
        expected=share.expected,
        observed=observed,
        error=error,
        tasks=len(seen),
        outside=sum(not low <= k / n <= high for k, n in seen),
    )


def _sizes(mixture: Mixture) -> list[Share]:
    own = mixture.sizes.own_variables
    usual = _variables("variables", mixture.sizes.variables, lambda name: name not in (*pair_components(), *own))
    found = [usual, *(_variables(f"variables of {name}", own[name], name.__eq__) for name in own)]
    found += _rows(mixture.sizes)
    if mixture.hiding.heavy_chance == 0.0:
        bounds = (mixture.hiding.usual.low, mixture.hiding.usual.high)
        found.append(
            Share(
                name="latents per variable",
                expected=mean_of(mixture.hiding.usual) - _rounding_loss(mixture),
                measure=lambda r: (r["latents"] / r["variables"], 1.0) if _hides(r) else None,
                bounds=bounds,
            )
        )
    return found


def _variables(title: str, ranges: tuple[tuple[float, Range], ...], concerned: Callable[[str], bool]) -> Share:
    """The mean number of variables of the components that are concerned."""
    return Share(
        name=title,
        expected=sum(weight * mean_of(span, whole=True) for weight, span in ranges)
        / sum(weight for weight, _ in ranges),
        measure=lambda r: (r["variables"], 1.0) if concerned(r["component"]) else None,
        bounds=(min(span.low for _, span in ranges), max(span.high for _, span in ranges)),
    )


def _rows(sizes: Sizes) -> list[Share]:
    limited = sizes.wide_rows < sizes.rows.high  # of wide tasks the rows follow another law
    few = sizes.few_rows_chance > 0.0

    def short(record: Record) -> bool:
        return few and record["rows"] <= sizes.few_rows.high

    def usual(record: Record) -> bool:
        return not short(record) and not (limited and record["variables"] > sizes.wide)

    title = "rows (not wide)" if limited else "rows"
    found = [_size(title, sizes.rows, lambda r: r["rows"], usual, True)]
    if few:
        found.append(Share(name="few rows", expected=sizes.few_rows_chance, measure=lambda r: (float(short(r)), 1.0)))
        found.append(_size("rows, where few", sizes.few_rows, lambda r: r["rows"], short, True))
    return found


def _rounding_loss(mixture: Mixture) -> float:
    """Mean of share - floor(share * D) / D over the sizes, by summing."""
    (_, span), *_ = mixture.sizes.variables
    hiding, steps = mixture.hiding.usual, 1000
    grid = [hiding.low + (hiding.high - hiding.low) * (k + 0.5) / steps for k in range(steps)]
    sizes = range(int(span.low), int(span.high) + 1)
    return sum(share - int(share * size) / size for share in grid for size in sizes) / steps / len(sizes)


def _artifacts(mixture: Mixture) -> list[Share]:
    settings = mixture.artifacts
    found = []
    special = ("rounding_share", "correlated_noise", "collinear_group", "pair_warps")
    for name in settings.__dataclass_fields__:
        if name not in special:
            found.append(Share(name=name, expected=getattr(settings, name), measure=_lists(name, _touched)))
    found.append(
        Share(
            name="pair_warps",
            expected=settings.pair_warps,
            measure=_lists("pair_warps", lambda r: _touched(r) and r["columns"] == 2),
        )
    )
    correlated = _lists("correlated_noise", _may_share_noise)
    found.append(Share(name="correlated_noise", expected=settings.correlated_noise, measure=correlated))
    grouped = _lists("collinear_group", _may_be_grouped)
    found.append(Share(name="collinear_group", expected=settings.collinear_group, measure=grouped))
    found.append(
        Share(
            name="columns rounded",
            expected=mean_of(settings.rounding_share),
            measure=lambda r: (r["rounded"], r["continuous"]) if _touched(r) else None,
        )
    )
    return found


def _families(title: str, key: str, weights: Any, concerns: Callable[[Record], bool]) -> list[Share]:
    def measure(name: str) -> Measure:
        return lambda r: (r[key].get(name, 0), sum(r[key].values())) if concerns(r) else None

    return [Share(name=f"{title} {name}", expected=w, measure=measure(name)) for name, w in weights.items()]


def mean_of(span: Range, whole: bool = False) -> float:
    """The mean of a range's law."""
    if span.log:
        if whole:
            low, high = int(span.low), int(span.high)
            total = math.log((high + 1) / low)
            return sum(k * math.log((k + 1) / k) for k in range(low, high + 1)) / total
        return (span.high - span.low) / math.log(span.high / span.low) if span.high > span.low else span.low
    return (span.low + span.high) / 2


def _size(
    name: str, span: Range, value: Callable[[Record], float], concerns: Callable[[Record], bool], whole: bool = False
) -> Share:
    return Share(
        name=name,
        expected=mean_of(span, whole),
        measure=lambda r: (float(value(r)), 1.0) if concerns(r) else None,
        bounds=(span.low, span.high),
    )


def _plain_dowhy(record: Record) -> bool:
    """Whose mechanisms and noise are the DoWhy table's."""
    return record.get("path") == "dowhy" and record["component"] in (
        "dowhy",
        "ultra_sparse",
        "interventions",
        "bivariate",
    )


def _plain_diverse(record: Record) -> bool:
    """Whose mechanisms and noise are the diverse path's."""
    plain = ("diverse", "ultra_sparse", "interventions", "bivariate")
    return record.get("path") == "diverse" and record["component"] in plain


def _hides(record: Record) -> bool:
    """Whose number of latents is the page's share of its variables."""
    return record["component"] in _PATH_COMPONENTS and "collinear_group" not in record


def _touched(record: Record) -> bool:
    """Who passes the paper's post-processing with something to spoil."""
    return record["component"] not in _OWN_ARTIFACTS and not record["easy"] and record["continuous"] > 0


def _may_share_noise(record: Record) -> bool:
    return record["component"] not in _NO_SHARED_NOISE and not record["easy"]


def _may_be_grouped(record: Record) -> bool:
    able = record["component"] not in (*_OWN_ARTIFACTS, "discrete", "bivariate")
    return able and record["variables"] >= SMALLEST_FOR_COPIES and record["continuous"] > 0


def _among(key: str, *names: str) -> Callable[[Record], bool]:
    return lambda r: r.get(key) in names


def _is_component(name: str) -> Callable[[Record], bool]:
    return lambda r: r["component"] == name


def _is(key: str, name: str, concerns: Callable[[Record], bool] = lambda r: True) -> Measure:
    return lambda r: (float(r.get(key) == name), 1.0) if concerns(r) else None


def _lists(name: str, concerns: Callable[[Record], bool]) -> Measure:
    return lambda r: (float(name in r["artifacts"]), 1.0) if concerns(r) else None


def _has(key: str) -> Measure:
    return lambda r: (float(bool(r[key])), 1.0)


def _told(key: str, *, but: tuple[str, ...] = ()) -> Measure:
    return lambda r: (float(key in r), 1.0) if r["component"] not in but else None


def _missing_kind(kind: str) -> Measure:
    return lambda r: (float(r["missing"]["kind"] == kind), 1.0) if r["missing"] else None


def _unrelated(record: Record) -> tuple[float, float] | None:
    return (float("unrelated_columns" in record), 1.0) if record["variables"] >= SMALLEST_FOR_UNRELATED else None


def _derived(record: Record) -> tuple[float, float] | None:
    room = record["variables"] - record.get("unrelated_columns", 0) >= SMALLEST_FOR_DERIVED
    return (float("derived" in record), 1.0) if room and record["component"] != "unrelated" else None


def _easy(record: Record) -> tuple[float, float] | None:
    return (float(record["easy"]), 1.0) if record["component"] == "bivariate" else None


_RIDGE = 1e-6  # keeps collinear columns invertible


def sortability(score_D: np.ndarray, adjacency: np.ndarray) -> float:
    """Share of directed paths, counted once per length and pair of ends, along which the score grows.

    Ties count one half; NaN without edges.
    """
    edges = adjacency.astype(np.float64)
    grows = np.sign(score_D[None, :] - score_D[:, None]) * 0.5 + 0.5
    close = np.isclose(score_D[None, :], score_D[:, None], rtol=1e-9, atol=0.0)
    grows[close] = 0.5
    total, right = 0.0, 0.0
    paths = edges.copy()
    for _ in range(len(edges)):
        if not paths.any():
            break
        here = paths > 0
        total += here.sum()
        right += grows[here].sum()
        paths = (paths @ edges > 0).astype(np.float64)
    return float(right / total) if total else float("nan")


def varsortability(values_ND: np.ndarray, adjacency: np.ndarray) -> float:
    """Sortability by variance."""
    return sortability(np.nanvar(values_ND.astype(np.float64), axis=0), adjacency)


def r2_sortability(values_ND: np.ndarray, adjacency: np.ndarray) -> float:
    """Sortability by the R2 of each column given all others; it does not depend on scales."""
    return sortability(r2(values_ND), adjacency)


def r2(values_ND: np.ndarray) -> np.ndarray:
    """(D,) R2 of the linear regression of each column on all others; missing cells are replaced by the mean."""
    values = values_ND.astype(np.float64)
    values = values - np.nanmean(values, axis=0)
    values = np.nan_to_num(values)
    values /= np.maximum(values.std(axis=0), 1e-300)
    correlation = values.T @ values / len(values)
    precision = np.linalg.inv(correlation + _RIDGE * np.eye(len(correlation)))
    return 1.0 - 1.0 / np.diag(precision)


def sortabilities(task: Task) -> tuple[float, float]:
    """(varsortability, R2-sortability) of a task's table as it stands."""
    values = np.where(task.observed, task.values, np.nan)
    return varsortability(values, task.adjacency), r2_sortability(values, task.adjacency)
