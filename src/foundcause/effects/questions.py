"""What to ask or to try next, ranked by how much an answer would settle.

Shapes: n graphs, D columns.

The uncertainty of sampled graphs is the sum over pairs of the entropy of their state: forward, backward, no edge, and
the same for confounded pairs. The gain of a question is the expected fall of this sum once it is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import entr

from foundcause.effects.sampled import SampledGraphs
from foundcause.errors import ConfigError

Kind = Literal["upstream", "root", "order", "experiment"]
KINDS: tuple[Kind, ...] = ("upstream", "root", "order", "experiment")


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question to an expert, or an experiment.

    Parameters
    ----------
    kind : {"upstream", "root", "order", "experiment"}
        "upstream": can the first column cause the second, directly or not? "root": does nothing in the table cause it?
        "order": is the first column settled before the second? "experiment": change the column and see what follows.
    columns : tuple of str
        One or two columns.
    probability : float
        Probability of a yes. NaN for an experiment.
    gain : float
        Expected fall of the uncertainty, in bits.
    """

    kind: Kind
    columns: tuple[str, ...]
    probability: float
    gain: float

    @property
    def text(self) -> str:
        """The question in plain language."""
        first, second = (*self.columns, "")[:2]
        return {
            "upstream": f"Can '{first}' cause '{second}', directly or through other columns?",
            "root": f"Is '{first}' free of causes in this table?",
            "order": f"Is '{first}' settled before '{second}'?",
            "experiment": f"If you could change '{first}' at random: which other columns would follow?",
        }[self.kind]


def rank_questions(graphs: SampledGraphs, *, n: int | None = 10, kinds: Sequence[Kind] = KINDS[:3]) -> list[Question]:
    """Rank questions by the expected fall of the uncertainty about the graph.

    Parameters
    ----------
    graphs : SampledGraphs
        Some hundred graphs or more.
    n : int or None, default=10
        How many to return. None returns all.
    kinds : sequence of str
        Kinds of questions to consider.

    Returns
    -------
    list of Question
        The most useful first.
    """
    unknown = set(kinds) - set(KINDS)
    if unknown:
        raise ConfigError(f"kinds={sorted(unknown)} are unknown; choose among {', '.join(KINDS)}")
    states = _states(graphs)
    found: list[Question] = []
    if "upstream" in kinds:
        found += _about_pairs(graphs, "upstream", graphs.ancestors, states)
    if "order" in kinds:
        found += _about_order(graphs, states)
    if "root" in kinds:
        answers = np.logical_not(graphs.directed.any(axis=1))
        gains = _gains(answers, states)
        found += [
            Question(kind="root", columns=(name,), probability=float(answers[:, k].mean()), gain=float(gains[k]))
            for k, name in enumerate(graphs.columns)
        ]
    if "experiment" in kinds:
        found += [
            Question(
                kind="experiment", columns=(name,), probability=float("nan"), gain=_experiment_gain(graphs, k, states)
            )
            for k, name in enumerate(graphs.columns)
        ]
    found = sorted((question for question in found if question.gain > 1e-9), key=lambda question: -question.gain)
    return found if n is None else found[:n]


def uncertainty(graphs: SampledGraphs) -> float:
    """Return the summed entropy of all pairs, in bits."""
    return float(_entropy(_states(graphs).mean(axis=0)).sum())


def _states(graphs: SampledGraphs) -> np.ndarray:
    """(n, 3, pairs) indicators of forward, backward and confounded, for the pairs above the diagonal."""
    first, second = np.triu_indices(len(graphs.columns), 1)
    return np.stack(
        [graphs.directed[:, first, second], graphs.directed[:, second, first], graphs.confounded[:, first, second]],
        axis=1,
    ).astype(np.float32)


