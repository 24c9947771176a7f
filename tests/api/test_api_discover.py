"""The whole call, end to end, on a tiny network."""

from __future__ import annotations

import json
import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch

import foundcause as fc
from foundcause.errors import CheckpointError, ConfigError, InputError, KnowledgeError, ResourceError, TableError
from foundcause.inference.memory import Estimate
from foundcause.weights import SHIPPED_CHECKPOINT

MATRICES = ("probabilities", "existence", "confounding", "adjacency", "agreement")


def survey(rows: int = 300, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=rows)
    b = a + 0.5 * rng.exponential(size=rows)
    c = np.sin(2 * b) + 0.3 * rng.normal(size=rows)
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.normal(size=rows), "e": a * rng.normal(size=rows)})
    frame["mood"] = np.select([c > 0.5, c > -0.5], ["high", "medium"], "low")
    frame["smokes"] = np.where(rng.random(rows) < 1 / (1 + np.exp(-a)), "yes", "no")
    frame.loc[rng.random(rows) < 0.1, "b"] = np.nan
    return frame


@pytest.fixture(scope="module")
def result(tiny_checkpoint):
    return fc.discover(survey(), checkpoint=tiny_checkpoint)


def content(result: fc.Result) -> str:
    found = result.to_dict()
    del found["timing"]
    return json.dumps(found)


def test_the_result_is_whole(result):
    assert result.names == tuple(survey().columns)
    assert 0 < len(result.edges) < 40, "the tiny network should give some edges, else nothing is tested"
    assert nx.is_directed_acyclic_graph(result.graph)
    for name in MATRICES:
        matrix = getattr(result, name).to_numpy()
        assert np.isfinite(matrix).all() and matrix.min() >= 0 and matrix.max() <= 1 and not np.diag(matrix).any()
    np.testing.assert_array_equal(result.confounding.to_numpy(), result.confounding.to_numpy().T)
    np.testing.assert_allclose(
        result.probabilities.to_numpy() + result.probabilities.to_numpy().T, result.existence.to_numpy(), atol=1e-12
    )
    assert (result.edges["probability"] > result.threshold).all()
    assert {"read", "load", "passes", "decode", "total"} <= set(result.timing)
    assert result.provenance["options"]["random_state"] == 0 and 4 <= result.provenance["options"]["n_passes"] <= 10
    assert "correlation" in result.evidence and result.preview.shape == (300, 7)


def test_same_seed_same_bytes_and_another_seed_another_answer(result, tiny_checkpoint):
    assert content(fc.discover(survey(), checkpoint=tiny_checkpoint)) == content(result)
    other = fc.discover(survey(), checkpoint=tiny_checkpoint, random_state=1)
    assert not np.array_equal(other.probabilities.to_numpy(), result.probabilities.to_numpy())


def test_units_do_not_matter(tiny_checkpoint):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd"))
    table["d"] += table["a"] ** 2
    table = table.mask(rng.random(table.shape) < 0.05)
    other = table.assign(a=table["a"] * 1000.0, b=table["b"] * 1.8 + 32.0)
    found, again = (fc.discover(t, n_passes=3, checkpoint=tiny_checkpoint) for t in (table, other))
    np.testing.assert_allclose(again.probabilities.to_numpy(), found.probabilities.to_numpy(), atol=1e-4)


@pytest.mark.parametrize("protocol", ["default", "paper"])
def test_order_of_columns_and_rows_does_not_matter(tiny_checkpoint, protocol):
    frame = survey()
    base = fc.discover(frame, checkpoint=tiny_checkpoint, protocol=protocol)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        columns = rng.permutation(frame.columns)
        shuffled = frame[columns].iloc[rng.permutation(len(frame))]
        other = fc.discover(shuffled, checkpoint=tiny_checkpoint, protocol=protocol)
        for name in ("probabilities", "confounding", "adjacency"):
            expected = getattr(base, name).loc[columns, columns]
            np.testing.assert_array_equal(getattr(other, name).to_numpy(), expected.to_numpy())


