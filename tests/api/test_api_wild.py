"""Wild tables: a graph or a clear error of ours; never a traceback of another kind, never NaN."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import foundcause as fc
from foundcause.errors import FoundcauseError, ResourceError, TableError

WILD = settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)

numbers = st.floats(allow_nan=True, allow_infinity=True) | st.integers(-(10**30), 10**30).map(float)
words = st.text(max_size=8) | st.sampled_from(
    ["yes", "no", "NA", "low", "high", "18-25", "2020-01-01", "1,5", "12%", ""]
)
cells = st.one_of(numbers, words, st.booleans(), st.none(), st.dates(), st.datetimes(), st.binary(max_size=4))
few_levels = st.sampled_from([0.0, 1.0, 2.0])


@st.composite
def frames(draw) -> pd.DataFrame:
    rows = draw(st.integers(1, 40))
    kinds = draw(
        st.lists(
            st.sampled_from(["numbers", "words", "cells", "levels", "huge", "tiny", "same"]), min_size=1, max_size=6
        )
    )
    seed = draw(st.integers(0, 2**16))
    rng = np.random.default_rng(seed)
    columns = []
    for kind in kinds:
        if kind == "huge":
            columns.append(list(rng.normal(size=rows) * 1e300))
        elif kind == "tiny":
            columns.append(list(1e9 + rng.normal(size=rows) * 1e-7))
        elif kind == "same":
            columns.append([draw(cells)] * rows)
        else:
            strategy = {"numbers": numbers, "words": words, "cells": cells, "levels": few_levels}[kind]
            columns.append(draw(st.lists(strategy, min_size=rows, max_size=rows)))
    names = draw(st.lists(st.text(max_size=6), min_size=len(kinds), max_size=len(kinds)))
    frame = pd.DataFrame({k: pd.Series(column, dtype=object) for k, column in enumerate(columns)})
    frame = frame.infer_objects() if draw(st.booleans()) else frame
    frame.columns = names
    return frame


def check(result: fc.Result) -> None:
    assert nx.is_directed_acyclic_graph(result.graph)
    for matrix in (result.probabilities.to_numpy(), result.confounding.to_numpy(), result.existence.to_numpy()):
        assert np.isfinite(matrix).all() and matrix.min(initial=0) >= 0 and matrix.max(initial=0) <= 1
    assert len(set(result.names)) == len(result.names) and all(result.names)
    assert fc.Result.from_json(result.to_json()).names == result.names


@WILD
@given(frames())
def test_wild_frames(tiny_checkpoint, frame):
    try:
        result = fc.discover(frame, checkpoint=tiny_checkpoint, n_passes=2)
    except FoundcauseError as error:
        assert str(error)
    else:
        check(result)


@WILD
@given(st.binary(min_size=0, max_size=400) | st.text(alphabet='a1,;\t\n"\r. -é|', max_size=400).map(str.encode))
def test_wild_files(tiny_checkpoint, tmp_path, content):
    path = tmp_path / "wild.csv"
    path.write_bytes(content)
    try:
        result = fc.discover(path, checkpoint=tiny_checkpoint, n_passes=2)
    except FoundcauseError as error:
        assert str(error)
    else:
        check(result)


@pytest.mark.parametrize("seed", range(6))
def test_degenerate_numbers(tiny_checkpoint, seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(5, 200))
    values = rng.normal(size=(rows, 8))
    values[:, 0] = np.where(rng.random(rows) < 0.02, 1.0, 0.0)  # nearly constant
    values[0, 0] = 1.0
    values[:, 1] *= 1e-300
    values[:, 2] = np.exp(rng.normal(size=rows) * 200)  # overflows to infinity in places
    values[:, 3] = np.round(values[:, 3])
    values[rng.random(rows) < 0.9, 4] = np.nan
    values[:, 5] = values[:, 6] + 1e-9 * rng.normal(size=rows)
    values[:, 7] = rng.standard_cauchy(rows) * 1e100
    check(fc.discover(values, checkpoint=tiny_checkpoint, n_passes=3))


def test_one_column_and_nothing_active(tiny_checkpoint):
    with pytest.raises(TableError, match="one column, 'a'; a graph needs at least two"):
        fc.discover(pd.DataFrame({"a": np.arange(30.0) ** 2}), checkpoint=tiny_checkpoint)
    result = fc.discover(pd.DataFrame({"a": [1] * 9, "b": [2] * 9}), checkpoint=tiny_checkpoint)
    assert not result.adjacency.to_numpy(bool).any() and any(finding.code == "no-graph" for finding in result.findings)


def test_five_thousand_columns_are_refused_before_the_work(tiny_checkpoint, monkeypatch):
    monkeypatch.setattr("foundcause.inference.memory.available_bytes", lambda: 16e9)
    values = np.random.default_rng(0).normal(size=(20, 5000))
    with pytest.raises(ResourceError, match="5,000 columns need about"):
        fc.discover(values, checkpoint=tiny_checkpoint)


@pytest.mark.slow
def test_five_thousand_columns_of_which_few_vary(tiny_checkpoint):
    values = np.ones((30, 5000))
    values[:, :4] = np.random.default_rng(0).normal(size=(30, 4))
    result = fc.discover(values, checkpoint=tiny_checkpoint, n_passes=2)
    assert len(result.names) == 5000
    dropped = fc.discover(values, checkpoint=tiny_checkpoint, n_passes=2, read={"constant": "drop"})
    assert len(dropped.names) == 4
