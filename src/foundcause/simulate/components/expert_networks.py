"""Discrete networks as experts write them: diagnosis, fault trees, reports, and processes over time.

N rows, V nodes (hidden ones too), P parents, K states. A family of tables is a function ``(rng, codes_NP, cards_P,
states) -> probabilities (N, K)``. Row probabilities depend on the row's parent states alone, so each is a table,
evaluated only where the sample needs it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.hidden_causes import hide_some
from foundcause.simulate.task import Scene

_FORM_SHARES = {
    "layered": 0.24,
    "tree": 0.15,
    "hubs": 0.15,
    "gates": 0.1,
    "chain": 0.1,
    "modules": 0.13,
    "slices": 0.05,
    "plain": 0.08,
}
# How often each family of tables is used, before a scene's own preferences are drawn.
_BASE_TASTE = {
    "ordered_logit": 1.6,
    "softmax": 0.6,
    "noisy_max": 1.3,
    "logic": 0.7,
    "context": 0.9,
    "report": 1.0,
    "pooled": 0.6,
    "free": 1.1,
}
_STATE_STYLES = {
    "binary": ([2], [1.0]),
    "small": ([2, 3, 4], [0.5, 0.33, 0.17]),
    "medium": ([2, 3, 4, 5, 6], [0.25, 0.3, 0.25, 0.12, 0.08]),
    "large": ([2, 3, 4, 5, 6, 8, 10], [0.25, 0.2, 0.2, 0.12, 0.1, 0.08, 0.05]),
}


@field_component("expert")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """A sample of a random expert network with ``variables`` observed discrete columns."""
    extra = int(rng.integers(1, max(2, variables // 6 + 1))) if variables >= 4 and rng.random() < 0.25 else 0
    nodes = variables + extra
    form = str(rng.choice(list(_FORM_SHARES), p=list(_FORM_SHARES.values())))
    graph = wire(
        rng,
        nodes=nodes,
        form=form,
        edges_per_node=rng.uniform(0.8, 2.2) if nodes > 3 else rng.uniform(0.4, 1.0),
        most_parents=int(rng.choice([3, 4, 5, 7], p=[0.25, 0.35, 0.25, 0.15])),
        isolated=0.08,
    )
    style = str(rng.choice(list(_STATE_STYLES), p=[0.3, 0.4, 0.22, 0.08]))
    sizes, shares = _STATE_STYLES[style]
    states = rng.choice(sizes, size=nodes, p=shares)
    rare = float(rng.choice([0.05, 0.25, 0.6]))
    grid = float(rng.choice([0.0, 0.001, 0.01, 0.05, 0.1], p=[0.45, 0.15, 0.15, 0.2, 0.05]))
    taste = _taste(rng, form)

    menu = rng.choice(list(taste), size=(nodes, 2), p=list(taste.values())).tolist()

    codes = np.zeros((rows, nodes), dtype=np.int64, order="F")
    used: dict[str, int] = {}
    for node in range(nodes):
        parents = rng.permutation(np.flatnonzero(graph[:, node]))
        column, family, shown = _child(rng, codes[:, parents], states[parents], int(states[node]), menu[node], grid)
        graph[parents[~shown], node] = False
        if column is None:
            column = sample_states(rng, prior(rng, int(states[node]), rare)[None, :], rows)
        else:
            used[family] = used.get(family, 0) + 1
        codes[:, node] = varied(rng, column, int(states[node]))

    coding = str(rng.choice(["ordered", "alphabetical", "mixed"], p=[0.45, 0.4, 0.15]))
    return Scene(
        values=_coded(rng, codes, states, coding).astype(np.float64),
        graph=graph,
        hidden=hide_some(rng, graph, extra),
        confounded=np.zeros((nodes, nodes), dtype=bool),
        discrete=np.ones(nodes, dtype=bool),
        record={
            "form": form,
            "families": used,
            "states": style,
            "coding": coding,
            "grid": grid,
            "rare": rare,
        },
    )


def _taste(rng: np.random.Generator, form: str) -> dict[str, float]:
    """How often this network's authors use each family: one network leans on few."""
    base = dict(_BASE_TASTE)
    if form == "gates":
        base.update(logic=3.5, noisy_max=2.5)
    if form == "slices":
        base.update(report=2.5)
    if form == "layered":
        base.update(noisy_max=2.2, logic=1.2)
    weight = rng.gamma(0.9 * np.array(list(base.values()))) + 1e-3
    return dict(zip(base, (weight / weight.sum()).tolist(), strict=True))


