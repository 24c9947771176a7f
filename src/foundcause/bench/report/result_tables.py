"""The tables of each experiment, in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from foundcause.bench.case import ORIGINS
from foundcause.bench.datasets import DATASETS, DIMENSION, DIMENSION_PAPER, TUEBINGEN
from foundcause.bench.experiments import EXPERIMENTS
from foundcause.bench.judgement import Interval, mean_interval, paired
from foundcause.bench.records import Record
from foundcause.bench.report import paper_figures
from foundcause.bench.report.averages import MethodSummary, entry, method_of, per_dataset, records, summarise


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the first column is text, the others numbers."""
    lines = [
        _table_line(header),
        _table_line(["---", *["---:"] * (len(header) - 1)]),
        *(_table_line(row) for row in rows),
    ]
    return "\n".join(lines)


def _table_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def number(value: float | None, digits: int = 3) -> str:
    """A figure, or a dash where there is none."""
    return "–" if value is None or value != value else f"{value:.{digits}f}"


MARK = "paper:"
"""Every column and row that repeats the paper's figures starts with this."""

_PAPER_AVERAGES = {"clean": paper_figures.CLEAN, "mar10": paper_figures.MAR10, "mar30": paper_figures.MAR30}
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


def averages_table(folder: Path, experiment: str) -> str:
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


def _average_row(summary: MethodSummary, printed: dict[str, paper_figures.Average], names: set[str]) -> list[str]:
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
        row += _paper_figures(name, printed.get(name), names if printed is paper_figures.CLEAN else set())
    return row


def _paper_row(name: str, row: paper_figures.Average, width: int, names: set[str]) -> list[str]:
    blank = ["–"] * (width - 1 - len(_PAPER_COLUMNS))
    return [f"{MARK} {paper_figures.shown(name)}", *blank, *_paper_figures(name, row, names)]


def _paper_figures(name: str, row: paper_figures.Average | None, names: set[str]) -> list[str]:
    """The cells of the paper's columns: it counts a reversal once for its own model, twice for the baselines."""
    if row is None:
        return ["–"] * len(_PAPER_COLUMNS)
    twice, once = (None, row.shd_per_d) if name == paper_figures.MODEL else (row.shd_per_d, None)
    figures = (row.f1, row.skeleton_f1, row.auroc, twice, once, paper_figures.same_sets_f1(name, names))
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


def by_origin(folder: Path, experiment: str) -> str | None:
    """Method by origin of the data: mean directed F1. None when all data sets have one origin."""
    found = [r for r in records(folder, experiment) if r["dataset"] in DATASETS]  # without those of a plug-in left out
    found = [r for r in found if not entry(r["method"]).discrete_only]
    sets = {name: DATASETS[name].origin for name in {record["dataset"] for record in found}}
    origins = [origin for origin in ORIGINS if origin in sets.values()]
    if len(origins) < 2:
        return None
    values = per_dataset(found, "f1")
    rows = [
        [item.label, *(_mean_and_count(values.get(item.method, {}), sets, origin) for origin in origins)]
        for item in summarise(found)
    ]
    return table(["directed F1 (data sets)", *origins], rows)


def _mean_and_count(values: dict[str, float], sets: dict[str, str], origin: str) -> str:
    mine = [value for name, value in values.items() if sets[name] == origin]
    return f"{number(_mean_of(mine))} ({len(mine)})"


def _mean_of(values: Collection[float]) -> float | None:
    return float(np.mean(list(values))) if values else None


def sachs_and_petshop(folder: Path, methods: Collection[str]) -> str:
    """A sentence on the measured tables that all methods find hard."""
    values = per_dataset(records(folder, "clean"), "f1")
    parts = []
    for name in methods:
        mine = [
            value
            for data, value in values.get(name, {}).items()
            if data.startswith(("sachs_obs", "sachs_full", "petshop"))
        ]
        if mine:
            parts.append(f"{entry(name).label} {number(_mean_of(mine))}")
    return f"On Sachs and PetShop alone, the mean F1 is: {', '.join(parts)}." if parts else ""


