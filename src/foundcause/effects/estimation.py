"""Total effects averaged over sampled graphs.

Shapes: N rows, n graphs, D columns, P design columns.

Each graph says which columns to adjust for, that the effect is zero, or that no adjustment identifies it. Graphs with
the same set share one estimate. The answer mixes the estimates: its spread holds the noise of the rows and the doubt
about the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from foundcause.effects.design import Block, named_block
from foundcause.effects.regression import Estimate, additive_effect, doubly_robust, linear_effect, partially_linear
from foundcause.effects.sampled import SampledGraphs
from foundcause.errors import ConfigError, InputError

if TYPE_CHECKING:
    import pandas as pd

Estimator = Literal["auto", "linear", "additive", "boosting", "doubly-robust"]
_ESTIMATORS = ("auto", "linear", "additive", "boosting", "doubly-robust")
_COSTLY_SETS = 5  # adjustment sets that a learner is fitted for; rarer ones use the estimate of the most common one
_DRAWS = 50  # values that a graph contributes to the interval


@dataclass(frozen=True, kw_only=True)
class Effect:
    """A total effect of one column on another.

    Parameters
    ----------
    treatment, outcome : str
        Columns. For categories, ``contrast`` names the two levels that are compared.
    mean : float
        Mean over the graphs in which the effect is identified. NaN if it is in none.
    low, high : float
        Ends of the interval.
    level : float
        Probability that the interval should contain the effect.
    probability : float
        Probability that the treatment affects the outcome at all.
    identified : float
        Share of the graphs with an effect that identify it. They stand for the others.
    unit : str
        What ``mean`` counts.
    contrast : str
        What is compared.
    adjustment_sets : tuple of (tuple of str, float)
        Columns adjusted for and the share of graphs, most common first.
    estimator : str
        How each set was estimated.
    rows : int
        Rows that were used.
    """

    treatment: str
    outcome: str
    mean: float
    low: float
    high: float
    level: float
    probability: float
    identified: float
    unit: str
    contrast: str
    adjustment_sets: tuple[tuple[tuple[str, ...], float], ...]
    estimator: str
    rows: int
    draws: np.ndarray = field(repr=False, compare=False)

    def __str__(self) -> str:
        head = f"{self.treatment} → {self.outcome} ({self.contrast})"
        interval = f"{self.level:.0%} interval {self.low:.3g} to {self.high:.3g}"
        if np.isnan(self.mean):
            return f"{head}: not identified. Hidden common causes may explain all of it."
        return (
            f"{head}: {self.mean:.3g} {self.unit}, {interval}. "
            f"An effect exists with probability {self.probability:.2f}. "
            f"{self.identified:.0%} of its graphs identify it."
        )


def estimate_effect(
    graphs: SampledGraphs,
    blocks: Sequence[Block],
    treatment: str,
    outcome: str,
    *,
    estimator: Estimator = "auto",
    level: float = 0.9,
    standardized: bool = True,
    treatment_level: str | None = None,
    outcome_level: str | None = None,
    rng: np.random.Generator | None = None,
) -> Effect:
    """Estimate the total effect of a treatment on an outcome.

    Parameters
    ----------
    graphs : SampledGraphs
        Graphs over at least these columns.
    blocks : sequence of Block
        Columns of the table, from ``design_blocks``.
    treatment, outcome : str
        Columns.
    estimator : {"auto", "linear", "additive", "boosting", "doubly-robust"}
        How to adjust. "auto" is "additive": regression splines, linear where rows are few.
    level : float, default=0.9
        Probability of the interval.
    standardized : bool, default=True
        Count numbers in standard deviations. False counts in the columns' own units.
    treatment_level, outcome_level : str or None
        Level of a category to compare with the most common one. None takes the second most common one.
    rng : numpy.random.Generator or None
        Source of randomness. None starts from seed 0.

    Returns
    -------
    Effect
    """
    if estimator not in _ESTIMATORS:
        raise ConfigError(f"estimator={estimator!r} is unknown; choose one of {', '.join(_ESTIMATORS)}")
    if not 0 < level < 1:
        raise ConfigError(f"level={level!r} must lie between 0 and 1")
    rng = np.random.default_rng(0) if rng is None else rng
    x, y = named_block(blocks, treatment), named_block(blocks, outcome)
    usable = np.isin(graphs.columns, [block.name for block in blocks])
    sets, identified, causal = graphs.adjustment_sets(treatment, outcome, usable=usable)
    cause, cause_scale, contrast = _cause(x, treatment_level, standardized)
    effect, effect_scale, unit = _response(y, outcome_level, standardized)
    rows = x.observed & y.observed
    if rows.sum() < 10:
        raise InputError(f"only {rows.sum()} rows hold both {treatment!r} and {outcome!r}; at least 10 are needed")
    scale = effect_scale / cause_scale
    method = "additive" if estimator == "auto" else estimator
    others = _other_levels(x, cause)

    unique, group, counts = _grouped(sets[causal & identified])
    designs = (_covariates(graphs, blocks, members, rows, others) for members in unique)
    estimates = _estimates(method, cause[rows], effect[rows], designs, rng)
    share = float(identified[causal].mean()) if causal.any() else 1.0
    draws = _draw_effects(estimates, group, causal, share, rng) * scale
    low, high = _interval(draws, level)
    chosen = tuple(
        (tuple(graphs.columns[k] for k in np.flatnonzero(members)), float(count / len(graphs)))
        for members, count in zip(unique, counts, strict=True)
    )
    return Effect(
        treatment=treatment,
        outcome=outcome,
        mean=float(draws.mean()) if len(draws) else float("nan"),
        low=low,
        high=high,
        level=level,
        probability=float(causal.mean()),
        identified=share,
        unit=unit,
        contrast=contrast,
        adjustment_sets=chosen,
        estimator=method,
        rows=int(rows.sum()),
        draws=draws,
    )


def estimate_effects(
    graphs: SampledGraphs, blocks: Sequence[Block], outcome: str, *, level: float = 0.9, standardized: bool = True
) -> pd.DataFrame:
    """Estimate the effect of every other column on one outcome, with splines.

    Parameters
    ----------
    graphs : SampledGraphs
    blocks : sequence of Block
    outcome : str
    level, standardized
        As in ``estimate_effect``.

    Returns
    -------
    DataFrame
        One row a treatment: effect, low, high, probability, identified, contrast, unit. Strong and probable effects
        come first.
    """
    import pandas as pd

    named_block(blocks, outcome)
    effects = [
        estimate_effect(graphs, blocks, block.name, outcome, level=level, standardized=standardized)
        for block in blocks
        if block.name != outcome and block.name in graphs.columns and block.observed.sum() >= 10
    ]
    table = pd.DataFrame(
        {
            "treatment": [effect.treatment for effect in effects],
            "effect": [effect.mean for effect in effects],
            "low": [effect.low for effect in effects],
            "high": [effect.high for effect in effects],
            "probability": [effect.probability for effect in effects],
            "identified": [effect.identified for effect in effects],
            "contrast": [effect.contrast for effect in effects],
            "unit": [effect.unit for effect in effects],
        }
    )
    importance = table["probability"] * (0.02 + table["effect"].abs().fillna(0))
    return table.loc[importance.sort_values(ascending=False, kind="stable").index].reset_index(drop=True)


def _cause(block: Block, level: str | None, standardized: bool) -> tuple[np.ndarray, float, str]:
    """Return treatment values (N,), the divisor that gives one unit of the contrast, and the words for it."""
    if block.levels:
        chosen = _level(block, level)
        indicator = block.values[:, block.levels.index(chosen)]
        return indicator, 1.0, f"{chosen} against {block.base}"
    values = block.values[:, 0]
    if block.binary:
        higher = values[block.observed].max()
        return np.where(values == higher, 1.0, 0.0), 1.0, "higher against lower value"
    return values, 1.0 if standardized else block.scale, "one SD more" if standardized else "one unit more"


def _response(block: Block, level: str | None, standardized: bool) -> tuple[np.ndarray, float, str]:
    if block.levels:
        chosen = _level(block, level)
        return block.values[:, block.levels.index(chosen)], 1.0, f"probability of {chosen}"
    return block.values[:, 0], 1.0 if standardized else block.scale, "SD" if standardized else "units"


def _level(block: Block, level: str | None) -> str:
    if level is None:
        return block.levels[0]
    if level not in block.levels:
        known = ", ".join(repr(name) for name in block.levels)
        raise InputError(f"{level!r} is not a level of {block.name!r} beside {block.base!r}; choose one of {known}")
    return level


def _other_levels(block: Block, cause: np.ndarray) -> np.ndarray:
    """(N, P) indicators of the levels that the contrast leaves out; they are held fixed."""
    keep = [k for k in range(len(block.levels)) if not np.array_equal(block.values[:, k], cause)]
    return block.values[:, keep] if block.levels else np.zeros((len(cause), 0))


def _grouped(sets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return unique sets (most common first), the set of each graph, and how many graphs have it."""
    if not len(sets):
        return sets, np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    unique, group, counts = np.unique(sets, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return unique[order], rank[group.ravel()], counts[order]


def _covariates(
    graphs: SampledGraphs, blocks: Sequence[Block], members: np.ndarray, rows: np.ndarray, others: np.ndarray
) -> np.ndarray:
    names = set(np.array(graphs.columns)[members])
    parts: Iterator[np.ndarray] = (block.covariates[rows] for block in blocks if block.name in names)
    return np.column_stack([others[rows], *parts])


def _estimates(
    method: str, cause: np.ndarray, effect: np.ndarray, designs: Iterable[np.ndarray], rng: np.random.Generator
) -> list[Estimate]:
    """One estimate for each set of covariates. Learners are costly, so that rare sets take that of the first one."""
    found: list[Estimate] = []
    for covariates in designs:
        if method == "linear":
            found.append(linear_effect(cause, effect, covariates))
        elif method == "additive":
            found.append(additive_effect(cause, effect, covariates))
        elif len(found) >= _COSTLY_SETS:
            found.append(found[0])
        else:
            learner = partially_linear if method == "boosting" else doubly_robust
            found.append(learner(cause, effect, covariates, seed=int(rng.integers(2**31))))
    return found


def _draw_effects(
    estimates: list[Estimate], group: np.ndarray, causal: np.ndarray, identified: float, rng: np.random.Generator
) -> np.ndarray:
    """Draw values of the mixture: normal around the estimates, and zero as often as graphs have no effect.

    Graphs that identify an effect stand for those that do not. Without any of them there is nothing to draw from.
    """
    zeros = np.zeros(round(_DRAWS * int((~causal).sum()) * identified))
    if not len(group):
        return zeros if not causal.any() else zeros[:0]
    value = np.array([estimate.value for estimate in estimates])[group]
    error = np.array([estimate.error for estimate in estimates])[group]
    noise = rng.standard_normal((_DRAWS // 2, len(group)))
    noise = np.concatenate([noise, -noise])  # pairs of opposite noise keep the mean exact
    return np.concatenate([(value + error * noise).ravel(), zeros])


def _interval(draws: np.ndarray, level: float) -> tuple[float, float]:
    if not len(draws):
        return float("nan"), float("nan")
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