def _child(
    rng: np.random.Generator, codes: np.ndarray, cards: np.ndarray, states: int, menu: list[str], grid: float
) -> tuple[np.ndarray | None, str, np.ndarray]:
    """A column (N,) that shows an effect of its parents (N, P), its family of tables, and (P,) which parents it shows.

    Families of the ``menu`` are tried first. A parent that no table shows, for example because the others determine
    it, is left out. Where none is left there is no column.
    """
    rows = len(codes)
    shown = np.ones(len(cards), dtype=bool)
    attempt = 0
    while shown.any():
        family = menu[attempt] if attempt < len(menu) else "ordered_logit"
        parents = np.flatnonzero(shown)
        probabilities = TABLE_FAMILIES[family](rng, codes[:, parents], cards[parents], states)
        if grid:
            probabilities = rounded_table(probabilities, grid)
        column = sample_states(rng, probabilities)
        lively = np.bincount(column).max() <= rows - max(3, 0.01 * rows)
        idle = idle_parent(codes[:, parents], cards[parents], probabilities)
        if idle is None and (lively or attempt >= len(menu)):
            return column, family, shown
        if idle is not None and attempt >= len(menu):
            shown[parents[idle]] = False
        attempt += 1
    return None, "", shown


def varied(rng: np.random.Generator, column: np.ndarray, states: int) -> np.ndarray:
    """The column with a few random rows reset when it would be (nearly) constant."""
    short = max(3, round(0.01 * len(column))) - (len(column) - int(np.bincount(column).max()))
    if short > 0:
        usual = int(np.bincount(column).argmax())
        changed = rng.choice(len(column), size=short, replace=False)
        column = column.copy()
        column[changed] = (usual + rng.integers(1, states, size=short)) % states
    return column


def _coded(rng: np.random.Generator, codes: np.ndarray, states: np.ndarray, coding: str) -> np.ndarray:
    """State numbers as a table shows them: in order, or in the alphabetical order of names that carry none."""
    out = codes.copy()
    for node, count in enumerate(states):
        shuffled = coding == "alphabetical" or (coding == "mixed" and rng.random() < 0.5)
        if shuffled:
            # 'no' < 'yes' and 'false' < 'true' keep two states in order more often than not.
            keep = count == 2 and rng.random() < 0.5
            code = np.arange(count) if keep else rng.permutation(count)
            out[:, node] = code[codes[:, node]]
        elif rng.random() < 0.1:
            out[:, node] = count - 1 - codes[:, node]
    return out


_MATTERS = 0.003  # rows that a parent must be able to change, as a share

Family = Callable[[np.random.Generator, np.ndarray, np.ndarray, int], np.ndarray]


def prior(rng: np.random.Generator, states: int, rare: float) -> np.ndarray:
    """State probabilities of a node without parents, (K,). ``rare`` is the chance that all but one state are rare."""
    if rng.random() < rare:
        others = rng.dirichlet(np.full(states - 1, 2.0)) if states > 2 else np.ones(1)
        away = np.exp(rng.uniform(np.log(0.01), np.log(0.25)))
        return np.concatenate([[1.0 - away], away * others])
    return rng.dirichlet(np.full(states, np.exp(rng.uniform(np.log(0.7), np.log(15.0)))))