@pytest.mark.parametrize("protocol", ["default", "paper", "release"])
def test_batch_size_does_not_matter(tiny_checkpoint, protocol, monkeypatch):
    results = []
    for size in (1, 3, 10):
        monkeypatch.setattr("foundcause.inference.passes.choose_batch", lambda *_, size=size, **__: size)
        results.append(fc.discover(survey(), checkpoint=tiny_checkpoint, protocol=protocol))
    for other in results[1:]:
        for name in MATRICES:
            np.testing.assert_allclose(getattr(other, name), getattr(results[0], name), atol=1e-5)


def test_thread_count_does_not_matter(result, tiny_checkpoint):
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1 if before > 1 else 2)
        other = fc.discover(survey(), checkpoint=tiny_checkpoint)
    finally:
        torch.set_num_threads(before)
    for name in MATRICES:
        np.testing.assert_allclose(getattr(other, name), getattr(result, name), atol=1e-5)


@pytest.mark.parametrize("protocol", ["default", "paper", "release"])
def test_knowledge_is_obeyed(tiny_checkpoint, protocol):
    known = fc.Knowledge(
        tiers=[["smokes"], ["mood", "a"]], forbidden=[("a", "b")], required=[("d", "e"), ("c", "d")], sinks=["mood"]
    )
    result = fc.discover(survey(), checkpoint=tiny_checkpoint, knowledge=known, protocol=protocol)
    edges = {(edge.cause, edge.effect) for edge in result.edges.itertuples()}
    assert {("d", "e"), ("c", "d")} <= edges
    assert not edges & {("a", "b"), ("mood", "smokes"), ("a", "smokes")}
    assert not any(cause == "mood" for cause, _ in edges)
    assert nx.is_directed_acyclic_graph(result.graph)
    free = fc.discover(survey(), checkpoint=tiny_checkpoint, protocol=protocol)
    assert (result.confounding.to_numpy() >= free.confounding.to_numpy()).all()
    assert result.knowledge == known


@pytest.mark.parametrize("protocol", ["default", "paper", "release"])
def test_no_path_leads_from_a_later_tier_to_an_earlier_one(tiny_checkpoint, protocol):
    frame = survey()
    options = {"checkpoint": tiny_checkpoint, "threshold": 0.01, "n_passes": 2, "protocol": protocol}
    free = fc.discover(frame, **options)
    for late, early in (("smokes", "c"), ("mood", "a"), ("b", "e")):
        known = {"tiers": [[early], [late]], "forbidden": [(early, late)]}  # the other columns have no tier
        assert nx.has_path(free.graph, late, early), "nothing is tested"
        result = fc.discover(frame, knowledge=known, **options)
        assert not nx.has_path(result.graph, late, early)
        (finding,) = (finding for finding in result.findings if finding.code == "contradicts-knowledge")
        assert result.graph.number_of_edges() >= free.graph.number_of_edges() - 6 and finding.details["edges"]


def test_tiers_hold_through_columns_without_a_part(tiny_checkpoint):
    frame = survey()
    frame["site"] = "north"
    for late, early in (("a", "b"), ("c", "a"), ("e", "mood")):
        known = {"tiers": [[early], [late]], "required": [(late, "site")]}
        result = fc.discover(frame, checkpoint=tiny_checkpoint, knowledge=known, threshold=0.01, n_passes=1)
        assert not nx.has_path(result.graph, late, early) and result.graph.has_edge(late, "site")
        with pytest.raises(KnowledgeError, match="tier 1"):
            fc.Knowledge(tiers=known["tiers"], required=[(late, "site"), ("site", early)])


def test_required_paths_through_isolated_columns_close_no_cycle(tiny_checkpoint):
    frame = survey()
    frame["site"] = "north"
    for cause, effect in (("a", "b"), ("c", "a"), ("e", "mood")):
        known = {"required": [(cause, "site"), ("site", effect)]}
        result = fc.discover(frame, checkpoint=tiny_checkpoint, knowledge=known, threshold=0.01)
        assert nx.is_directed_acyclic_graph(result.graph)
        assert result.graph.has_edge(cause, "site") and result.graph.has_edge("site", effect)


