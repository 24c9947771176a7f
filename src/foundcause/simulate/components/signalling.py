"""Signalling cascades and gene regulation. N rows (cells, samples), V nodes (hidden ones too), C core nodes, P parents.

Levels live in log space, where a Hill curve is a sigmoid and multiplicative noise is additive. ``read_out`` turns them
into what an instrument shows: background, saturation, counting, the reported scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import connect_isolated, parent_counts, pick_parents, wire
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.task import Scene

_RULES = {
    "cascade": {"or": 0.3, "and": 0.2, "competitive": 0.2, "mass": 0.12, "linear": 0.1, "switch": 0.08},
    "regulation": {"or": 0.3, "and": 0.25, "competitive": 0.2, "mass": 0.15, "switch": 0.1},
    "expression": {"mass": 0.75, "or": 0.1, "linear": 0.15},
}


@dataclass(frozen=True, kw_only=True)
class Shared:
    """What cells share out of sight: values (N, L) and loadings (L, C), zero where a node is not touched."""

    values: np.ndarray
    loadings: np.ndarray


@field_component("signalling")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """Measured levels of ``variables`` proteins or genes in ``rows`` cells or samples."""
    flavor = str(rng.choice(list(_RULES), p=[0.5, 0.3, 0.2] if variables <= 30 else [0.2, 0.45, 0.35]))
    unseen = int(rng.integers(1, max(2, variables // 5 + 1))) if variables >= 4 and rng.random() < 0.4 else 0
    core = variables + unseen
    graph = _wiring(rng, core, flavor)
    shared = _shared_causes(rng, rows, core)
    conditions = _conditions(rng, rows, core) if rng.random() < (0.6 if flavor == "cascade" else 0.3) else None
    if conditions is not None and len(conditions.stimulus_loading):
        shared = Shared(
            values=np.hstack([shared.values, conditions.stimulus]),
            loadings=np.vstack([shared.loadings, conditions.stimulus_loading]),
        )
    blockers, blocked = _blockers(conditions, graph, rows)
    levels, rules = _levels(rng, graph, shared, conditions, flavor)
    measured, discrete, readout = read_out(rng, levels, flavor)

    causes = np.hstack([blockers, shared.values])
    above = causes.shape[1]
    full_graph = np.zeros((above + core, above + core), dtype=bool)
    full_graph[above:, above:] = graph
    full_graph[:above, above:] = np.vstack([blocked, shared.loadings != 0])
    return Scene(
        values=np.hstack([causes, measured]),
        graph=full_graph,
        hidden=np.concatenate([np.ones(above, dtype=bool), hide_some(rng, graph, unseen)]),
        confounded=np.zeros_like(full_graph),
        discrete=np.concatenate([np.zeros(above, dtype=bool), discrete]),
        record={
            "flavor": flavor,
            "rules": rules,
            "readout": readout,
            "shared": above,
            "conditions": 0 if conditions is None else len(conditions.kinds),
            "interventions": [] if conditions is None else conditions.kinds,
        },
    )


def _wiring(rng: np.random.Generator, core: int, flavor: str) -> np.ndarray:
    """Cascades with cross-talk, or a few regulators with many targets, (C, C) bool."""
    edges = rng.uniform(0.8, 2.2) if core > 3 else rng.uniform(0.4, 1.0)
    if flavor == "cascade" or core < 6:
        form = str(rng.choice(["chain", "modules", "layered", "hubs", "tree"], p=[0.35, 0.2, 0.2, 0.15, 0.1]))
        return wire(rng, nodes=core, form=form, edges_per_node=edges, most_parents=5, isolated=0.1)
    regulators = max(2, round(rng.uniform(0.1, 0.5) * core))
    scores = np.where(np.arange(core) < regulators, 0.0, -np.inf)[:, None] + np.zeros((core, core))
    scores += (rng.uniform(0.3, 2.0) * rng.normal(size=core))[:, None]
    counts = parent_counts(rng, nodes=core, edges_per_node=edges, most_parents=6, roots=rng.uniform(0.05, 0.3))
    return connect_isolated(rng, pick_parents(rng, scores, counts), keep=0.2)


def _shared_causes(rng: np.random.Generator, rows: int, core: int) -> Shared:
    """Cell size that scales everything, cell states and types that shift a few. Often there are none."""
    values, loadings = [], []
    if rng.random() < 0.2:
        size = rng.normal(size=rows)
        values.append(size)
        loadings.append(rng.uniform(0.3, 1.0) * np.exp(rng.normal(0.0, 0.3, core)))
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.5, 0.25, 0.15, 0.1]))):
        touched = rng.random(core) < rng.uniform(0.08, 0.35)
        if touched.sum() < 2:
            continue
        if rng.random() < 0.5:
            state = rng.normal(size=rows)
        else:
            kinds = int(rng.integers(2, 5))
            levels_of_kinds = rng.normal(size=kinds) * 1.3
            state = levels_of_kinds[rng.choice(kinds, size=rows, p=rng.dirichlet(np.full(kinds, 2.0)))]
            state += rng.normal(0.0, 0.2, rows)
        values.append(state)
        loadings.append(np.where(touched, rng.choice([-1.0, 1.0, 1.0], core) * rng.uniform(0.3, 1.4, core), 0.0))
    if not values:
        return Shared(values=np.zeros((rows, 0)), loadings=np.zeros((0, core)))
    return Shared(values=np.stack(values, axis=1), loadings=np.stack(loadings))


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Pooled experiments.

    clamped: (N, C) levels forced on cells, NaN elsewhere.
    added: (N, C) soft shifts of levels.
    muted: (N, C) shifts of activity that the reading does not see.
    stimulus, stimulus_loading: (N, L) and (L, C), stimuli that hit several nodes and so are shared causes.
    kinds: the kind of every condition.
    """

    clamped: np.ndarray
    added: np.ndarray
    muted: np.ndarray
    stimulus: np.ndarray
    stimulus_loading: np.ndarray
    kinds: list[str]


