"""Judging the direction of a single pair."""

from __future__ import annotations

from foundcause.bench.answer import Answer
from foundcause.bench.case import Case


def judge_pair(answer: Answer, case: Case) -> dict[str, float | int]:
    """Whether the direction is right.

    The two scores decide when the method has scores, else its arcs. ``correct`` counts an undecided pair as wrong (as
    the paper's row for NOTEARS must have); ``correct_or_coin`` gives it one half.
    """
    belief = answer.adjacency.astype(float) if answer.scores is None else answer.scores
    forward = float(belief[0, 1] - belief[1, 0])
    decided = forward != 0.0
    right = decided and (forward > 0) == bool(case.adjacency[0, 1])
    return {
        "correct": int(right),
        "correct_or_coin": float(right) if decided else 0.5,
        "decided": int(decided),
        "confidence": abs(forward),
        "weight": case.weight,
    }