def light_tunnel(folder: Path) -> str:
    """A sentence on the light tunnel, which CDFM was evaluated on with the same rows, columns and edges."""
    found = [record for record in records(folder, "clean") if record["dataset"] == "causal_chambers_lt"]
    f1, auroc = (per_dataset(found, metric).get("foundcause", {}) for metric in ("f1", "auroc"))
    if not f1:
        return ""
    theirs = paper_figures.LIGHT_TUNNEL["CDFM"]
    mine = [next(iter(values.values())) for values in (f1, auroc)]
    return (
        f"Light tunnel (10,000 rows, 20 variables, 39 edges): foundcause has F1 {mine[0]:.3f} and AUROC {mine[1]:.3f}; "
        f"CDFM prints {theirs[0]:.3f} and {theirs[1]:.3f} for itself."
    )


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


def pairs_table(folder: Path, experiment: str = "tuebingen") -> str:
    """Accuracy on the pairs, weighted and not, beside the paper's where the pairs are those of the paper."""
    found = records(folder, experiment)
    theirs = paper_figures.TUEBINGEN if EXPERIMENTS[experiment].datasets == TUEBINGEN else {}
    methods = sorted({record["method"] for record in found})
    scored = [(pair_accuracy([r for r in found if r["method"] == name]), name) for name in methods]
    scored.sort(key=lambda item: (-item[0].weighted.mean, item[1]))
    lines = []
    for result, name in scored:
        same = theirs.get(_PAIR_NAMES.get(name, entry(name).paper or ""))
        printed = [number(same[1], 1), number(same[2], 1)] if same else ["–", "–"] if theirs else []
        weighted = result.weighted
        interval = f"{100 * weighted.mean:.1f} ({100 * weighted.low:.0f}–{100 * weighted.high:.0f})"
        figures = [f"{100 * result.plain:.1f}", interval, f"{100 * result.strict:.1f}", f"{100 * result.decided:.1f}"]
        lines.append([entry(name).label, f"{result.covered}/{result.attempted}", *figures, *printed])
    run = {_PAIR_NAMES.get(name, entry(name).paper) for name in methods}
    for label, row in theirs.items():
        if label not in run:
            lines.append([f"{MARK} {paper_figures.shown(label)}", *["–"] * 5, number(row[1], 1), number(row[2], 1)])
    header = ["method", "pairs", "% right", "% weighted (95% interval)", "% weighted, undecided wrong", "% decided"]
    return table([*header, *([f"{MARK} %", f"{MARK} % weighted"] if theirs else [])], lines)


_PAIR_NAMES = {"notears": "NOTEARS (Linear)"}


@dataclass(frozen=True, kw_only=True)
class PairAccuracy:
    """A method on the pairs. A pair that failed counts as wrong everywhere."""

    covered: int
    attempted: int
    plain: float
    """Share of pairs that are right; an undecided pair is half right."""
    weighted: Interval
    """The same with the pairs' weights; the interval resamples pairs."""
    strict: float
    """Weighted, an undecided pair being wrong."""
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
        plain=float(coin.mean()),
        weighted=mean_interval(coin, weights=weights),
        strict=float(np.average(right, weights=weights)),
        decided=float(decided.mean()),
    )


def pair_comparisons(folder: Path, experiment: str = "tuebingen", reference: str = "foundcause") -> str | None:
    """Every method against one on the pairs, weighted: difference in points, exact-or-sampled sign flips."""
    found = records(folder, experiment)
    verdicts: dict[str, dict[str, float]] = {}
    weights: dict[str, float] = {}
    for record in found:
        metrics = record.get("metrics", {})
        verdicts.setdefault(record["method"], {})[record["dataset"]] = float(metrics.get("correct_or_coin", 0))
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


def confounding_table(folder: Path) -> str:
    """How well hidden common causes are found."""
    found = records(folder, "confounding")
    rows = []
    for summary in summarise(found):
        if "confounding_auroc" in summary.means:
            metrics = ("confounding_auroc", "confounding_auprc", "confounding_base_rate", "confounding_brier", "f1")
            means = [summary.means[metric].mean if metric in summary.means else None for metric in metrics]
            rows.append([summary.label, *(number(mean) for mean in means)])
    header = ["hidden common causes", "AUROC", "AUPRC", "share of pairs that have one", "Brier", "directed F1"]
    return table(header, rows) if rows else "_No results yet._"