def _conditions(rng: np.random.Generator, rows: int, core: int) -> Conditions:
    """Two to ten conditions, each a share of the rows. The first is often untouched."""
    count = int(rng.integers(2, 11))
    which = rng.choice(count, size=rows, p=rng.dirichlet(np.full(count, 4.0)))
    if rng.random() < 0.5:
        which = np.sort(which)
    clamped = np.full((rows, core), np.nan)
    added = np.zeros((rows, core))
    muted = np.zeros((rows, core))
    stimulus, loading, kinds = [], [], []
    for condition in range(int(rng.random() < 0.7), count):
        inside = which == condition
        target = int(rng.integers(core))
        kind = str(rng.choice(["clamp", "stimulate", "inhibit", "mute", "cocktail"], p=[0.2, 0.25, 0.2, 0.2, 0.15]))
        kinds.append(kind)
        if kind == "clamp":
            clamped[inside, target] = rng.choice([-1.0, 1.0]) * rng.uniform(1.0, 3.0)
        elif kind == "stimulate":
            added[inside, target] += rng.uniform(0.5, 2.5)
        elif kind == "inhibit":
            added[inside, target] -= rng.uniform(0.5, 2.5)
        elif kind == "mute":
            muted[inside, target] -= rng.uniform(1.0, 3.0)
        elif core >= 3:
            touched = rng.choice(core, size=int(rng.integers(2, min(5, core) + 1)), replace=False)
            row = np.zeros(core)
            row[touched] = rng.choice([-1.0, 1.0, 1.0], len(touched)) * rng.uniform(0.5, 2.0, len(touched))
            stimulus.append(inside.astype(np.float64))
            loading.append(row)
    return Conditions(
        clamped=clamped,
        added=added,
        muted=muted,
        stimulus=np.stack(stimulus, axis=1) if stimulus else np.zeros((rows, 0)),
        stimulus_loading=np.stack(loading) if loading else np.zeros((0, core)),
        kinds=kinds,
    )


