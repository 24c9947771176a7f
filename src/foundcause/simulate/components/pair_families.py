"""Pairs of columns: a cause and its effect, a hidden common cause, or neither. N rows.

Families: the simulators of Mooij et al. (2016) in their four settings, more published generators, effects drawn from a
distribution, random formulas, natural pairs, pairs of time series, and discrete pairs. How the two columns are written
down follows one rule for both, but for the clutter that further causes add to an effect: a network must not distinguish
them by how people write numbers down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.signal import lfilter
from scipy.special import ndtri

from foundcause.simulate.components.expert_networks import TABLE_FAMILIES, prior, sample_states
from foundcause.simulate.components.pair_causes import NATURAL, blob, draw_cause, plain_cause, textbook_cause
from foundcause.simulate.components.pair_effects import (
    NOISE_PLACES,
    PUBLISHED_FORMS,
    RESPONSES,
    effect,
    expression_cause,
    expression_effect,
    network_effect,
    polynomial_effect,
    response,
    shaped_noise,
    spline_effect,
    textbook_effect,
)
from foundcause.simulate.corruptions.measurement_scales import floored, units
from foundcause.simulate.extension import field_component
from foundcause.simulate.random_functions import gaussian_process, standard, warp
from foundcause.simulate.task import Scene

RELATIONS = {"edge": 0.72, "edge_and_hidden": 0.1, "hidden": 0.09, "none": 0.09}
PAIR_FAMILIES = {
    "natural": 0.26,
    "expression": 0.14,
    "warped": 0.1,
    "splines": 0.08,
    "textbook": 0.06,
    "series": 0.08,
    "table": 0.08,
    "network": 0.07,
    "polynomial": 0.07,
    "response": 0.06,
}
Source = Callable[[np.random.Generator, int], np.ndarray]
Maker = Callable[[np.random.Generator, int, np.ndarray | None, bool], tuple[np.ndarray, np.ndarray, dict[str, Any]]]
_SETTINGS = ("SIM", "SIM-c", "SIM-ln", "SIM-G")


@field_component("pairs", two_columns=True, as_written=True)
def draw(rng: np.random.Generator, *, rows: int, variables: int = 2) -> Scene:
    """A scene of two observed variables in random order, with a hidden third one where they are confounded."""
    relation = str(rng.choice(list(RELATIONS), p=list(RELATIONS.values())))
    family = str(rng.choice(list(PAIR_FAMILIES), p=list(PAIR_FAMILIES.values())))
    hidden = _driver(rng, rows, family) if "hidden" in relation else None
    linked = relation.startswith("edge")
    maker = _MAKERS[family]
    cause, result, notes = maker(rng, rows, hidden, linked)
    columns = np.stack([cause, result], axis=1).astype(np.float64)
    discrete = np.array([family == "table", family == "table"])
    if family != "table":
        columns, discrete, touches = recorded(rng, columns, linked=linked)
        notes["touches"] = touches
    flip = bool(rng.random() < 0.5)
    order = [1, 0] if flip else [0, 1]
    values, discrete = columns[:, order], discrete[order]
    graph = np.zeros((2, 2), dtype=bool)
    if linked:
        graph[order.index(0), order.index(1)] = True
    unseen = np.zeros(2, dtype=bool)
    if hidden is not None:
        values = np.column_stack([values, hidden])
        graph = np.pad(graph, ((0, 1), (0, 1)))
        graph[2, :2] = True
        unseen = np.array([False, False, True])
        discrete = np.append(discrete, False)
    return Scene(
        values=values,
        graph=graph,
        hidden=unseen,
        confounded=np.zeros_like(graph),
        discrete=discrete,
        record={"family": family, "relation": relation, **notes},
    )


def _driver(rng: np.random.Generator, rows: int, family: str) -> np.ndarray:
    """A hidden common cause, standardized, (N,)."""
    if family == "series":
        return _autoregressive(rng, rows, rng.uniform(0.5, 0.98))
    return standard(draw_cause(rng, rows)[0])


def _natural(
    rng: np.random.Generator, rows: int, hidden: np.ndarray | None, linked: bool
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """A cause of a natural distribution and a simple law with noise."""
    notes: dict[str, Any] = {}
    if hidden is not None and (not linked or rng.random() < 0.6):
        cause, first = effect(rng, hidden, shaped_noise(rng, rows))
        notes["cause"] = f"hidden: {first['law']}"
    else:
        cause, name = draw_cause(rng, rows)
        notes["cause"] = name
        if hidden is not None:
            cause = standard(cause) + rng.uniform(0.4, 1.5) * standard(warp(rng, hidden))
    noise = shaped_noise(rng, rows)
    if not linked:
        if hidden is None:
            result = draw_cause(rng, rows)[0] if rng.random() < 0.6 else noise
        else:
            result, second = effect(rng, hidden, noise)
            notes.update(second)
        return cause, result, notes
    if hidden is not None:
        share = rng.uniform(0.3, 0.9)
        noise = standard(np.sqrt(1 - share**2) * noise + share * warp(rng, hidden))
    result, second = effect(rng, cause, noise)
    notes.update(second)
    if notes["cause"] not in NATURAL and rng.random() < 0.06:
        result = np.floor(standard(result) * rng.uniform(1.0, 6.0))
        notes["effect"] = "steps"
    return cause, result, notes


def _warped(
    rng: np.random.Generator, rows: int, hidden: np.ndarray | None, linked: bool
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Random distributions through random functions of cause and noise."""
    setting = str(rng.choice(_SETTINGS))
    near_normal = setting == "SIM-G"
    curvature = rng.uniform(0.05, 0.4) if near_normal else rng.uniform(0.5, 1.5)
    size = rng.uniform(0.02, 0.15) if setting == "SIM-ln" else rng.uniform(0.2, 1.0)

    def source() -> np.ndarray:
        return warp(rng, rng.normal(size=rows), strength=curvature, length=rng.uniform(0.5, 2.0))

    def respond(x: np.ndarray, noise: np.ndarray) -> np.ndarray:
        reach = rng.uniform(1.5, 4.0) if near_normal else np.exp(rng.uniform(np.log(0.6), np.log(3.0)))
        if near_normal or rng.random() < 0.3:
            return standard(gaussian_process(rng, x[:, None], np.array([reach]))) + size * noise
        inputs = np.stack([x, size * noise], axis=1)
        return gaussian_process(rng, inputs, np.array([reach, rng.uniform(0.5, 1.5)]))

    cause = source()
    if hidden is not None:
        cause = (
            standard(respond(hidden, cause))
            if not linked or rng.random() < 0.5
            else standard(cause + rng.uniform(0.4, 1.2) * hidden)
        )
    noise = source()
    if not linked:
        result = noise if hidden is None else respond(hidden, noise)
    else:
        if hidden is not None:
            noise = standard(noise + rng.uniform(0.4, 1.5) * warp(rng, hidden))
        result = respond(cause, noise)
    return cause, standard(result), {"setting": setting}


