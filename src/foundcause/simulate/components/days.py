"""Days, weeks or hours in a row: seasons, weekdays, memory, effects that come late. N rows in order of time, V nodes.

A season drives many columns, each in its own phase, and effects linger. A few hundred autocorrelated days carry less
information than independent ones.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from foundcause.simulate.components.column_kinds import COLUMNS, partly_explained
from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.random_functions import smooth_noise, standard, warp
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

CALENDAR = {"season": 0.45, "weekday": 0.2, "trend": 0.1, "none": 0.25}
"""Kinds of nodes without causes, each at most once in a scene. Season and trend exclude each other."""
KINDS = {"normal": 0.4, "amount": 0.27, "count": 0.11, "percent": 0.08, "showers": 0.09, "binary": 0.05}
_WEEK = 7


@dataclass(frozen=True, kw_only=True)
class Habits:
    """Parameters that the columns of a scene share.

    memory: typical share of a day that is left on the next.
    late: share of effects that come late or pile up.
    explained: typical share of a column that its causes explain.
    bend: share of effects that are not straight lines.
    """

    memory: float
    late: float
    explained: float
    curvature: float


@field_component("days")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A diary of ``variables`` observed columns."""
    hidden = int(rng.uniform(0.0, 0.3) * variables)
    shape = str(rng.choice(["layered", "plain", "hubs", "tree", "chain"]))
    graph = wire(rng, nodes=variables + hidden, form=shape, edges_per_node=rng.uniform(0.8, 2.0), most_parents=5)
    unseen = hide_some(rng, graph, hidden)
    habits = Habits(
        memory=float(rng.choice([0.0, rng.uniform(0.1, 0.7), rng.uniform(0.7, 0.97)], p=[0.2, 0.5, 0.3])),
        late=float(rng.choice([0.0, rng.uniform(0.1, 0.6)])),
        explained=float(rng.uniform(0.25, 0.85)),
        curvature=float(rng.uniform(0.1, 0.6)),
    )
    builder = Builder(rows)
    scores: list[np.ndarray] = []
    calendar: dict[int, str] = {}
    for node in range(len(graph)):
        parents = np.flatnonzero(graph[:, node])
        if len(parents) == 0 and rng.random() < (0.8 if not calendar else 0.2):
            kind = str(rng.choice(list(CALENDAR), p=list(CALENDAR.values())))
            if kind != "none" and not _already_shown(kind, calendar.values()):
                calendar[node] = kind
                column, score = _calendar(rng, rows, kind)
                builder.add(column, [], hidden=unseen[node], discrete=len(np.unique(column)) <= 12)
                scores.append(score)
                continue
        signals = [_cause_signal(rng, scores[k], calendar.get(int(k), ""), habits) for k in parents]
        own = _lingering(rng, rows, habits.memory)
        latent = partly_explained(rng, signals, own, explained=habits.explained, curvature=habits.curvature)
        kind = str(rng.choice(list(KINDS), p=list(KINDS.values())))
        column, score, discrete = _showers(rng, latent) if kind == "showers" else COLUMNS[kind](rng, latent, 5)
        scores.append(standard(score))
        builder.add(column, parents.tolist(), hidden=unseen[node], discrete=discrete)
    return builder.scene(
        shape=shape, latents=hidden, memory=round(habits.memory, 3), calendar=sorted(calendar.values())
    )


def _already_shown(kind: str, present: Collection[str]) -> bool:
    """Whether a column of the calendar would follow from those there are, with no cause to show for it."""
    return kind in present or {kind, *present} >= {"season", "trend"}


def _calendar(rng: np.random.Generator, rows: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """A column that time alone makes, and what effects follow: an angle, a day of the week, or the date."""
    time = np.arange(rows)
    if kind == "weekday":
        code = ((time + int(rng.integers(_WEEK))) % _WEEK).astype(np.float64)
        if rng.random() < 0.4:
            code = np.where(code >= _WEEK - 2, _WEEK - 1.0, 0.0)
            return code / code.max(), code
        return code, code
    if kind == "trend":
        return time.astype(np.float64), standard(time.astype(np.float64))
    # From two thirds of a year to many years. Quarters would not explain what their effects have in common.
    share = (time / rows * np.exp(rng.uniform(np.log(0.7), np.log(12.0))) + rng.random()) % 1.0
    parts = int(rng.choice([12, 24, 52, 365]))
    return np.floor(share * parts) + 1.0, 2 * np.pi * share


def _cause_signal(rng: np.random.Generator, score: np.ndarray, calendar: str, habits: Habits) -> np.ndarray:
    """The signal of a cause, standardized (N,): a phase of a season, a pattern of the week, or a delay."""
    if calendar == "season":
        second = rng.uniform(0.0, 0.4) if rng.random() < 0.4 else 0.0
        phase = rng.uniform(0.0, 2 * np.pi, 2)
        return standard(np.cos(score - phase[0]) + second * np.cos(2 * score - phase[1]))
    if calendar == "weekday":
        # Weekends differ from other days more than these do among themselves.
        taste = 0.3 * rng.normal(size=_WEEK) + np.where(np.arange(_WEEK) >= _WEEK - 2, rng.choice([-1.5, 1.5]), 0.0)
        return standard(taste[score.astype(np.int64)])
    if rng.random() >= habits.late:
        return score
    if habits.memory > 0.5 and rng.random() < 0.4:
        # Without autocorrelation, yesterday's cause would leave no trace in today's row.
        return standard(np.concatenate([score[:1], score[:-1]]))
    stay = rng.uniform(0.2, max(0.5, habits.memory))
    return standard(lfilter([1.0 - stay], [1.0, -stay], score))


def _lingering(rng: np.random.Generator, rows: int, memory: float) -> np.ndarray:
    """Own noise of a column, (N,), with autocorrelation."""
    own = np.clip(memory + 0.15 * rng.normal(), 0.0, 0.98) * (memory > 0.0)
    noise = smooth_noise(rng, rows, 1, np.array([own]))[:, 0]
    if rng.random() < 0.4:
        noise = warp(rng, standard(noise), strength=rng.uniform(0.2, 1.0), length=rng.uniform(0.6, 3.0))
    return standard(noise)


def _showers(rng: np.random.Generator, latent: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Nothing on most days and much on some, as rain and sales of a slow mover are."""
    above = np.maximum(latent - np.quantile(latent, rng.uniform(0.1, 0.7)), 0.0)
    amount = above ** rng.uniform(0.8, 2.0) * np.exp(rng.uniform(0.0, 4.0))
    return np.round(amount, 1) if rng.random() < 0.5 and amount.max() > 0.5 else amount, amount, False