def test_copies_share_their_edges(tiny_checkpoint):
    frame = survey()
    frame["copy"] = frame["d"] * 3 - 1
    found = fc.discover(frame, checkpoint=tiny_checkpoint)
    (copied,) = (finding for finding in found.findings if finding.code == "copied-column")
    assert "'d'" in copied.message and copied.columns
    others = [name for name in found.names if name not in ("d", "copy")]
    for table in (found.probabilities, found.probabilities.T):
        np.testing.assert_allclose(table.loc["d", others], table.loc["copy", others], atol=1e-5)
    assert found.probabilities.loc["d", "copy"] == pytest.approx(found.probabilities.loc["copy", "d"], abs=1e-5)


def test_isolated_columns_stay_without_edges_and_change_nothing(result, tiny_checkpoint):
    frame = survey()
    frame.insert(2, "site", "north")
    frame["id"] = np.random.default_rng(5).permutation(9999)[: len(frame)]
    frame["copy"] = frame["d"] * 3 - 1
    wider = fc.discover(frame, checkpoint=tiny_checkpoint, read={"duplicate": "exclude"})
    for name in ("site", "id"):
        assert not wider.probabilities[name].any() and not wider.probabilities.loc[name].any()
    isolated = [column.name for column in wider.column_info if column.role == "excluded"]
    assert set(isolated) == {"site", "id", "d"}  # 'copy' stands before 'd' in the alphabet
    rest = [name for name in result.names if name != "d"]
    np.testing.assert_allclose(wider.existence.to_numpy().shape, (10, 10))
    assert wider.probabilities.loc[rest, rest].shape == (6, 6)


def test_sampled_file_and_round_trip(tmp_path, tiny_checkpoint):
    path = tmp_path / "t.csv"
    survey(3000).to_csv(path, index=False)
    result = fc.discover(path, checkpoint=tiny_checkpoint, read={"max_rows": 500})
    assert result.provenance["data"]["rows"] == 500 and result.provenance["data"]["total_rows"] == 3000
    result.save(tmp_path / "out")
    again = fc.load(tmp_path / "out")
    assert content(again) == content(result)
    with pytest.raises(InputError, match="no result"):
        (tmp_path / "empty").mkdir()
        fc.load(tmp_path / "empty")
    with pytest.raises(InputError, match="absent"):
        fc.load(tmp_path / "absent")


def test_progress_reaches_the_end(tiny_checkpoint):
    seen: list[tuple[int, int, str]] = []
    fc.discover(survey(), checkpoint=tiny_checkpoint, progress=lambda *step: seen.append(step))
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert seen[-1][0] == seen[-1][1]


def test_long_work_is_announced(tiny_checkpoint, monkeypatch):
    monkeypatch.setattr(
        "foundcause.api.estimate", lambda *_, **__: Estimate(gigabytes=3.2, available=8.0, seconds=600.0)
    )
    seen: list[tuple[int, int, str]] = []
    fc.discover(survey(), checkpoint=tiny_checkpoint, n_passes=1, progress=lambda *step: seen.append(step))
    (announced,) = [stage for done, total, stage in seen if total == 0]
    assert all(figure in announced for figure in ("7 columns", "10 minutes", "3.2 GB"))