def _series(
    rng: np.random.Generator, rows: int, hidden: np.ndarray | None, linked: bool
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """A driven series: the effect follows the cause at once or with inertia, with a memory of its own."""
    cause = _autoregressive(rng, rows, rng.uniform(0.0, 0.98))
    if rng.random() < 0.5:
        period = rows / rng.uniform(1.0, 10.0)
        cause = standard(cause + rng.uniform(0.5, 2.0) * np.sin(2 * np.pi * np.arange(rows) / period))
    if rng.random() < 0.5:
        cause = warp(rng, cause, strength=rng.uniform(0.2, 1.0))
    if hidden is not None:
        cause = standard(cause + rng.uniform(0.5, 1.5) * hidden)
    noise = _autoregressive(rng, rows, rng.uniform(0.0, 0.95))
    if rng.random() < 0.4:
        noise = warp(rng, noise, strength=rng.uniform(0.2, 0.8))
    if hidden is not None:
        noise = standard(noise + rng.uniform(0.5, 1.5) * hidden)
    if not linked:
        return cause, noise, {"lag": False}
    inertia = rng.uniform(0.1, 0.7) if rng.random() < 0.4 else 0.0
    felt = lfilter([1.0 - inertia], [1.0, -inertia], cause) if inertia else cause
    result, notes = effect(rng, felt, noise)
    return cause, result, {**notes, "lag": bool(inertia)}


def _responding(source: Source, effect: Callable[..., np.ndarray], kinds: tuple[str, ...] = ()) -> Maker:
    """Pairs of one kind of source and one way to answer a cause (N,) and a noise (N,), which may have kinds."""

    def make(
        rng: np.random.Generator, rows: int, hidden: np.ndarray | None, linked: bool
    ) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        kind = (str(rng.choice(kinds)),) if kinds else ()

        def respond(x: np.ndarray, noise: np.ndarray) -> np.ndarray:
            return effect(rng, x, noise, *kind)

        noise = rng.normal(size=rows)
        if hidden is not None:
            noise = standard(noise + rng.uniform(0.4, 1.5) * warp(rng, hidden))
        cause = source(rng, rows)
        if hidden is not None:
            cause = standard(respond(hidden, cause))
        if linked:
            result = respond(cause, noise)
        else:
            result = noise if hidden is None else respond(hidden, rng.normal(size=rows))
        return cause, result, {"kind": kind[0]} if kind else {}

    return make


def _any_cause(rng: np.random.Generator, rows: int) -> np.ndarray:
    """A natural cause or a plain one, (N,)."""
    return draw_cause(rng, rows)[0] if rng.random() < 0.5 else plain_cause(rng, rows)


def _table(
    rng: np.random.Generator, rows: int, hidden: np.ndarray | None, linked: bool
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Two discrete columns: a prior and a conditional table."""
    states = rng.choice([2, 3, 4, 5, 6, 8, 10], size=2, p=[0.2, 0.2, 0.2, 0.15, 0.1, 0.1, 0.05])
    families = [name for name in TABLE_FAMILIES if name not in ("logic", "context")]
    name = str(rng.choice(families))
    levels = 5
    if hidden is not None:
        cuts = np.quantile(hidden, np.arange(1, levels) / levels)
        group = (hidden[:, None] > cuts).sum(axis=1)

    def child(parents: list[np.ndarray], cards: list[int], count: int) -> np.ndarray:
        if not parents:
            probabilities = prior(rng, count, 0.1)[None, :]
        else:
            probabilities = TABLE_FAMILIES[name](rng, np.stack(parents, axis=1), np.array(cards), count)
        codes = sample_states(rng, probabilities, rows)
        codes[rng.choice(rows, 2, replace=False)] = [0, count - 1]
        return codes

    above = [] if hidden is None else [group]
    cards = [] if hidden is None else [levels]
    cause = child(above, cards, int(states[0]))
    result = child([cause] * linked + above, [int(states[0])] * linked + cards, int(states[1]))
    shuffled = rng.random() < 0.4
    pair = [rng.permutation(k)[c] if shuffled else c for c, k in zip((cause, result), states, strict=True)]
    return pair[0], pair[1], {"law": name, "states": [int(k) for k in states]}


def _autoregressive(rng: np.random.Generator, rows: int, memory: float) -> np.ndarray:
    """A standardized series with exponential memory, (N,)."""
    return standard(lfilter([1.0], [1.0, -memory], rng.normal(size=rows + 50))[50:])


_MAKERS: dict[str, Maker] = {
    "natural": _natural,
    "warped": _warped,
    "splines": _responding(blob, spline_effect),
    "textbook": _responding(textbook_cause, textbook_effect, PUBLISHED_FORMS),
    "series": _series,
    "table": _table,
    "network": _responding(plain_cause, network_effect),
    "polynomial": _responding(plain_cause, polynomial_effect, NOISE_PLACES),
    "expression": _responding(expression_cause, expression_effect),
    "response": _responding(_any_cause, response, RESPONSES),
}


_CLUTTER = 0.45  # share of effects that further causes move, beyond what their own law knows
_AMOUNT = 0.22  # share of columns that are written as amounts: skewed to the right
_LOGGED = 0.08
_MIRROR = 0.6  # share of columns with a tail to the left that are written the other way round
_FLOOR = 0.14  # share of columns with a floor that rows lie on
_CEILING = 0.06
_ROUNDED = 0.92  # share of tables that round
_FEW = 20  # distinct values up to which a column counts as discrete


def recorded(
    rng: np.random.Generator, columns: np.ndarray, *, linked: bool
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Two columns (N, 2) as a table shows them, which are discrete (2,), and what was done to them.

    linked: the first is a cause of the second, which may have further causes.
    """
    touches: list[str] = []
    columns = np.array(columns, dtype=np.float64)
    if linked and rng.random() < _CLUTTER:
        columns[:, 1] = _cluttered(rng, columns[:, 1])
        touches.append("cluttered")
    steps = np.array([len(np.unique(column)) < min(40, len(columns) // 3) for column in columns.T])
    if rng.random() < 0.4:
        columns, steps = _measured(rng, columns, steps)
        touches.append("measured")
    if rng.random() < 0.08:
        hit = rng.random(columns.shape) < rng.uniform(0.001, 0.02)
        columns = columns + hit * rng.normal(size=columns.shape) * columns.std(axis=0) * rng.uniform(2.0, 6.0)
        touches.append("outliers")
    for k in (0, 1):
        columns[:, k], done = _on_a_scale(rng, columns[:, k])
        touches.extend(done)
    if rng.random() < _ROUNDED:
        unit = np.where(steps, 0.0, units(rng, columns))
        rounded = np.round(columns / np.where(unit > 0, unit, 1.0)) * unit
        columns = np.where((unit > 0) & (np.ptp(rounded, axis=0) > 0), rounded, columns)
        touches.append("rounded")
    # A constant column would leave the table: noise takes its place.
    flat = np.ptp(columns, axis=0) <= 0
    if flat.any():
        columns = np.where(flat, rng.normal(size=columns.shape), columns)
    scale = np.exp(rng.normal(0.0, 2.0, 2))
    few = np.array([len(np.unique(column)) <= _FEW for column in columns.T])
    return columns * scale + rng.choice([0.0, 1.0]) * rng.normal(0.0, 3.0, 2) * scale, few, touches


def _cluttered(rng: np.random.Generator, column: np.ndarray) -> np.ndarray:
    """An effect (N,) that further causes move as well: on its own scale, or so that its distribution stays."""
    size = np.exp(rng.uniform(np.log(0.5), np.log(2.5)))
    noise = shaped_noise(rng, len(column))
    if rng.random() < 0.5:
        return column + size * column.std() * noise
    # Ties are broken by the noise, not by the order of rows.
    ranks = np.lexsort((noise, column)).argsort()
    scores = ndtri((ranks + 0.5) / len(column))
    moved = np.empty_like(column)
    moved[np.argsort(scores + size * noise)] = np.sort(column)
    return moved


def _measured(rng: np.random.Generator, columns: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns (N, 2) with errors of measurement, and which of them still come in steps."""
    size = np.exp(rng.uniform(np.log(0.004), np.log(0.15), 2)) * (rng.random(2) < 0.75)
    # Values that come in steps are read without error as often as not.
    size = np.where(steps & (rng.random(2) < 0.7), 0.0, size)
    return columns + size * columns.std(axis=0) * rng.normal(size=columns.shape), steps & (size == 0)


def _on_a_scale(rng: np.random.Generator, column: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """A column (N,) as people scale it: the tail on the right, an amount, a logarithm, a floor or a ceiling."""
    touches: list[str] = []
    if np.mean(standard(column) ** 3) < -0.3 and rng.random() < _MIRROR:
        column = -column
        touches.append("mirrored")
    kind = rng.random()
    if kind < _AMOUNT:
        column = np.exp(np.clip(rng.uniform(0.2, 1.2) * standard(column), -6.0, 6.0))
        touches.append("amount")
    elif kind < _AMOUNT + _LOGGED:
        low = column.min()
        column = np.log(column - low + rng.uniform(0.02, 0.5) * (column.mean() - low + 1e-9))
        touches.append("logged")
    if rng.random() < _FLOOR:
        column = floored(rng, column)
        touches.append("floor")
    if rng.random() < _CEILING:
        column = np.minimum(column, np.quantile(column, 1.0 - rng.uniform(0.01, 0.3)))
        touches.append("ceiling")
    return column, touches