def dimension_table(folder: Path, name: str = "dimension") -> str:
    """F1 and AUROC by number of variables, with the tasks answered of those run, beside the paper's on its suites."""
    found = records(folder, name)
    values, ranked = (per_dataset(found, metric) for metric in ("f1", "auroc"))
    run = Counter((record["method"], record["dataset"]) for record in found)
    answered = Counter((record["method"], record["dataset"]) for record in found if record["status"] == "ok")
    header = ["variables", *(entry(name).label for name in sorted(values)), f"{MARK} FoundCause (its suites)"]
    rows = []
    for suite in DIMENSION if name == "dimension" else DIMENSION_PAPER:
        size = int(suite.rsplit("_", 1)[1])
        cells = [
            f"{number(values[method].get(suite))} / {number(ranked.get(method, {}).get(suite))} "
            f"({answered[method, suite]}/{run[method, suite]})"
            for method in sorted(values)
        ]
        auroc, f1, _ = paper_figures.DIMENSION[size]
        rows.append([str(size), *cells, f"{number(f1)} / {number(auroc)}"])
    return f"Directed F1 / AUROC (tasks answered / tasks run):\n\n{table(header, rows)}"


def dimension_paper_table(folder: Path) -> str:
    """The same on suites by the paper's recipe."""
    return dimension_table(folder, "dimension_paper")


def ablation_table(folder: Path) -> str:
    """Our network with a part switched off, beside the paper's figures for the same part."""
    found = records(folder, "ablation")
    f1, auroc = (per_dataset(found, metric) for metric in ("f1", "auroc"))
    pairs = records(folder, "ablation_pairs")
    rows = []
    marks = {name.removeprefix(method_of(name)) for name in f1 if entry(name).ours} or {""}  # versions, if several
    for mark, (part, (paper_f1, paper_auroc, paper_pairs)) in product(sorted(marks), paper_figures.ABLATION.items()):
        name = ("foundcause" if part == "none" else f"without_{part}") + mark
        mine = [float(np.mean(list(metric[name].values()))) if name in metric else None for metric in (f1, auroc)]
        verdicts = [record for record in pairs if record["method"] == name]
        right = 100 * pair_accuracy(verdicts).plain if verdicts else None
        row = [part + mark, *(number(value) for value in mine), number(right, 1)]
        rows.append([*row, number(paper_f1), number(paper_auroc), number(paper_pairs, 1)])
    header = ["switched off", "F1", "AUROC", "pairs, % right", f"{MARK} F1", f"{MARK} AUROC", f"{MARK} pairs, % right"]
    note = (
        "The paper's rows but the first are predictions, by its own caption. A row of ours is empty where our "
        "network has no such part: it reads statistics alone."
    )
    return f"{table(header, rows)}\n\n{note}"


def wide_table(folder: Path) -> str:
    """AUROC and F1 on the wide networks, DREAM4 as the mean of its five, beside the paper's."""
    found = records(folder, "wide")
    header = ["data set", "method", "AUROC", "F1", "skeleton F1", "SHD/d, reversal 1", f"{MARK} model: AUROC / F1"]
    metrics = ("auroc", "f1", "skeleton_f1", "shd_pairs_per_d")
    values = {metric: per_dataset(found, metric) for metric in metrics}
    rows = []
    for group in ("hailfinder", "hepar2", "win95pts", "dream4"):
        printed = paper_figures.WIDE[paper_figures.MODEL][group]
        for name in (item.method for item in summarise(found)):
            means = []
            for metric in metrics:
                mine = [v for k, v in values[metric].get(name, {}).items() if k.split("_")[0] == group]
                means.append(number(float(np.mean(mine)) if mine else None))
            rows.append([group, entry(name).label, *means, f"{printed[0]:.3f} / {printed[1]:.3f}"])
    return table(header, rows)


