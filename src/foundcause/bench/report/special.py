"""The tables of experiments that ask something else than the mean over data sets."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np

from foundcause.bench.datasets import DIMENSION, DIMENSION_PAPER
from foundcause.bench.report import paper
from foundcause.bench.report.markdown import number, table
from foundcause.bench.report.summary import per_dataset, records, summarise
from foundcause.bench.report.tables import MARK, pair_accuracy
from foundcause.bench.report.versions import entry, method_of


def confounding(folder: Path) -> str:
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


def dimension(folder: Path, name: str = "dimension") -> str:
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
        auroc, f1, _ = paper.DIMENSION[size]
        rows.append([str(size), *cells, f"{number(f1)} / {number(auroc)}"])
    return f"Directed F1 / AUROC (tasks answered / tasks run):\n\n{table(header, rows)}"


def dimension_paper(folder: Path) -> str:
    """The same on suites by the paper's recipe."""
    return dimension(folder, "dimension_paper")


def ablation(folder: Path) -> str:
    """Our network with a part switched off, beside the paper's figures for the same part."""
    found = records(folder, "ablation")
    f1, auroc = (per_dataset(found, metric) for metric in ("f1", "auroc"))
    pairs = records(folder, "ablation_pairs")
    rows = []
    marks = {name.removeprefix(method_of(name)) for name in f1 if entry(name).ours} or {""}  # versions, if several
    for mark, (part, (paper_f1, paper_auroc, paper_pairs)) in product(sorted(marks), paper.ABLATION.items()):
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


def wide(folder: Path) -> str:
    """AUROC and F1 on the wide networks, DREAM4 as the mean of its five, beside the paper's."""
    found = records(folder, "wide")
    header = ["data set", "method", "AUROC", "F1", "skeleton F1", "SHD/d, reversal 1", f"{MARK} model: AUROC / F1"]
    metrics = ("auroc", "f1", "skeleton_f1", "shd_pairs_per_d")
    values = {metric: per_dataset(found, metric) for metric in metrics}
    rows = []
    for group in ("hailfinder", "hepar2", "win95pts", "dream4"):
        printed = paper.WIDE[paper.MODEL][group]
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