def test_refusals_name_the_option_and_the_remedy(tiny_checkpoint, tmp_path, monkeypatch):
    frame = survey(50)
    for options, error, words in (
        ({"protocol": "papers"}, ConfigError, "default, paper, release"),
        ({"n_passes": 0}, ConfigError, "n_passes=0"),
        ({"threshold": 1.5}, ConfigError, "threshold=1.5"),
        ({"random_state": -1}, ConfigError, "random_state=-1"),
        ({"device": "cuda:77"}, ConfigError, "cuda:77"),
        ({"knowledge": {"roots": ["mod"]}}, KnowledgeError, "did you mean 'mood'"),
        ({"checkpoint": tmp_path / "none.safetensors"}, CheckpointError, "none.safetensors"),
    ):
        with pytest.raises(error, match=words):
            fc.discover(frame, **{"checkpoint": tiny_checkpoint, **options})
    with pytest.raises(TableError, match="3 rows"):
        fc.discover(frame.head(3), checkpoint=tiny_checkpoint)
    monkeypatch.setattr("foundcause.inference.memory.available_bytes", lambda: 1e6)
    with pytest.raises(ResourceError, match="fewer columns"):
        fc.discover(frame, checkpoint=tiny_checkpoint)


def test_without_weights_it_says_how_to_get_some(monkeypatch, tmp_path):
    monkeypatch.setattr("foundcause.weights.SHIPPED_CHECKPOINT", tmp_path / "absent")
    monkeypatch.delenv("FOUNDCAUSE_CHECKPOINT", raising=False)
    with pytest.raises(CheckpointError, match="foundcause train"):
        fc.discover(survey(50))


def test_the_environment_names_a_checkpoint(monkeypatch, tmp_path, tiny_checkpoint):
    monkeypatch.setattr("foundcause.weights.SHIPPED_CHECKPOINT", tmp_path / "absent")
    monkeypatch.setenv("FOUNDCAUSE_CHECKPOINT", str(tiny_checkpoint))
    assert fc.discover(survey(50)).provenance["weights"]["file"] == "tiny.safetensors"


def test_importing_foundcause_is_light():
    code = "import sys, foundcause; assert not {'torch', 'pandas', 'sklearn', 'matplotlib'} & set(sys.modules)"
    code += "; import foundcause.api; assert 'torch' not in sys.modules"  # a table that is refused costs no network
    subprocess.run([sys.executable, "-c", code], check=True)


def test_required_edges_of_idle_columns_are_told_apart_and_the_source_is_named(tiny_checkpoint, tmp_path):
    frame = pd.DataFrame({"still": 1.0, "a": np.arange(40.0) ** 0.5 % 1, "b": np.arange(40.0) ** 0.7 % 1})
    result = fc.discover(frame, checkpoint=tiny_checkpoint, n_passes=1, knowledge={"required": ["still -> a"]})
    (finding,) = (finding for finding in result.findings if finding.code == "unsupported-edge")
    assert finding.details["edges"] == [["still", "a"]]
    assert result.provenance["data"]["source"] is None
    frame.to_csv(tmp_path / "mine.csv", index=False)
    assert (
        fc.discover(tmp_path / "mine.csv", checkpoint=tiny_checkpoint, n_passes=1).provenance["data"]["source"]
        == "mine.csv"
    )


def test_misuse_is_named(tiny_checkpoint, tmp_path):
    with pytest.raises(ConfigError, match="device None cannot be used"):
        fc.discover(np.eye(9), checkpoint=tiny_checkpoint, device=None)
    with pytest.raises(InputError, match=r"cannot read .*nope.json.*written by foundcause"):
        fc.Result.from_json(tmp_path / "nope.json")
    with pytest.raises(KnowledgeError, match=r"'a, b' holds a comma, which --tier splits at"):
        fc.discover({"a, b": [*range(9)], "c": [*range(9)]}, checkpoint=tiny_checkpoint, knowledge={"roots": ["b"]})


def test_columns_chosen_are_recorded_however_they_are_given(tiny_checkpoint):
    frame = survey(60)
    first, second, *_ = frame.columns
    options = {"checkpoint": tiny_checkpoint, "n_passes": 1}
    for given in (first, [first], {first}, iter([first])):
        result = fc.discover(frame, read={"drop": given}, **options)
        assert result.provenance["options"]["read"]["drop"] == [first] and first not in result.names
    assert fc.discover(frame, read={"nominal": {second, first}}, **options).provenance["options"]["read"][
        "nominal"
    ] == sorted([first, second])