def marginal(rng: np.random.Generator, states: int) -> np.ndarray:
    """A target for the overall state shares of a node with parents, (K,)."""
    if rng.random() < 0.25:
        # Effects can be as rare as their causes.
        return prior(rng, states, 1.0)
    share = rng.dirichlet(np.full(states, np.exp(rng.uniform(np.log(0.8), np.log(8.0)))))
    if rng.random() < 0.5:
        share = np.sort(share)[::-1]
    return 0.97 * share + 0.03 / states


def state_scores(rng: np.random.Generator, card: int) -> np.ndarray:
    """A score per state of a parent in [-0.5, 0.5], (card,): usually monotone, with uneven steps."""
    if rng.random() < 0.85:
        steps = rng.gamma(rng.uniform(0.5, 5.0), size=card - 1) + 1e-3
        return np.concatenate([[0.0], np.cumsum(steps) / steps.sum()]) - 0.5
    score = rng.normal(size=card)
    return (score - score.min()) / (np.ptp(score) + 1e-9) - 0.5


def idle_parent(codes: np.ndarray, cards: np.ndarray, probabilities: np.ndarray) -> int | None:
    """The first parent (a column of ``codes``, (N, P)) that changes the probabilities (N, K) in hardly any row when the
    others are held, or None."""
    radix = np.concatenate([[1], np.cumprod(cards[:-1].astype(np.int64))])
    kinds, first, counts = np.unique(codes @ radix, return_index=True, return_counts=True)
    table = probabilities[first]
    for column, step in enumerate(radix):
        others, group = np.unique(kinds - codes[first, column] * step, return_inverse=True)
        low, high = np.full((len(others), table.shape[1]), np.inf), np.zeros((len(others), table.shape[1]))
        np.minimum.at(low, group, table)
        np.maximum.at(high, group, table)
        moved = (high - low).max(axis=1) @ np.bincount(group, weights=counts)
        if moved < max(2.0, _MATTERS * len(codes)):
            return column
    return None


def ordered_logit(rng: np.random.Generator, codes: np.ndarray, cards: np.ndarray, states: int) -> np.ndarray:
    """Parents push an ordered child up or down. Cut points place its states."""
    latent = np.zeros(len(codes))
    sign = 1.0 if rng.random() < 0.5 else -1.0
    agree = rng.choice([0.5, 0.8, 1.0])
    for column, card in enumerate(cards):
        push = np.exp(rng.normal(np.log(3.2), 0.55)) * (sign if rng.random() < agree else -sign)
        latent += push * state_scores(rng, int(card))[codes[:, column]]
    noise = rng.logistic(size=len(codes))
    cuts = np.quantile(latent + noise, np.cumsum(marginal(rng, states))[:-1])
    below = 1.0 / (1.0 + np.exp(np.clip(latent[:, None] - cuts[None, :], -40, 40)))
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def softmax(rng: np.random.Generator, codes: np.ndarray, cards: np.ndarray, states: int) -> np.ndarray:
    """A nominal child: every parent state shifts the log odds of every child state."""
    logits = np.tile(np.log(marginal(rng, states)), (len(codes), 1))
    for column, card in enumerate(cards):
        size = np.exp(rng.normal(np.log(1.5), 0.45))
        logits += size * rng.normal(size=(int(card), states))[codes[:, column]]
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def noisy_max(rng: np.random.Generator, codes: np.ndarray, cards: np.ndarray, states: int) -> np.ndarray:
    """Each parent alone can raise the child. A leak can too. With two states this is noisy-OR."""
    leak = np.exp(rng.uniform(np.log(0.002), np.log(0.2)))
    split = rng.dirichlet(np.full(states - 1, 1.5))
    below = np.tile(1.0 - leak * (1.0 - np.cumsum(np.concatenate([[0.0], split]))[:-1]), (len(codes), 1))
    for column, card in enumerate(cards):
        force = rng.beta(2.5, 1.2) * 0.95 + 0.04
        level = np.linspace(0.0, 1.0, int(card)) ** rng.uniform(0.5, 2.0)
        if rng.random() < 0.15:
            level = level[::-1].copy()
        split = rng.dirichlet(np.full(states - 1, 1.5))
        # Higher parent states act more often and reach higher child states.
        reach = 1.0 - np.cumsum(np.concatenate([[0.0], split]))[:-1]
        table = 1.0 - force * level[:, None] * reach[None, :] ** (1.5 - level[:, None])
        below = below * table[codes[:, column]]
    probabilities = np.diff(below, axis=1, prepend=0.0, append=1.0)
    return probabilities[:, ::-1] if rng.random() < 0.15 else probabilities


