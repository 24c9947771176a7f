"""Two variables: a cause and its effect, a hidden common cause, or nothing at all. N rows.

Families: the simulators of Mooij et al. (2016) in their four settings, more published generators (``pairs_published``,
``pairs_nested``), effects drawn from a distribution (``pairs_responses``), random formulas (``pairs_expressions``),
natural pairs (``pairs_causes``, ``pairs_mechanisms``), pairs of time series, and discrete pairs.
What is done to the columns afterwards follows one rule for both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.signal import lfilter

from foundcause.simulate import pairs_expressions as formulas
from foundcause.simulate import pairs_nested as nested
from foundcause.simulate import pairs_published as published
from foundcause.simulate import pairs_responses as responses
from foundcause.simulate.pairs_causes import NATURAL, draw_cause
from foundcause.simulate.pairs_functions import gaussian_process, standard, warp
from foundcause.simulate.pairs_mechanisms import effect, shaped_noise
from foundcause.simulate.recording import recorded
from foundcause.simulate.task import Scene
from foundcause.simulate.worlds import expert_tables

NAME = "pairs"

RELATIONS = {"edge": 0.72, "edge_and_hidden": 0.1, "hidden": 0.09, "none": 0.09}
FAMILIES = {
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


def draw(rng: np.random.Generator, *, rows: int) -> Scene:
    """A scene of two observed variables in random order, with a hidden third one where they are confounded."""
    relation = str(rng.choice(list(RELATIONS), p=list(RELATIONS.values())))
    family = str(rng.choice(list(FAMILIES), p=list(FAMILIES.values())))
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
        record={"world": NAME, "family": family, "relation": relation, **notes},
    )


def _driver(rng: np.random.Generator, rows: int, family: str) -> np.ndarray:
    """A hidden common cause, standardised, (N,)."""
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
    bend = rng.uniform(0.05, 0.4) if near_normal else rng.uniform(0.5, 1.5)
    size = rng.uniform(0.02, 0.15) if setting == "SIM-ln" else rng.uniform(0.2, 1.0)

    def source() -> np.ndarray:
        return warp(rng, rng.normal(size=rows), strength=bend, length=rng.uniform(0.5, 2.0))

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
    return draw_cause(rng, rows)[0] if rng.random() < 0.5 else nested.plain_cause(rng, rows)


def _table(
    rng: np.random.Generator, rows: int, hidden: np.ndarray | None, linked: bool
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Two discrete columns: a prior and a conditional table."""
    states = rng.choice([2, 3, 4, 5, 6, 8, 10], size=2, p=[0.2, 0.2, 0.2, 0.15, 0.1, 0.1, 0.05])
    families = [name for name in expert_tables.FAMILIES if name not in ("logic", "context")]
    name = str(rng.choice(families))
    levels = 5
    if hidden is not None:
        cuts = np.quantile(hidden, np.arange(1, levels) / levels)
        group = (hidden[:, None] > cuts).sum(axis=1)

    def child(parents: list[np.ndarray], cards: list[int], count: int) -> np.ndarray:
        if not parents:
            probabilities = expert_tables.prior(rng, count, 0.1)[None, :]
        else:
            probabilities = expert_tables.FAMILIES[name](rng, np.stack(parents, axis=1), np.array(cards), count)
        codes = expert_tables.sample(rng, probabilities, rows)
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
    """A standardised series with exponential memory, (N,)."""
    return standard(lfilter([1.0], [1.0, -memory], rng.normal(size=rows + 50))[50:])


_MAKERS: dict[str, Maker] = {
    "natural": _natural,
    "warped": _warped,
    "splines": _responding(published.blob, published.spline_effect),
    "textbook": _responding(published.textbook_cause, published.textbook_effect, published.FORMS),
    "series": _series,
    "table": _table,
    "network": _responding(nested.plain_cause, nested.network_effect),
    "polynomial": _responding(nested.plain_cause, nested.polynomial_effect, nested.PLACES),
    "expression": _responding(formulas.expression_cause, formulas.expression_effect),
    "response": _responding(_any_cause, responses.response, responses.RESPONSES),
}