def _blockers(conditions: Conditions | None, graph: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Inhibitors whose target looks unchanged but acts less: to the table, shared causes of the target's children.

    Returns where they are given, (N, L), and whom they reach, (L, C) bool.
    """
    if conditions is None:
        return np.zeros((rows, 0)), np.zeros((0, len(graph)), dtype=bool)
    targets = np.flatnonzero((conditions.muted != 0).any(axis=0) & (graph.sum(axis=1) >= 2))
    return (conditions.muted[:, targets] != 0).astype(np.float64), graph[targets]


def _levels(
    rng: np.random.Generator, graph: np.ndarray, shared: Shared, conditions: Conditions | None, flavor: str
) -> tuple[np.ndarray, dict[str, int]]:
    """Log levels of the core nodes, (N, C), with how often each rule was used."""
    rows, core = len(shared.values), len(graph)
    spread = rng.uniform(0.25, 1.2) * np.exp(rng.normal(0.0, 0.35, core))
    # Scenes differ in how much of a node its parents explain, and each scene has strong and weak pairs.
    middle = rng.uniform(0.2, 0.75)
    explained = rng.beta(3.0 * middle, 3.0 * (1.0 - middle), size=core) * 0.93 + 0.04
    # Some known links hardly show under the conditions measured.
    faint = rng.random(core) < rng.choice([0.0, 0.2, 0.45], p=[0.5, 0.3, 0.2])
    explained = np.where(faint, rng.uniform(0.01, 0.08, core), explained)
    uneven = rng.uniform(0.3, 1.1)
    tail = str(rng.choice(["normal", "skewed", "heavy"], p=[0.6, 0.25, 0.15]))
    common = shared.values @ shared.loadings
    menu = rng.choice(list(_RULES[flavor]), size=core, p=list(_RULES[flavor].values())).tolist()
    levels = np.zeros((rows, core), order="F")
    activity = np.zeros((rows, core), order="F")
    rules: dict[str, int] = {}
    for node in range(core):
        parents = np.flatnonzero(graph[:, node])
        if len(parents):
            rule = menu[node]
            rules[rule] = rules.get(rule, 0) + 1
            signal = regulate(rng, activity[:, parents], rule, uneven)
            own = np.sqrt(explained[node]) * signal + np.sqrt(1.0 - explained[node]) * _noise(rng, rows, tail)
        else:
            own = _source(rng, rows, tail)
        level = spread[node] * (own + common[:, node])
        if conditions is not None:
            level = level + spread[node] * conditions.added[:, node]
            forced = conditions.clamped[:, node]
            hit = np.isfinite(forced)
            if hit.any():
                level = np.where(hit, spread[node] * (np.nan_to_num(forced) + 0.15 * rng.normal(size=rows)), level)
        levels[:, node] = level
        activity[:, node] = level if conditions is None else level + spread[node] * conditions.muted[:, node]
    return levels, rules


def regulate(rng: np.random.Generator, logs: np.ndarray, rule: str, uneven: float = 0.6) -> np.ndarray:
    """The standardized log response of a target to its regulators' log levels (N, P), as (N,).

    ``uneven`` is how much the regulators differ in strength.
    """
    count = logs.shape[1]
    centered = logs - logs.mean(axis=0)
    # Some cascades work near saturation, some far below it, some amplify.
    steep = rng.choice([1.0, 1.5, 2.0, 4.0], size=count, p=[0.4, 0.25, 0.2, 0.15]) * (3.0 if rule == "switch" else 1.0)
    scale = centered.std(axis=0) + 1e-9
    stretch = np.maximum(steep, rng.uniform(0.8, 1.6) / scale)
    half = rng.normal(0.0, 0.8, count) * scale
    weight = np.exp(rng.normal(0.0, uneven, count))
    inhibits = np.asarray(rng.random(count) < 0.3)
    if rule == "mass":
        slope = weight * np.where(inhibits, -1.0, 1.0) / scale
        return _standard(centered @ slope)
    if rule == "linear":
        slope = weight * np.where(inhibits, -0.7, 1.0)
        raw = np.exp(np.clip(centered, -6, 6)) @ slope
        floor = np.quantile(raw, 0.05) if inhibits.any() else 0.0
        return _standard(np.log(np.maximum(raw - min(floor, 0.0), 0.0) + 0.15 * (np.abs(raw).mean() + 1e-9)))
    occupied = 1.0 / (1.0 + np.exp(-np.clip(stretch * (centered - half), -30, 30)))
    basal = rng.uniform(0.01, 0.2)
    if rule == "and":
        each = np.where(inhibits, 1.0 - occupied, occupied)
        return _standard(np.log(each + basal) @ np.minimum(weight, 2.0))
    if rule == "competitive" and inhibits.any() and not inhibits.all():
        push = occupied @ np.where(inhibits, 0.0, weight)
        brake = (np.exp(np.clip(centered - half, -4, 4)) * inhibits) @ weight
        return _standard(np.log(basal + push / (1.0 + push + brake)))
    each = np.where(inhibits, 1.0 - occupied, occupied)
    return _standard(np.log(basal + each @ weight))


def _standard(signal: np.ndarray) -> np.ndarray:
    centered = signal - signal.mean()
    return centered / (np.sqrt(centered @ centered / len(centered)) + 1e-9)


def _noise(rng: np.random.Generator, rows: int, tail: str) -> np.ndarray:
    """Unit-scale noise in log space, (N,)."""
    if tail == "skewed":
        shape = rng.uniform(0.8, 6.0)
        # The log of a gamma burst leans to the left.
        return _standard(np.log(rng.gamma(shape, size=rows) + 1e-3))
    if tail == "heavy":
        return rng.standard_t(4.0, size=rows) / np.sqrt(2.0)
    return rng.normal(size=rows)


def _source(rng: np.random.Generator, rows: int, tail: str) -> np.ndarray:
    """Log level of a node without regulators, (N,): one population, or two, or a skewed one."""
    kind = rng.random()
    if kind < 0.6:
        return _noise(rng, rows, tail)
    if kind < 0.85:
        apart = rng.uniform(1.0, 3.0)
        return _standard(rng.normal(size=rows) * 0.6 + apart * (rng.random(rows) < rng.uniform(0.15, 0.85)))
    return _standard(rng.exponential(size=rows) * rng.choice([-1.0, 1.0]) + 0.2 * rng.normal(size=rows))


_SCALES = {
    "cascade": {"raw": 0.4, "log": 0.25, "arcsinh": 0.2, "bins": 0.15},
    "regulation": {"raw": 0.2, "log": 0.4, "counts": 0.12, "log_counts": 0.18, "bins": 0.1},
    "expression": {"raw": 0.15, "log": 0.75, "bins": 0.1},
}


def read_out(rng: np.random.Generator, levels: np.ndarray, flavor: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Measured values (N, C), which of them are discrete (C,), and the name of the scale."""
    scale = str(rng.choice(list(_SCALES[flavor]), p=list(_SCALES[flavor].values())))
    rows, core = levels.shape
    amount = np.exp(np.clip(levels, -9, 9))
    if scale in ("counts", "log_counts"):
        return *_counted(rng, amount, log=scale == "log_counts"), scale
    jitter = rng.choice([0.0, rng.uniform(0.02, 0.3)])
    if jitter:
        amount = amount * np.exp(jitter * rng.normal(size=(rows, core)))
    # Autofluorescence and unspecific binding: a floor with noise of its own.
    background = rng.choice([0.0, 1.0]) * rng.uniform(0.0, 0.6, core)
    floor_noise = rng.uniform(0.0, 0.15, core)
    amount = amount + background + floor_noise * np.abs(rng.normal(size=(rows, core)))
    capped = rng.random(core) < rng.choice([0.0, 0.15])
    if capped.any():
        top = np.quantile(amount, rng.uniform(0.93, 1.0), axis=0)
        amount = np.where(capped, np.minimum(amount, top), amount)
    gain = np.exp(rng.normal(3.0, 1.2, core))
    if scale == "raw":
        return amount * gain, np.zeros(core, dtype=bool), scale
    if scale == "log":
        return np.log(amount * gain), np.zeros(core, dtype=bool), scale
    if scale == "arcsinh":
        return np.arcsinh(amount * gain / rng.uniform(1.0, 50.0)), np.zeros(core, dtype=bool), scale
    return _binned(rng, np.log(amount)), np.ones(core, dtype=bool), scale


def _counted(rng: np.random.Generator, amount: np.ndarray, *, log: bool) -> tuple[np.ndarray, np.ndarray]:
    """Molecules counted at one depth for all cells (another for each would be a hidden cause of all genes)."""
    core = amount.shape[1]
    rate = np.exp(rng.normal(rng.uniform(0.5, 4.0), 0.8, core))
    mean = np.minimum(amount / amount.mean(axis=0) * rate, 1e6)
    counts = rng.poisson(mean).astype(np.float64)
    # A gene seen nowhere would be a constant column: one molecule in a few cells keeps its column alive.
    for gene in np.flatnonzero((counts > 0).sum(axis=0) < 3):
        counts[np.argsort(mean[:, gene])[-3:], gene] += 1.0
    if log:
        return np.log1p(counts), np.zeros(core, dtype=bool)
    return counts, np.ones(core, dtype=bool)


def _binned(rng: np.random.Generator, logs: np.ndarray) -> np.ndarray:
    """Levels called low, medium, high: equal shares, equal widths, or uneven cuts, as (N, C) codes."""
    count = int(rng.choice([2, 3, 3, 4, 5]))
    rule = str(rng.choice(["shares", "widths", "uneven"]))
    if rule == "widths":
        low, high = np.quantile(logs, [0.02, 0.98], axis=0)
        cuts = low + (high - low) * np.arange(1, count)[:, None] / count
    else:
        even = np.arange(1, count) / count
        at = even if rule == "shares" else np.sort(np.clip(even + rng.uniform(-0.1, 0.1, count - 1), 0.05, 0.95))
        cuts = np.quantile(logs, at, axis=0)
    return (logs[None] > cuts[:, None]).sum(axis=0).astype(np.float64)
