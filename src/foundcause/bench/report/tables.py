"""The tables of each experiment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from foundcause.bench.datasets import TUEBINGEN
from foundcause.bench.experiments import EXPERIMENTS
from foundcause.bench.metrics.uncertainty import Interval, mean_interval, paired
from foundcause.bench.report import paper
from foundcause.bench.report.markdown import number, table
from foundcause.bench.report.summary import MethodSummary, per_dataset, records, summarise
from foundcause.bench.report.versions import entry, method_of
from foundcause.bench.results import Record

MARK = "paper:"
"""Every column and row that repeats the paper's figures starts with this."""

_PAPER_AVERAGES = {"clean": paper.CLEAN, "mar10": paper.MAR10, "mar30": paper.MAR30}
_PAPER_COLUMNS = [
    f"{MARK} {name}"
    for name in (
        "F1",
        "skeleton F1",
        "AUROC",
        "SHD/d, reversal 2",
        "SHD/d, reversal 1",
        "F1, these sets",
    )
]


def averages(folder: Path, experiment: str) -> str:
    """Method by metric, means over data sets, with the paper's F1 and skeleton F1 in marked columns."""
    found = records(folder, experiment)
    if not found:
        return "_No results yet._"
    printed = _PAPER_AVERAGES.get(experiment, {})
    names = {record["dataset"] for record in found}
    rows = [
        _average_row(summary, printed, names) for summary in summarise(found) if not entry(summary.method).discrete_only
    ]
    header = ["method", "sets", "F1 (95% interval)", "skeleton F1", "AUROC", "AUROC of the graph"]
    header += ["SHD/d, reversal 2", "SHD/d, reversal 1", "F1, undirected ½", "parent AID", "seconds"]
    if printed:
        header += _PAPER_COLUMNS
        run = {entry(record["method"]).paper for record in found}
        same = names if experiment == "clean" else set()
        rows += [_paper_row(name, row, len(header), same) for name, row in printed.items() if name not in run]
    return table(header, rows)


def _average_row(summary: MethodSummary, printed: dict[str, paper.Average], names: set[str]) -> list[str]:
    def mean(metric: str) -> str:
        return number(summary.means[metric].mean if metric in summary.means else None)

    row = [
        summary.label,
        summary.coverage,
        _with_interval(summary.means.get("f1")),
        *(mean(metric) for metric in ("skeleton_f1", "auroc", "auroc_binary", "shd_entries_per_d", "shd_pairs_per_d")),
        *(mean(metric) for metric in ("f1_half_credit", "parent_aid")),
        number(summary.seconds, 2),
    ]
    if printed:
        name = entry(summary.method).paper or ""
        row += _paper_figures(name, printed.get(name), names if printed is paper.CLEAN else set())
    return row


def _paper_row(name: str, row: paper.Average, width: int, names: set[str]) -> list[str]:
    blank = ["–"] * (width - 1 - len(_PAPER_COLUMNS))
    return [f"{MARK} {paper.shown(name)}", *blank, *_paper_figures(name, row, names)]


def _paper_figures(name: str, row: paper.Average | None, names: set[str]) -> list[str]:
    """The cells of the paper's columns: it counts a reversal once for its own model, twice for the baselines."""
    if row is None:
        return ["–"] * len(_PAPER_COLUMNS)
    twice, once = (None, row.shd_per_d) if name == paper.MODEL else (row.shd_per_d, None)
    figures = (row.f1, row.skeleton_f1, row.auroc, twice, once, paper.same_sets_f1(name, names))
    return [number(value) for value in figures]


