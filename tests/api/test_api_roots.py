"""What nothing causes shares no hidden cause: roots in every matrix, list, warning and file."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import foundcause as fc
from foundcause.inference.decoding import Decoded, apply_knowledge
from foundcause.knowledge import Knowledge
from tiny_network import save_tiny

ROOTS = ["age", "sex"]


@pytest.fixture(scope="module")
def believer(tmp_path_factory):
    """The tiny network, calibrated so that it takes every pair for one with a hidden cause."""
    path = tmp_path_factory.mktemp("weights") / "believer.safetensors"
    return save_tiny(path, confounding={"temperature": 0.3, "bias": 6.0})


def _table(rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(rows, 8)) + rng.normal(size=(rows, 1)), columns=[*ROOTS, *"abcdef"])
    frame["site"] = "north"
    return frame


def _discover(frame: pd.DataFrame, weights, **options) -> fc.Result:
    return fc.discover(frame, checkpoint=weights, n_passes=2, **options)


@pytest.mark.parametrize("protocol", ["default", "paper", "release"])
def test_roots_share_no_hidden_cause_and_other_pairs_are_left_alone(believer, protocol):
    free = _discover(_table(), believer, protocol=protocol)
    told = _discover(_table(), believer, protocol=protocol, knowledge={"roots": ROOTS})
    assert (free.confounding.loc[ROOTS, [*"abcdef"]] > 0).all(axis=None), "nothing is tested"
    assert (told.confounding.loc[ROOTS] == 0).all(axis=None) and (told.confounding[ROOTS] == 0).all(axis=None)
    others = [name for name in free.names if name not in ROOTS]
    pd.testing.assert_frame_equal(told.confounding.loc[others, others], free.confounding.loc[others, others])


def test_roots_stand_in_no_pair_of_any_file(believer, tmp_path):
    free = _discover(_table(), believer)
    assert set(ROOTS) & {*free.confounded_pairs["first"], *free.confounded_pairs["second"]}, "nothing is tested"
    told = _discover(_table(), believer, knowledge={"roots": ROOTS})
    assert len(told.confounded_pairs) and not set(ROOTS) & {
        *told.confounded_pairs["first"],
        *told.confounded_pairs["second"],
    }
    folder = told.save(tmp_path / "o")
    pairs = json.loads((folder / "result.json").read_text())["confounded_pairs"]
    assert len(pairs) == len(told.confounded_pairs)
    assert not set(ROOTS) & set(pd.read_csv(folder / "confounded_pairs.csv")[["first", "second"]].to_numpy().ravel())
    dashed = [line for line in (folder / "graph.dot").read_text().splitlines() if "dir=both" in line]
    assert len(dashed) == len(pairs) and not any(f'"{root}"' in line for line in dashed for root in ROOTS)


def test_other_knowledge_changes_no_hidden_cause(believer):
    free = _discover(_table(), believer)
    for known in ({"sinks": ["a"]}, {"tiers": [["age", "sex"], ["a"]]}, {"forbidden": ["a -> b"]}, {}):
        told = _discover(_table(), believer, knowledge=known)
        np.testing.assert_array_equal(told.confounding.to_numpy(), free.confounding.to_numpy())


def test_order_of_columns_does_not_matter_to_roots(believer):
    frame = _table()
    base = _discover(frame, believer, knowledge={"roots": ROOTS})
    for seed in range(3):
        columns = np.random.default_rng(seed).permutation(frame.columns)
        other = _discover(frame[columns], believer, knowledge={"roots": ROOTS[::-1]})
        for name in ("probabilities", "confounding", "adjacency"):
            pd.testing.assert_frame_equal(getattr(other, name), getattr(base, name).loc[columns, columns])


def test_a_root_without_a_part_is_no_harm(believer):
    free = _discover(_table(), believer)
    told = _discover(_table(), believer, knowledge={"roots": ["site"]})
    np.testing.assert_array_equal(told.confounding.to_numpy(), free.confounding.to_numpy())


def test_dense_confounding_counts_the_other_columns(believer):
    def dense(result: fc.Result) -> list[tuple[int, int, bool]]:
        found = [finding.details for finding in result.findings if finding.code == "dense-confounding"]
        return [(details["pairs"], details["of"], details["without_roots"]) for details in found]

    free = _discover(_table(), believer)
    assert dense(free) == [(len(free.confounded_pairs), 28, False)]
    told = _discover(_table(), believer, knowledge={"roots": ROOTS})
    assert dense(told) == [(len(told.confounded_pairs), 15, True)]
    assert dense(_discover(_table()[[*"abcde"]], believer)) == [], "ten pairs are not dense"


def test_names_of_roots_may_be_written_as_the_frame_calls_them():
    assert Knowledge(roots=[" age  (y)"]).uncaused(["age (y)", "b"]).tolist() == [True, False]
    assert not Knowledge().uncaused(["a", "b"]).any()


def test_an_answer_without_roots_is_left_alone():
    some = np.full((3, 3), 0.4)
    answer = Decoded(
        edges=some,
        existence=some,
        confounding=some,
        adjacency=some > 1,
        agreement=some,
        threshold=0.5,
        confounding_threshold=0.5,
    )
    nothing = np.zeros((3, 3), dtype=bool)
    assert apply_knowledge(answer, nothing, nothing, np.zeros(3, dtype=bool)) is answer
    told = apply_knowledge(answer, nothing, nothing, np.array([False, True, False]))
    assert told.confounding.tolist() == [[0.4, 0, 0.4], [0, 0, 0], [0.4, 0, 0.4]] and told.edges is answer.edges
