"""The table of the README: generated between two markers, so that it cannot drift from the committed results."""

from __future__ import annotations

from pathlib import Path

from foundcause.bench.experiments import EXPERIMENTS
from foundcause.bench.report import paper
from foundcause.bench.report.markdown import number, table
from foundcause.bench.report.summary import records, summarise
from foundcause.bench.report.tables import MARK, PairAccuracy, pair_accuracy
from foundcause.bench.report.versions import entry, method_of
from foundcause.errors import InputError
from foundcause.files import write_text

START, END = "<!-- bench:start -->", "<!-- bench:end -->"

_ROWS = ("foundcause", "foundcause_one_pass", "grasp", "boss", "ges", "pc_0.01", "direct_lingam", "notears", "dagma")
_PAIR_ROWS = ("foundcause", "sloppy", "heci", "reci", "anm", "igci", "cds", "direct_lingam")


def block(folder: Path) -> str:
    """The text between the markers, from the results in ``folder`` alone."""
    found = [record for record in records(folder, "clean") if method_of(record["method"]) in _ROWS]
    sets = len({record["dataset"] for record in found})
    summaries = [
        item for item in summarise(found) if item.attempted == sets
    ]  # a run that is under way says nothing yet
    names = {record["dataset"] for record in found}
    header = ["method", "sets", "F1", "skeleton F1", "AUROC", "AUROC of the graph", "SHD/d"]
    printed = [f"{MARK} F1", f"{MARK} F1, all 15", f"{MARK} skeleton F1, all 15"]
    rows = []
    for item in summaries:
        label = f"**{item.label}**" if entry(item.method).ours else item.label
        means = [
            number(item.means[metric].mean if metric in item.means else None)
            for metric in ("f1", "skeleton_f1", "auroc", "auroc_binary", "shd_pairs_per_d")
        ]
        rows.append([label, item.coverage, *means, *_printed(entry(item.method).paper, names)])
    run = {entry(item.method).paper for item in summaries}
    for name in (paper.MODEL, "SEA", "AVICI"):
        if name not in run:
            rows.append([f"{MARK} {paper.shown(name)}", *["–"] * 6, *_printed(name, names)])
    parts = [
        f"Means over {sets} of the paper's 15 data sets (the metrics of the other two cannot be obtained), measured "
        f"here; simulated sets over several seeds. Columns and rows marked “{MARK}” repeat what the paper prints for "
        f"its own versions of the data, on the same {sets} sets where it says so per set, and on all 15. SHD counts a "
        "reversed edge once. AUROC ranks pairs by a method's probability; one that answers with a graph alone has the "
        "one point of that graph. The next column takes that one point of all methods alike.",
        table([*header, *printed], rows),
    ]
    pairs = _pairs(folder)
    if pairs:
        parts.append(pairs)
    if not any(entry(record["method"]).ours for record in found):
        parts.append(
            "_No checkpoint of ours has been evaluated yet: these are baselines and the paper's figures only._"
        )
    elif not any(entry(item.method).ours for item in summaries):
        parts.append("_Ours is left out until one checkpoint has been run on all of these sets._")
    return "\n\n".join(parts)


def _printed(name: str | None, names: set[str]) -> list[str]:
    row = paper.CLEAN.get(name or "")
    figures = (paper.same_sets_f1(name, names), row.f1 if row else None, row.skeleton_f1 if row else None)
    return [number(value) for value in figures]


def _pairs(folder: Path) -> str | None:
    """Both collections of real pairs side by side; a method with all the Tuebingen pairs has a row."""
    tuebingen, examples = (_whole(folder, name) for name in ("tuebingen", "example_pairs"))
    rows = []
    for name, result in tuebingen.items():
        same = paper.TUEBINGEN.get(entry(name).paper or "")
        label = f"**{entry(name).label}**" if entry(name).ours else entry(name).label
        figures = [*_percent(result), number(same[2] if same else None, 1), *_percent(examples.get(name))]
        rows.append((result.weighted.mean, [label, *figures]))
    if not rows:
        return None
    rows.sort(key=lambda row: -row[0])
    counts = [len(EXPERIMENTS[name].datasets) for name in ("tuebingen", "example_pairs")]
    header = [
        f"direction of {counts[0]} Tuebingen pairs, and of {counts[1]} pairs of R's example tables",
        "Tuebingen: % right",
        "% weighted",
        f"{MARK} % weighted",
        "examples: % right",
        "% weighted",
    ]
    return table(header, [row for _, row in rows])


def _percent(result: PairAccuracy | None) -> list[str]:
    """Right, and right by weight."""
    return [number(100 * value, 1) for value in (result.plain, result.weighted.mean)] if result else ["–", "–"]


def _whole(folder: Path, experiment: str) -> dict[str, PairAccuracy]:
    """The accuracy of the methods of the table that were run on all pairs."""
    found = records(folder, experiment)
    wanted = len(EXPERIMENTS[experiment].datasets)
    names = {record["method"] for record in found if method_of(record["method"]) in _PAIR_ROWS}
    by_name = {name: [record for record in found if record["method"] == name] for name in sorted(names)}
    return {
        name: pair_accuracy(mine)
        for name, mine in by_name.items()
        if len({record["dataset"] for record in mine}) == wanted
    }


def current(text: str) -> str:
    """What a README has between the markers."""
    if START not in text or END not in text:
        raise InputError(f"README has no {START} ... {END}; put both markers where the table belongs")
    return text.split(START, 1)[1].split(END, 1)[0].strip()


def update(readme: Path, folder: Path) -> bool:
    """Put the generated block into the README; returns whether that changed it."""
    text = readme.read_text(encoding="utf-8")
    current(text)
    before, rest = text.split(START, 1)
    new = f"{before}{START}\n{block(folder)}\n{END}{rest.split(END, 1)[1]}"
    if new != text:
        write_text(readme, new)
    return new != text
