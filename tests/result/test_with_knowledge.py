"""Further knowledge is decoded from the stored passes, and gives what discovering with it gives."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import foundcause as fc
from foundcause.errors import InputError, KnowledgeError
from foundcause.inference import stored_passes

KNOWN = {
    "roots": ["a"],
    "required": ["b -> c"],
    "upstream": ["a -> e"],
    "not_upstream": ["d -> c"],
    "unconfounded": [["a", "b"], ["c", "d"]],
    "beliefs": [["d", "e", 0.9]],
}


def _table(columns: int, rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, columns))
    for k in range(1, columns):
        values[:, k] += values[:, k - 1]
    names = [chr(97 + k) if columns < 27 else f"v{k}" for k in range(columns)]
    return pd.DataFrame(values, columns=names).assign(still=1.0)


@pytest.fixture(scope="module")
def result(tiny_checkpoint):
    return fc.discover(_table(5), checkpoint=tiny_checkpoint, n_passes=3)


def _content(result: fc.Result) -> dict:
    return {key: value for key, value in result.to_dict().items() if key != "timing"}


def test_it_equals_discovering_with_that_knowledge(result, tiny_checkpoint):
    expected = fc.discover(_table(5), checkpoint=tiny_checkpoint, n_passes=3, knowledge=KNOWN)
    found = result.with_knowledge(KNOWN)
    for key, value in _content(expected).items():
        if key != "findings":
            assert _content(found)[key] == value, key
    assert {f.code for f in found.findings} == {f.code for f in expected.findings}
    step_by_step = result.with_knowledge(roots=["a"]).with_knowledge({k: v for k, v in KNOWN.items() if k != "roots"})
    np.testing.assert_array_equal(step_by_step.adjacency.to_numpy(), expected.adjacency.to_numpy())


def test_nothing_new_changes_nothing(result):
    assert _content(result.with_knowledge()) == _content(result)


def test_a_saved_result_keeps_its_passes(result, tmp_path):
    again = fc.load(result.save(tmp_path / "o"))
    assert _content(again.with_knowledge(KNOWN)) == _content(replace(result, preview=None).with_knowledge(KNOWN))
    np.testing.assert_array_equal(again.passes.existence, np.float32(result.passes.existence))


def test_passes_of_another_answer_are_not_taken(result, tmp_path, tiny_checkpoint):
    other = fc.discover(_table(5), checkpoint=tiny_checkpoint, n_passes=2, random_state=9)
    result.save(tmp_path / "a")
    other.save(tmp_path / "b")
    (tmp_path / "b" / "passes.npz").replace(tmp_path / "a" / "passes.npz")
    with pytest.raises(InputError, match="passes"):
        fc.load(tmp_path / "a").with_knowledge(roots=["a"])


def test_large_passes_are_not_stored_and_that_is_said(result, tmp_path, monkeypatch):
    monkeypatch.setattr(stored_passes, "MAX_BYTES", 10)
    folder = result.save(tmp_path / "o")
    assert not (folder / "passes.npz").exists()
    with pytest.raises(InputError, match="too large"):
        fc.load(folder).with_knowledge(roots=["a"])


def test_contradictions_and_unknown_names_are_refused(result):
    with pytest.raises(KnowledgeError):
        result.with_knowledge(required=["a -> b"]).with_knowledge(forbidden=["a -> b"])
    with pytest.raises(KnowledgeError, match="elsewhere"):
        result.with_knowledge(roots=["elsewhere"])


def test_forty_columns_take_a_moment(tiny_checkpoint):
    wide = fc.discover(_table(40), checkpoint=tiny_checkpoint, n_passes=10)
    start = time.process_time()
    wide.with_knowledge(roots=["v0"], tiers=[["v1", "v2"], ["v3"]])
    assert time.process_time() - start < 1.0  # 0.1 s on an idle core
