"""All metrics of one answer, by name, ready for a line of results. Shape letters: D variables."""

from __future__ import annotations

import numpy as np

from foundcause.bench.answer import Answer
from foundcause.bench.case import Case
from foundcause.bench.metrics.adjustment import parent_aid
from foundcause.bench.metrics.equivalence import half_credit_f1, is_dag, shd_cpdag
from foundcause.bench.metrics.probability import auprc, auroc, brier, off_diagonal, reliability, upper
from foundcause.bench.metrics.structure import (
    counts,
    directed_f1,
    directed_precision_recall,
    shd_entries,
    shd_pairs,
    skeleton_f1,
)

Metrics = dict[str, float | int | list[float] | None]


def judge(answer: Answer, case: Case) -> Metrics:
    """Every metric of an answer in the case's column order."""
    predicted, true = answer.adjacency, case.adjacency
    scores = predicted.astype(float) if answer.scores is None else answer.scores
    count = counts(predicted, true)
    precision, recall = directed_precision_recall(predicted, true)
    entries, pairs = shd_entries(predicted, true), shd_pairs(predicted, true)
    result: Metrics = {
        "f1": directed_f1(predicted, true),
        "precision": precision,
        "recall": recall,
        "skeleton_f1": skeleton_f1(predicted, true),
        "auroc": auroc(off_diagonal(scores), off_diagonal(true)),
        "auroc_binary": auroc(off_diagonal(predicted), off_diagonal(true)),
        "auprc": auprc(off_diagonal(scores), off_diagonal(true)),
        "shd_entries": entries,
        "shd_entries_per_d": entries / case.variables,
        "shd_pairs": pairs,
        "shd_pairs_per_d": pairs / case.variables,
        "shd_cpdag": shd_cpdag(predicted, true),
        "f1_half_credit": half_credit_f1(predicted, true),
        "parent_aid": parent_aid(predicted, true),
        "true": count.true,
        "found": count.found,
        "oriented": count.oriented,
        "extra": count.extra,
        "both": count.both,
        "acyclic": int(is_dag(predicted)),
    }
    if answer.probabilistic and answer.scores is not None:
        curve = reliability(off_diagonal(answer.scores), off_diagonal(true))
        result["ece"] = curve.error
        result["brier"] = brier(off_diagonal(answer.scores), off_diagonal(true))
        result["reliability_count"] = [float(x) for x in curve.count]
        result["reliability_probability"] = [round(float(x), 6) for x in curve.probability]
        result["reliability_true"] = [float(x) for x in curve.true]
    if case.confounding is not None and answer.confounding is not None:
        truth = upper(case.confounding)
        hidden = upper(answer.confounding).astype(float)
        result["confounding_auroc"] = auroc(hidden, truth)
        result["confounding_auprc"] = auprc(hidden, truth)
        result["confounding_brier"] = brier(hidden, truth)
        result["confounding_base_rate"] = float(np.mean(truth))
    return result