def _entropy(shares: np.ndarray) -> np.ndarray:
    """(..., pairs) bits of the state of each pair, from the shares (..., 3, pairs)."""
    forward, backward, hidden = np.moveaxis(np.clip(shares, 0.0, 1.0), -2, 0)
    neither = np.clip(1 - forward - backward, 0.0, 1.0)
    edge = entr(forward) + entr(backward) + entr(neither)
    return (edge + entr(hidden) + entr(1 - hidden)) / np.log(2)


def _gains(answers: np.ndarray, states: np.ndarray) -> np.ndarray:
    """(questions,) expected fall of the entropy by answers (n, questions): the chance of a yes in each graph.

    A finite sample makes any split look informative; the expected size of that is taken off.
    """
    n = len(answers)
    yes = answers.astype(np.float32)
    count = yes.sum(axis=0)  # (questions,)
    total = states.sum(axis=0)  # (3, pairs)
    with_yes = (yes.T @ states.reshape(n, -1)).reshape(-1, *total.shape)
    share_yes = with_yes / np.maximum(count, 1)[:, None, None]
    share_no = (total - with_yes) / np.maximum(n - count, 1)[:, None, None]
    before = _entropy(total / n).sum()
    chance = count / n
    after = chance * _entropy(share_yes).sum(axis=-1) + (1 - chance) * _entropy(share_no).sum(axis=-1)
    uncertain = ((total > 0) & (total < n)).sum()
    bias = uncertain / (2 * n * np.log(2))
    return np.where((count > 0) & (count < n), np.maximum(before - after - bias, 0.0), 0.0)


def _about_pairs(graphs: SampledGraphs, kind: Kind, answers: np.ndarray, states: np.ndarray) -> list[Question]:
    D = len(graphs.columns)
    first, second = np.nonzero(~np.eye(D, dtype=bool))
    flat = answers[:, first, second]
    open_ = np.flatnonzero((flat.mean(axis=0) > 0.02) & (flat.mean(axis=0) < 0.98))
    gains = _gains(flat[:, open_], states)
    return [
        Question(
            kind=kind,
            columns=(graphs.columns[first[k]], graphs.columns[second[k]]),
            probability=float(flat[:, k].mean()),
            gain=float(gain),
        )
        for k, gain in zip(open_, gains, strict=True)
    ]


def _about_order(graphs: SampledGraphs, states: np.ndarray) -> list[Question]:
    """Ask which of two related columns is settled first. Where neither causes the other, either answer is as likely."""
    forward = graphs.ancestors
    related = (forward | np.swapaxes(forward, 1, 2)).mean(axis=0)
    first, second = np.nonzero(np.triu(related > 0.5, 1))
    yes = 0.5 * (1.0 + forward[:, first, second] - forward[:, second, first])
    return [
        Question(
            kind="order",
            columns=(graphs.columns[i], graphs.columns[j]),
            probability=float(yes[:, k].mean()),
            gain=float(gain),
        )
        for k, (i, j, gain) in enumerate(zip(first, second, _gains(yes, states), strict=True))
    ]


def _experiment_gain(graphs: SampledGraphs, column: int, states: np.ndarray) -> float:
    """Expected fall of the entropy once all descendants of a column are known."""
    descendants = graphs.ancestors[:, column]
    unsettled = np.flatnonzero((descendants.mean(axis=0) > 0.02) & (descendants.mean(axis=0) < 0.98))
    if not len(unsettled):
        return 0.0
    # The chain rule over the descendants: each one adds what the earlier ones leave open, by groups of graphs.
    n = len(descendants)
    group = np.zeros(n, dtype=int)
    for k in unsettled[np.argsort(-_gains(descendants[:, unsettled], states))][:4]:
        group = 2 * group + descendants[:, k]
    after = 0.0
    groups = np.unique(group)
    for label in groups:
        members = states[group == label]
        after += len(members) / n * float(_entropy(members.mean(axis=0)).sum())
    before = float(_entropy(states.mean(axis=0)).sum())
    total = states.sum(axis=0)
    bias = (len(groups) - 1) * ((total > 0) & (total < n)).sum() / (2 * n * np.log(2))
    return max(before - after - float(bias), 0.0)