def by_variant(folder: Path, experiment: str) -> str:
    """F1 and seconds of each method by data set and variant (such as the number of rows), means over seeds."""
    found = records(folder, experiment)
    variants = sorted({record["variant"] for record in found}, key=lambda text: int(text.removeprefix("n=")))
    rows = []
    for dataset, name in sorted({(record["dataset"], record["method"]) for record in found}):
        cells = []
        for variant in variants:
            run = [r for r in found if (r["dataset"], r["method"], r["variant"]) == (dataset, name, variant)]
            mine = [r for r in run if r["status"] == "ok"]
            if mine:
                f1 = np.mean([r["metrics"]["f1"] for r in mine])
                cells.append(f"{f1:.3f} ({np.mean([r['seconds'] for r in mine]):.2f} s)")
            else:
                cells.append(run[0]["status"] if run else "–")
        rows.append([dataset, entry(name).label, *cells])
    return table(["data set", "method", *variants], rows)


def times(folder: Path, experiment: str = "speed") -> str:
    """Mean seconds and peak memory of each method by data set."""
    found = records(folder, experiment)
    names = sorted({record["dataset"] for record in found}, key=lambda text: int(text.rsplit("_", 1)[1]))
    rows = []
    for method in sorted({record["method"] for record in found}):
        cells = []
        for name in names:
            run = [r for r in found if r["method"] == method and r["dataset"] == name]
            mine = [r for r in run if r["status"] == "ok"]
            if mine:
                peak = max(r["peak_bytes"] or 0 for r in mine)
                cells.append(f"{number(float(np.mean([r['seconds'] for r in mine])), 2)} s, {peak / 2**20:.0f} MB")
            else:
                cells.append(run[0]["status"] if run else "–")
        rows.append([entry(method).label, *cells])
    return table(["method", *(f"D = {name.rsplit('_', 1)[1]}" for name in names)], rows)


TWINS = {"pc_discrete": "pc_0.01", "ges_discrete": "ges", "grasp_discrete": "grasp"}
"""Methods for category codes, and the same search with a Gaussian test or score."""


def more_metrics(folder: Path, experiment: str) -> str:
    """Method by counts, CPDAG distance, precision, recall and what is known of its probabilities.

    Counts are shares of the true edges, averaged like everything else: seeds, then data sets.
    """
    found = [r for r in records(folder, experiment) if not entry(r["method"]).discrete_only]
    derived = [{**record, "metrics": _shares(record)} for record in found if record["status"] == "ok"]
    names = ("found", "oriented", "extra", "shd_cpdag_per_d", "precision", "recall", "auprc", "ece", "brier")
    values = {name: per_dataset(derived, name) for name in names}
    rows = []
    for item in summarise(found):
        means = [_mean_of(values[name].get(item.method, {}).values()) for name in names]
        rows.append([item.label, *(number(mean) for mean in means)])
    header = ["method", "found / true", "oriented / true", "extra / true", "SHD of CPDAGs / d", "precision", "recall"]
    return table([*header, "AUPRC", "calibration error", "Brier"], rows)


def _shares(record: Record) -> Record:
    metrics = dict(record["metrics"])
    for name in ("found", "oriented", "extra"):
        metrics[name] = metrics[name] / metrics["true"] if metrics.get("true") else None
    distance = metrics.get("shd_cpdag")
    metrics["shd_cpdag_per_d"] = None if distance is None else distance / record["variables"]
    return metrics


def on_codes_table(folder: Path, experiment: str) -> str | None:
    """Discrete tests and scores beside their Gaussian twins, on the discrete sets both answered; None without any."""
    found = records(folder, experiment)
    metrics = ("f1", "skeleton_f1", "shd_pairs_per_d", "seconds")
    values = {metric: per_dataset(found, metric) for metric in metrics}
    attempted: dict[str, set[str]] = {}
    for record in found:
        attempted.setdefault(record["method"], set()).add(record["dataset"])
    rows = []
    for name, twin in TWINS.items():
        mine, other = (values["f1"].get(method, {}) for method in (name, twin))
        both = sorted(set(mine) & set(other))
        for method in (name, twin) if both else ():
            figures = [_mean_of([values[metric][method][k] for k in both]) for metric in metrics]
            sets = f"{len(both)}/{len(attempted[name])}" + f" ({', '.join(both)})" * (method == name)
            rows.append([entry(method).label, sets, *(number(value) for value in figures)])
    if not rows:
        return None
    return table(["on discrete sets", "sets", "F1", "skeleton F1", "SHD/d, reversal 1", "seconds"], rows)