def logic(rng: np.random.Generator, codes: np.ndarray, cards: np.ndarray, states: int) -> np.ndarray:
    """OR, AND, majority, maximum, minimum or a binned sum of the parents, with little or no noise."""
    level = codes / np.maximum(cards - 1, 1)
    flip = rng.random(len(cards)) < rng.choice([0.0, 0.25])
    level = np.where(flip, 1.0 - level, level)
    rule = rng.choice(
        ["any", "all", "most", "largest", "smallest", "sum", "parity"], p=[0.3, 0.22, 0.1, 0.12, 0.08, 0.15, 0.03]
    )
    if rule in ("any", "all", "most", "parity"):
        on = level > rng.uniform(0.05, 0.9, size=len(cards))
        fired = {
            "any": on.any(1),
            "all": on.all(1),
            "most": on.mean(1) >= 0.5,
            "parity": on.sum(1) % 2 == 1,
        }[str(rule)]
        high = states - 1
        answer = np.where(fired, high, 0)
        if states > 2:
            # The remaining states count the inputs that fired.
            answer = np.where(fired, np.clip(np.ceil(on.mean(1) * high), 1, high), 0)
        answer = answer.astype(np.int64)
    else:
        weight = rng.choice([np.ones(len(cards)), rng.uniform(0.5, 2.0, len(cards))])
        total = {"largest": level.max(1), "smallest": level.min(1), "sum": level @ weight / weight.sum()}[str(rule)]
        answer = np.clip(np.round(total * (states - 1) + 1e-9), 0, states - 1).astype(np.int64)
    slip = 0.0 if rng.random() < 0.35 else np.exp(rng.uniform(np.log(0.002), np.log(0.15)))
    return _around(rng, answer, states, slip)


def context(rng: np.random.Generator, codes: np.ndarray, cards: np.ndarray, states: int) -> np.ndarray:
    """A decision tree: some parents matter only in the context that others create."""
    leaf = np.zeros(len(codes), dtype=np.int64)
    leaves = 1
    extra = int(rng.integers(0, 3))
    tests = np.concatenate([rng.permutation(len(cards)), rng.integers(0, len(cards), size=extra)])
    for column in tests:
        card = int(cards[column])
        if rng.random() < 0.6:
            yes = codes[:, column] >= rng.integers(1, card)
        else:
            yes = codes[:, column] == rng.integers(card)
        # Splitting the fullest leaf half of the time keeps most parents visible.
        sizes = np.bincount(leaf, minlength=leaves)
        where = int(sizes.argmax()) if rng.random() < 0.6 else int(rng.integers(leaves))
        leaf[(leaf == where) & yes] = leaves
        leaves += 1
    table = rng.dirichlet(np.full(states, np.exp(rng.uniform(np.log(0.15), np.log(1.5)))), size=leaves)
    # Neighboring leaves should not agree on their favorite state by chance.
    favorite = (np.arange(leaves) + rng.integers(states)) % states
    table = 0.6 * table + 0.4 * np.eye(states)[favorite]
    return table[leaf]


def report(rng: np.random.Generator, codes: np.ndarray, cards: np.ndarray, states: int) -> np.ndarray:
    """A test, reading or report of the first parent. The others are ways in which it fails."""
    card = int(cards[0])
    slip = np.exp(rng.uniform(np.log(0.003), np.log(0.3)))
    if card == states:
        answer = np.arange(card) if rng.random() < 0.9 else np.arange(card)[::-1]
    else:
        answer = np.round(np.linspace(0, states - 1, card)).astype(np.int64)
    probabilities = _around(rng, answer, states, slip)[codes[:, 0]]
    for column in range(1, len(cards)):
        level = codes[:, column] / max(int(cards[column]) - 1, 1)
        broken = level >= rng.uniform(0.3, 1.0)
        stuck = rng.dirichlet(np.full(states, 0.3))
        grip = rng.uniform(0.5, 1.0)
        probabilities = np.where(broken[:, None], (1.0 - grip) * probabilities + grip * stuck[None, :], probabilities)
    return probabilities