def test_numpy_numbers_as_options_can_be_saved(tiny_checkpoint, tmp_path):
    options = {"n_passes": np.int64(1), "random_state": np.int32(3), "read": {"max_rows": np.int64(50)}}
    result = fc.discover(survey(60), checkpoint=tiny_checkpoint, threshold=np.float32(0.5), **options)
    assert fc.load(result.save(tmp_path / "o")).provenance == result.provenance
    plain = fc.discover(
        survey(60), checkpoint=tiny_checkpoint, threshold=0.5, n_passes=1, random_state=3, read={"max_rows": 50}
    )
    assert content(plain) == content(result)
    still = pd.DataFrame({"a": np.ones(9), "b": np.ones(9)})
    fc.discover(still, checkpoint=tiny_checkpoint, threshold=np.float32(0.5)).to_json()


def test_columns_never_observed_together_are_told_and_have_no_statistics(tiny_checkpoint):
    frame = survey()
    frame.loc[:149, "a"] = np.nan
    frame.loc[150:, "c"] = np.nan
    result = fc.discover(frame, checkpoint=tiny_checkpoint, n_passes=1)
    (finding,) = (finding for finding in result.findings if finding.code == "never-together")
    assert finding.details["pairs"] == [["a", "c"]]
    place = {name: k for k, name in enumerate(result.names)}
    for matrix in result.evidence.values():
        assert np.isnan(matrix[place["a"], place["c"]]) and np.isfinite(matrix[place["a"], place["d"]])


def test_an_empty_graph_says_that_knowledge_or_unsteadiness_is_the_reason(tiny_checkpoint):
    frame = survey()[["a", "c"]]
    both = {"forbidden": ["a -> c", "c -> a"]}
    result = fc.discover(frame, checkpoint=tiny_checkpoint, n_passes=1, knowledge=both)
    (finding,) = (finding for finding in result.findings if finding.code == "empty-graph")
    assert finding.details["reason"] == "all-forbidden"


def test_weights_calibrated_on_single_passes_are_told_when_passes_are_averaged(tiny_checkpoint, tmp_path):
    from foundcause.model import checkpoints

    network, metadata = checkpoints.load(tiny_checkpoint)

    def warned(runs: int, **options: object) -> bool:
        result = fc.discover(survey(60), n_passes=runs, **options)
        return any(finding.code == "calibrated-on-single-passes" for finding in result.findings)

    for fitted in (1, 10):
        calibration = metadata["calibration"] | {"fitted_on": {"tasks": 5, "runs": fitted}}
        place = checkpoints.save(tmp_path / f"{fitted}.safetensors", network, metadata={"calibration": calibration})
        assert warned(3, checkpoint=place) == (fitted == 1)
        assert not warned(1, checkpoint=place)
        assert not warned(3, checkpoint=place, protocol="paper")  # has a temperature of its own
    assert not warned(3, checkpoint=tiny_checkpoint)
    assert not warned(2, checkpoint=SHIPPED_CHECKPOINT)


def test_provisional_results_come_while_passes_are_added(tiny_checkpoint):
    updates: list[fc.Result] = []
    final = fc.discover(survey(), checkpoint=tiny_checkpoint, on_update=updates.append)
    counts = [result.provenance["options"]["n_passes"] for result in updates]
    assert counts[0] == 4 and counts == sorted(set(counts))  # the survey has gaps
    np.testing.assert_array_equal(updates[-1].decoded.edges, final.decoded.edges)
    fixed = fc.discover(survey(), checkpoint=tiny_checkpoint, n_passes=counts[0])
    np.testing.assert_allclose(fixed.decoded.edges, updates[0].decoded.edges, atol=1e-6)
    before = len(updates)
    fc.discover(survey(), checkpoint=tiny_checkpoint, n_passes=2, on_update=updates.append)
    assert len(updates) == before  # a fixed number has no provisional answers
