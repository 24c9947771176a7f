"""Tables and pictures from made-up results; the README's table from the committed ones."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from pathlib import Path

import pytest

from foundcause.bench.baselines import METHODS, our_methods
from foundcause.bench.datasets import DATASETS, TUEBINGEN
from foundcause.bench.experiments import EXPERIMENTS
from foundcause.bench.records import Record, Store
from foundcause.bench.report import benchmark_page, paper_figures, result_plots, result_tables
from foundcause.bench.report.averages import per_dataset, records, shared_runs, summarise
from foundcause.bench.report.benchmark_page import PAGE, write_report
from foundcause.bench.report.result_tables import number, table
from foundcause.bench.runner import Cell, identity
from foundcause.errors import InputError
from foundcause.inference.protocols import IN_WORDS

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "research" / "results"
STORES = [Store(path.with_suffix("")) for path in sorted(RESULTS.glob("*.jsonl.gz"))]


def cell(method: str, dataset: str, seed: int = 0, status: str = "ok", **metrics: float) -> Record:
    record: Record = {
        "kind": "cell",
        "method": method,
        "dataset": dataset,
        "seed": seed,
        "variant": "",
        "status": status,
        "seconds": 1.0 + seed,
        "error": None,
        "environment": "e",
        "variables": 8,
    }
    if status == "ok":
        record["metrics"] = {"f1": 0.5, "skeleton_f1": 0.6, "auroc": 0.7, "shd_pairs_per_d": 1.0, **metrics}
    return record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store = Store(tmp_path / "results" / "clean.jsonl")
    store.append(
        {"kind": "environment", "id": "e", "processor": "p", "cores": 2, "python": "3", "packages": {"numpy": "2"}}
    )
    for record in (
        cell("grasp", "asia", 0, f1=0.2),
        cell("grasp", "asia", 1, f1=0.4),
        cell("grasp", "child", 0, f1=0.9),
        cell("pc_0.01", "asia", 0, f1=0.4),
        cell("pc_0.01", "child", 0, "timeout"),
        cell("a_method_of_the_past", "asia"),
    ):
        store.append(record)
    return store.path.parent


def test_seeds_are_averaged_before_data_sets(folder: Path) -> None:
    found = records(folder, "clean")
    assert per_dataset(found, "f1")["grasp"] == {"asia": pytest.approx(0.3), "child": 0.9}
    grasp, pc = summarise(found)
    assert (grasp.method, grasp.means["f1"].mean) == ("grasp", pytest.approx(0.6))  # not 0.5, the mean of the cells
    assert (pc.covered, pc.attempted, pc.lost) == (1, 2, ("child (timeout, 1 of 1 runs)",))
    assert pc.means["f1"].mean == pytest.approx(0.4)


def test_tables_mark_every_figure_of_the_paper(folder: Path) -> None:
    text = result_tables.averages_table(folder, "clean")
    header, _, *rows = [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines()]
    by_name = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    grasp = by_name["GRaSP"]
    assert (grasp["sets"], grasp["skeleton F1"], grasp["paper: F1"]) == ("2/2", "0.600", "0.488")
    assert grasp["paper: F1, these sets"] == number((0.842 + 0.754) / 2)
    assert by_name["PC (0.01)"]["sets"] == "1/2 (1 of 2 runs)"
    sea = by_name["paper: SEA"]
    for column, value in sea.items():  # what was not run here has figures in the paper's columns only
        assert (value == "–") != (column.startswith("paper:") or column == "method") or column in (
            "paper: F1, these sets",
            "paper: SHD/d, reversal 1",
        )
    assert "paper: its own FoundCause" in by_name and "paper: GRaSP" not in by_name
    assert "timeout" in result_tables.by_dataset(folder, "clean")
    assert "child (timeout, 1 of 1 runs)" in result_tables.lost(folder, "clean")
    assert "| PC (0.01) | +0.100 |" in result_tables.comparisons(folder, "clean")


def test_same_sets_need_every_set() -> None:
    thirteen = [name for name in paper_figures.PER_DATASET[paper_figures.MODEL] if "temp" not in name]
    assert paper_figures.same_sets_f1(paper_figures.MODEL, thirteen) == pytest.approx(0.570, abs=1e-3)
    assert paper_figures.same_sets_f1("PC (alpha=0.01)", [*thirteen, "petshop_temp1"]) is None
    assert paper_figures.same_sets_f1("SEA", thirteen) is None


@pytest.mark.parametrize("method", list(paper_figures.PER_DATASET))
def test_the_paper_s_averages_follow_from_its_rows(method: str) -> None:
    rows = paper_figures.PER_DATASET[method].values()
    assert sum(row.f1 for row in rows) / len(rows) == pytest.approx(paper_figures.CLEAN[method].f1, abs=1e-3)


def test_pairs_are_weighted_and_failures_count_as_wrong(tmp_path: Path) -> None:
    store = Store(tmp_path / "tuebingen.jsonl")
    verdicts = [(1, 1.0), (0, 0.5), (1, 0.5)]
    for name, (correct, weight) in zip(TUEBINGEN, verdicts, strict=False):
        store.append(cell("reci", name, correct=correct, correct_or_coin=correct, decided=1, weight=weight))
    store.append(cell("reci", TUEBINGEN[3], status="failed"))
    result = result_tables.pair_accuracy(list(store.cells().values()))
    assert (result.covered, result.attempted) == (3, 4)
    assert result.plain == pytest.approx(2 / 4)
    assert result.weighted.mean == pytest.approx(1.5 / (2 + 2 / 3))  # a lost weight that is not known is the mean one
    assert result.weighted.low <= result.weighted.mean <= result.weighted.high
    assert result.decided == pytest.approx(3 / 4)
    store.append({**cell("reci", TUEBINGEN[3], status="failed"), "weight": 0.1})
    result = result_tables.pair_accuracy(list(store.cells().values()))
    assert result.weighted.mean == result.strict == pytest.approx(1.5 / 2.1)


def test_pairs_are_compared_pair_by_pair(tmp_path: Path) -> None:
    store = Store(tmp_path / "tuebingen.jsonl")
    for name, first, second, weight in zip(TUEBINGEN, (1, 1, 0), (0, 1, 1), (1.0, 0.5, 0.5), strict=False):
        for method, correct in (("foundcause", first), ("reci", second)):
            store.append(cell(method, name, correct=correct, correct_or_coin=correct, decided=1, weight=weight))
    text = result_tables.pair_comparisons(tmp_path)
    assert text is not None and "| RECI | +25.0 |" in text and "| 1–1–1 |" in text  # 100 * (1 - 0.5) / 2
    assert result_tables.pair_comparisons(tmp_path, reference="heci") is None
    assert "Paired comparison" in (write_report(tmp_path, tmp_path, None)[-1]).read_text()


def test_the_report_is_written_whole(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"before\n{benchmark_page.START}\nold\n{benchmark_page.END}\nafter\n")
    written = write_report(folder, tmp_path / "out", page)
    assert {path.name for path in written} == {PAGE, "clean_f1.png", "time.png", "README.md"}
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    assert benchmark_page.readme_block(text) == benchmark_page.new_block(folder)
    assert "No checkpoint of ours" in text
    assert (tmp_path / "out" / "clean_f1.png").read_bytes().startswith(b"\x89PNG")
    assert not benchmark_page.update_readme(page, folder)  # nothing to change the second time


def test_every_picture_draws(tmp_path: Path) -> None:
    bins = {
        "reliability_count": [8.0, *[0.0] * 8, 2.0],
        "reliability_probability": [0.4, *[0.0] * 8, 1.9],
        "reliability_true": [0.0, *[0.0] * 8, 2.0],
    }
    for name, dataset in (
        *((name, "asia") for name in ("clean", "mar10", "mar30", "rows")),
        *((name, "synthetic_60") for name in ("dimension", "speed")),
    ):
        store = Store(tmp_path / f"{name}.jsonl")
        for method, more in (("foundcause", bins), ("grasp", {})):
            variants = ("n=100", "n=200") if name == "rows" else ("",)
            for variant in variants:
                store.append({**cell(method, dataset, **more), "variant": variant, "peak_bytes": 0})  # type: ignore[arg-type]
    written = {path.name for path in write_report(tmp_path, tmp_path, None)}
    assert {f"{name}.png" for name in result_plots.PLOTS} < written
    assert "No checkpoint of ours" not in benchmark_page.new_block(tmp_path)


def test_a_method_that_lost_every_run_has_empty_bars(tmp_path: Path) -> None:
    store = Store(tmp_path / "clean.jsonl")
    store.append(cell("grasp", "asia"))
    store.append(cell("notears", "asia", 0, "timeout"))
    assert result_plots.bars(tmp_path) is not None
    assert (tmp_path / "clean.jsonl").is_file() and write_report(tmp_path, tmp_path, None)


def test_special_tables(tmp_path: Path) -> None:
    for name in ("wide", "rows", "speed", "confounding", "ablation", "dimension"):
        store = Store(tmp_path / f"{name}.jsonl")
        for method, dataset, variant, f1 in (
            ("grasp", "dream4_1" if name == "wide" else "synthetic_60", "n=100" if name == "rows" else "", 0.2),
            ("grasp", "dream4_2" if name == "wide" else "synthetic_100", "n=1000" if name == "rows" else "", 0.4),
            ("foundcause", "asia_1" if name == "speed" else "asia", "n=200" if name == "rows" else "", 0.6),
            ("without_statistics", "asia_1" if name == "speed" else "asia", "n=200" if name == "rows" else "", 0.1),
        ):
            record = cell(method, dataset, f1=f1, confounding_auroc=0.9, confounding_auprc=0.8, confounding_brier=0.1)
            store.append({**record, "variant": variant, "peak_bytes": 2**20 * 100})
    assert "| dream4 | GRaSP | 0.700 | 0.300 |" in result_tables.wide_table(tmp_path)
    assert (
        result_tables.by_variant(tmp_path, "rows").splitlines()[0] == "| data set | method | n=100 | n=200 | n=1000 |"
    )
    assert "| synthetic_60 | GRaSP | 0.200 (1.00 s) | – | – |" in result_tables.by_variant(tmp_path, "rows")
    assert "1.00 s, 100 MB" in result_tables.times(tmp_path)
    for name, dataset, variant in (("rows", "child", "n=200"), ("speed", "asia_1", "")):
        Store(tmp_path / f"{name}.jsonl").append({**cell("pc_0.01", dataset, status="failed"), "variant": variant})
    assert "| child | PC (0.01) | – | failed | – |" in result_tables.by_variant(tmp_path, "rows")
    assert "| PC (0.01) | failed |" in result_tables.times(tmp_path)
    assert "| foundcause | 0.900 | 0.800 | – | 0.100 | 0.600 |" in result_tables.confounding_table(tmp_path)
    assert "| none | 0.600 | 0.700 | – | 0.604 |" in result_tables.ablation_table(tmp_path)
    assert "| statistics | 0.100 |" in result_tables.ablation_table(
        tmp_path
    ) and "predictions" in result_tables.ablation_table(tmp_path)
    assert "| 60 | – / – (0/0) | 0.200 / " in result_tables.dimension_table(
        tmp_path
    ) and "0.516" in result_tables.dimension_table(tmp_path)
    assert (tmp_path / "out" / PAGE) in write_report(tmp_path, tmp_path / "out", None)


def test_counts_are_shares_of_the_true_edges(tmp_path: Path) -> None:
    store = Store(tmp_path / "clean.jsonl")
    counts = {"true": 8, "found": 6, "oriented": 4, "extra": 2, "shd_cpdag": 4, "precision": 0.5, "recall": 0.5}
    store.append({**cell("grasp", "asia", **counts), "variables": 8})
    store.append({**cell("grasp", "child", true=0, found=0, oriented=0, extra=3), "variables": 20})
    assert "| GRaSP | 0.750 | 0.500 | 0.250 | 0.500 | 0.500 | 0.500 | – |" in result_tables.more_metrics(
        tmp_path, "clean"
    )


def test_discrete_rows_stand_beside_their_gaussian_twins(tmp_path: Path) -> None:
    store = Store(tmp_path / "clean.jsonl")
    assert result_tables.on_codes_table(tmp_path, "clean") is None
    for record in (
        cell("pc_discrete", "asia", f1=0.8),
        cell("pc_discrete", "child", status="timeout"),
        cell("pc_0.01", "asia", f1=0.4),
        cell("pc_0.01", "child", f1=0.9),
    ):
        store.append({**record, "variables": 8})
    text = result_tables.on_codes_table(tmp_path, "clean")
    assert text is not None
    assert "| PC (chi-square, 0.01) | 1/2 (asia) | 0.800 |" in text and "| PC (0.01) | 1/2 | 0.400 |" in text
    assert set(result_tables.TWINS) == {name for name, entry in METHODS.items() if entry.discrete_only}


def test_names_are_moved_apart_no_more_than_needed() -> None:
    assert result_plots.spaced([0.0, 1.0, 5.0], 1.0) == [0.0, 1.0, 5.0]
    assert result_plots.spaced([1.0, 1.0, 1.0], 1.0) == pytest.approx([0.0, 1.0, 2.0])
    places = result_plots.spaced([0.0, 0.1, 0.15, 3.0], 0.5)
    assert all(b - a >= 0.5 - 1e-12 for a, b in pairwise(places))


def test_names_beside_points_do_not_overlap() -> None:
    figure = result_plots.empty_figure(7, 5)
    axes = figure.subplots()
    points = [(f"method {k}", 0.5 + 0.03 * (k % 3), 0.5 + 0.01 * k, "black") for k in range(8)]
    axes.set(xlim=(0, 1), ylim=(0, 1))
    result_plots.name_points(axes, points)
    boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) == 8
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_markdown() -> None:
    assert table(["a", "b"], [["x", "1"]]) == "| a | b |\n| --- | ---: |\n| x | 1 |"
    assert number(None) == number(float("nan")) == "–"


def test_readme_without_markers_is_refused() -> None:
    with pytest.raises(InputError, match="put both markers"):
        benchmark_page.readme_block("# nothing here")


def test_readme_agrees_with_the_committed_results() -> None:
    """When this fails, run `foundcause bench report` and commit the README with the results."""
    assert benchmark_page.readme_block((ROOT / "README.md").read_text(encoding="utf-8")) == benchmark_page.new_block(
        RESULTS
    )


def test_committed_results_meet_the_independent_measurement() -> None:
    """GRaSP and PC on the 13 sets, against means measured elsewhere with the same rules."""
    summaries = {item.method: item for item in summarise(records(RESULTS, "clean"))}
    for name, f1, skeleton in (("grasp", 0.51, 0.71), ("pc_0.01", 0.45, 0.65)):
        item = summaries[name]
        assert item.covered == 13
        assert item.means["f1"].mean == pytest.approx(f1, abs=0.03)
        assert item.means["skeleton_f1"].mean == pytest.approx(skeleton, abs=0.03)


def test_committed_results_name_known_methods_and_sets() -> None:
    for store in STORES:
        environments = store.environments()
        for record in store.cells().values():
            assert record["method"] in METHODS and record["environment"] in environments
            assert record["dataset"] in DATASETS and store.path.stem in EXPERIMENTS
            assert record["status"] in ("ok", "failed", "timeout", "absent")


def test_committed_results_of_ours_are_those_of_the_shipped_weights_and_protocol(monkeypatch) -> None:
    """A new checkpoint, or another default protocol, needs a new benchmark before it can be committed."""
    monkeypatch.delenv("FOUNDCAUSE_CHECKPOINT", raising=False)
    monkeypatch.delenv(our_methods.CHECKPOINT_VARIABLE, raising=False)
    fields = {field.name for field in dataclasses.fields(Cell)}
    for store in STORES:
        for record in store.cells().values():
            if METHODS[record["method"]].ours:
                made = Cell(**{name: value for name, value in record.items() if name in fields})
                assert record["identity"] == identity(made), (
                    f"{store.path.stem}: {record['method']} on {record['dataset']}"
                )


def test_shipped_weights_were_calibrated_with_the_default_protocol() -> None:
    from foundcause.model.checkpoints import describe
    from foundcause.weights import SHIPPED_CHECKPOINT

    fitted = describe(SHIPPED_CHECKPOINT)["metadata"]["calibration"]["fitted_on"]
    assert (fitted["protocol"], fitted["runs"]) == (IN_WORDS, 10)


def test_methods_are_compared_on_the_same_tables() -> None:
    found = [
        *(cell("foundcause", "hailfinder", seed, f1=0.1 * seed) for seed in range(3)),
        cell("grasp", "hailfinder", 0),
        *(cell("grasp", "dream4_1", seed) for seed in range(3)),  # real: the seeds are the method's own
        cell("foundcause", "dream4_1", 0),
    ]
    kept = [(record["method"], record["dataset"], record["seed"]) for record in shared_runs(found)]
    assert kept.count(("foundcause", "hailfinder", 0)) == 1 and ("foundcause", "hailfinder", 2) not in kept
    assert sum(name == "dream4_1" for _, name, _ in kept) == 4


def test_means_are_split_by_the_origin_of_the_data(tmp_path: Path) -> None:
    store = Store(tmp_path / "clean.jsonl")
    for name, f1 in (("sachs_obs", 0.2), ("petshop_high", 0.4), ("asia", 0.8), ("alarm_like", 1.0)):
        store.append(cell("grasp", name, f1=f1))
    text = result_tables.by_origin(tmp_path, "clean") or ""
    assert "| GRaSP | 0.300 (2) | 0.800 (1) | 1.000 (1) |" in text
    assert result_tables.sachs_and_petshop(tmp_path, ["grasp"]).endswith("GRaSP 0.300.")
    assert result_tables.by_origin(tmp_path, "dimension") is None


def test_ties_of_a_pair_are_half_right() -> None:
    tied = {"correct": 0, "correct_or_coin": 0.5, "decided": 0, "confidence": 0.0, "weight": 1.0}
    right = {**tied, "correct": 1, "correct_or_coin": 1.0, "decided": 1}
    result = result_tables.pair_accuracy([{"status": "ok", "metrics": metrics} for metrics in (tied, right)])
    assert (result.plain, result.strict, result.decided) == (0.75, 0.5, 0.5)