def pooled(rng: np.random.Generator, codes: np.ndarray, cards: np.ndarray, states: int) -> np.ndarray:
    """A weighted average of opinions, one small table for each parent."""
    weight = rng.dirichlet(np.full(len(cards), 3.0))
    mixed = np.zeros((len(codes), states))
    for column, card in enumerate(cards):
        if rng.random() < 0.6:
            center = state_scores(rng, int(card)) + 0.5
            spread = rng.uniform(0.08, 0.3)
            table = np.exp(-0.5 * ((np.linspace(0, 1, states)[None, :] - center[:, None]) / spread) ** 2)
            table /= table.sum(axis=1, keepdims=True)
        else:
            table = rng.dirichlet(np.full(states, 0.5), size=int(card))
        mixed += weight[column] * table[codes[:, column]]
    return mixed


def free(rng: np.random.Generator, codes: np.ndarray, cards: np.ndarray, states: int) -> np.ndarray:
    """An independent Dirichlet row for each parent configuration, from peaked to flat."""
    size = int(np.prod(cards.astype(np.float64)))
    flat = codes @ np.concatenate([[1], np.cumprod(cards[:-1])]).astype(np.int64)
    if size > 1024:
        _, flat = np.unique(flat, return_inverse=True)
        size = int(flat.max()) + 1
    concentration = np.full(states, np.exp(rng.uniform(np.log(0.15), np.log(2.0))))
    if rng.random() < 0.4:
        concentration = concentration * states * marginal(rng, states)
    return (rng.dirichlet(concentration, size=size) * 0.999 + 0.001 / states)[flat]


TABLE_FAMILIES: dict[str, Family] = {
    "ordered_logit": ordered_logit,
    "softmax": softmax,
    "noisy_max": noisy_max,
    "logic": logic,
    "context": context,
    "report": report,
    "pooled": pooled,
    "free": free,
}


def rounded_table(probabilities: np.ndarray, grid: float) -> np.ndarray:
    """Probabilities as written down: multiples of ``grid`` that still sum to one, (N, K)."""
    snapped = np.round(probabilities / grid) * grid
    empty = snapped.sum(axis=1) < grid / 2
    snapped[empty] = probabilities[empty]
    return snapped / snapped.sum(axis=1, keepdims=True)


def sample_states(rng: np.random.Generator, probabilities: np.ndarray, rows: int | None = None) -> np.ndarray:
    """One state per row, (N,) int. A single row of probabilities serves any number of ``rows``."""
    chance = rng.random(len(probabilities) if rows is None else rows)
    edge = np.zeros(len(probabilities))
    state = np.zeros(len(chance), dtype=np.int64)
    for column in probabilities.T[:-1]:
        edge = edge + column
        state += chance > edge
    return state


def _around(rng: np.random.Generator, answer: np.ndarray, states: int, slip: float) -> np.ndarray:
    """Probability 1 - slip on each answer, the rest on its neighbors or anywhere, (len(answer), K)."""
    if rng.random() < 0.5:
        gap = np.abs(np.arange(states)[:, None] - np.arange(states)[None, :])
        other = np.where(gap > 0, np.exp(-1.5 * gap), 0.0)
    else:
        other = rng.dirichlet(np.full(states, 1.0), size=states) * (1.0 - np.eye(states)) + 1e-6
    # Misses and false alarms differ.
    slips = np.minimum(slip * rng.uniform(0.3, 1.7, size=states), 0.5)
    table = slips[:, None] * other / other.sum(axis=1, keepdims=True) + (1.0 - slips[:, None]) * np.eye(states)
    return table[answer]