def _with_interval(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    return f"{interval.mean:.3f} ({interval.low:.2f}–{interval.high:.2f})"


def by_dataset(folder: Path, experiment: str, metric: str = "f1") -> str:
    """Data set by method: one metric, means over seeds; lost cells say why."""
    found = records(folder, experiment)
    if not found:
        return "_No results yet._"
    order = [summary.method for summary in summarise(found)]
    values = per_dataset(found, metric)
    reasons = {(record["method"], record["dataset"]): record["status"] for record in found if record["status"] != "ok"}
    rows = []
    for name in sorted({record["dataset"] for record in found}):
        cells = []
        for method in order:
            value = values.get(method, {}).get(name)
            cells.append(number(value) if value is not None else reasons.get((method, name), "–"))
        rows.append([name, *cells])
    return table(["data set", *(entry(name).label for name in order)], rows)


def comparisons(folder: Path, experiment: str, reference: str = "grasp") -> str:
    """Every method against one, on the data sets both cover: difference of F1, wins, sign-flip test."""
    values = per_dataset(records(folder, experiment), "f1")
    if reference not in values:
        return "_No results of the reference yet._"
    rows = []
    for name, mine in sorted(values.items()):
        both = sorted(set(mine) & set(values[reference]))
        if name == reference or entry(name).discrete_only or not both:
            continue
        result = paired(np.array([mine[k] for k in both]), np.array([values[reference][k] for k in both]))
        outcome = f"{result.wins}–{result.ties}–{result.losses}"
        interval = f"{result.difference.low:+.3f} to {result.difference.high:+.3f}"
        rows.append([entry(name).label, f"{result.difference.mean:+.3f}", interval, outcome, number(result.p)])
    rows.sort(key=lambda row: -float(row[1]))
    against = entry(reference).label
    return table([f"F1 against {against}", "difference", "95% interval", "wins–ties–losses", "p"], rows)


def pairs(folder: Path, experiment: str = "tuebingen") -> str:
    """Accuracy on the pairs, weighted and not, beside the paper's where the pairs are those of the paper."""
    found = records(folder, experiment)
    theirs = paper.TUEBINGEN if EXPERIMENTS[experiment].datasets == TUEBINGEN else {}
    methods = sorted({record["method"] for record in found})
    scored = [(pair_accuracy([r for r in found if r["method"] == name]), name) for name in methods]
    scored.sort(key=lambda item: (-item[0].weighted.mean, item[1]))
    lines = []
    for result, name in scored:
        same = theirs.get(_PAIR_NAMES.get(name, entry(name).paper or ""))
        printed = [number(same[1], 1), number(same[2], 1)] if same else ["–", "–"] if theirs else []
        weighted = result.weighted
        interval = f"{100 * weighted.mean:.1f} ({100 * weighted.low:.0f}–{100 * weighted.high:.0f})"
        figures = [f"{100 * result.plain:.1f}", interval, f"{100 * result.coin:.1f}", f"{100 * result.decided:.1f}"]
        lines.append([entry(name).label, f"{result.covered}/{result.attempted}", *figures, *printed])
    run = {_PAIR_NAMES.get(name, entry(name).paper) for name in methods}
    for label, row in theirs.items():
        if label not in run:
            lines.append([f"{MARK} {paper.shown(label)}", *["–"] * 5, number(row[1], 1), number(row[2], 1)])
    header = ["method", "pairs", "% right", "% weighted (95% interval)", "% weighted, undecided ½", "% decided"]
    return table([*header, *([f"{MARK} %", f"{MARK} % weighted"] if theirs else [])], lines)


_PAIR_NAMES = {"notears": "NOTEARS (Linear)"}


@dataclass(frozen=True, kw_only=True)
class PairAccuracy:
    """A method on the pairs; a pair that failed counts as wrong everywhere, as a coin too."""

    covered: int
    attempted: int
    plain: float
    """Share of pairs that are right."""
    weighted: Interval
    """The same with the pairs' weights; the interval resamples pairs."""
    coin: float
    """Weighted, an undecided pair being half right."""
    decided: float


def pair_accuracy(found: list[Record]) -> PairAccuracy:
    """The accuracy of one method's records of pairs."""
    metrics = [record["metrics"] if record["status"] == "ok" else {} for record in found]
    known = [row["weight"] for row in metrics if row]
    usual = float(np.mean(known)) if known else 1.0  # only results of older versions lack the weight of a lost pair
    weights = np.array(
        [row.get("weight", record.get("weight", usual)) for row, record in zip(metrics, found, strict=True)]
    )
    right, coin, decided = (
        np.array([row.get(name, 0) for row in metrics], dtype=float)
        for name in ("correct", "correct_or_coin", "decided")
    )
    return PairAccuracy(
        covered=sum(map(bool, metrics)),
        attempted=len(found),
        plain=float(right.mean()),
        weighted=mean_interval(right, weights=weights),
        coin=float(np.average(coin, weights=weights)),
        decided=float(decided.mean()),
    )


def pair_comparisons(folder: Path, experiment: str = "tuebingen", reference: str = "foundcause") -> str | None:
    """Every method against one on the pairs, weighted: difference in points, exact-or-sampled sign flips."""
    found = records(folder, experiment)
    verdicts: dict[str, dict[str, float]] = {}
    weights: dict[str, float] = {}
    for record in found:
        metrics = record.get("metrics", {})
        verdicts.setdefault(record["method"], {})[record["dataset"]] = float(metrics.get("correct", 0))
        if "weight" in metrics:
            weights[record["dataset"]] = metrics["weight"]
    against = [name for name in verdicts if method_of(name) == reference]
    if len(against) != 1:  # of several versions none is the one to compare with
        return None
    (reference,) = against
    rows = []
    for name, mine in verdicts.items():
        both = sorted(set(mine) & set(verdicts[reference]) & set(weights))
        if name == reference or not both:
            continue
        scale = np.array([weights[k] for k in both])
        scale = 100 * scale / scale.mean()
        first, second = (np.array([side[k] for k in both]) * scale for side in (verdicts[reference], mine))
        result = paired(first, second)
        interval = f"{result.difference.low:+.1f} to {result.difference.high:+.1f}"
        outcome = f"{result.wins}–{result.ties}–{result.losses}"
        rows.append([entry(name).label, f"{result.difference.mean:+.1f}", interval, outcome, number(result.p)])
    rows.sort(key=lambda row: float(row[1]))
    label = entry(reference).label
    return table([f"{label} against", "points", "95% interval", f"only {label} right–same–only the other", "p"], rows)


def lost(folder: Path, experiment: str) -> str:
    """What failed or timed out, by method."""
    lines = [
        f"- {summary.label}: {', '.join(summary.lost)}"
        for summary in summarise(records(folder, experiment))
        if summary.lost
    ]
    return "\n".join(lines) or "Nothing was lost."
