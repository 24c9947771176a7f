from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import foundcause as fc
from foundcause.errors import InputError


@pytest.fixture(scope="module")
def values():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 5))
    values[:, 1] += 2 * values[:, 0]
    values[rng.random(200) < 0.05, 3] = np.nan
    return values


def test_fit_and_parameters(values, tiny_checkpoint):
    estimator = fc.CausalDiscovery(checkpoint=tiny_checkpoint, n_passes=2, random_state=4)
    assert estimator.get_params()["n_passes"] == 2
    assert clone(estimator).set_params(n_passes=3).n_passes == 3
    assert estimator.fit(values) is estimator
    expected = fc.discover(values, checkpoint=tiny_checkpoint, n_passes=2, random_state=4)
    np.testing.assert_array_equal(estimator.adjacency_, expected.adjacency.to_numpy())
    np.testing.assert_array_equal(estimator.probabilities_, expected.probabilities.to_numpy())
    assert estimator.n_features_in_ == 5
    assert nx.is_directed_acyclic_graph(estimator.result_.graph)


def test_score(values, tiny_checkpoint):
    estimator = fc.CausalDiscovery(
        checkpoint=tiny_checkpoint, n_passes=1, threshold=0.999, knowledge={"required": [("x1", "x2")]}
    ).fit(values)
    truth = np.zeros((5, 5))
    truth[0, 1] = truth[3, 4] = 1
    assert estimator.score(values, truth) == pytest.approx(2 / 3)
    without = fc.CausalDiscovery(checkpoint=tiny_checkpoint, n_passes=1, threshold=1.0).fit(values)
    assert estimator.score(values) > without.score(values) + 0.5  # the strong edge explains the rows
    with pytest.raises(InputError, match="shape"):
        estimator.score(values, np.zeros((2, 2)))
    with pytest.raises(InputError, match="expecting 5 features"):
        estimator.score(values[:, :3])


@pytest.fixture(scope="module")
def linked() -> pd.DataFrame:
    """Two causes that go together, their effect, its effect, and a column of its own."""
    rng = np.random.default_rng(5)
    a = rng.normal(size=2000)
    b = 0.8 * a + 0.6 * rng.normal(size=2000)
    c = a + b + 0.4 * rng.normal(size=2000)
    d = c - 0.5 * rng.normal(size=2000)
    return pd.DataFrame({"a": 10 + a, "b": b, "c": c, "d": 5 * d, "alone": rng.normal(size=2000)})


def told_the_graph(table, checkpoint, **read):
    known = {"required": ["a -> b", "a -> c", "b -> c", "c -> d"]}
    return fc.CausalDiscovery(checkpoint=checkpoint, n_passes=1, threshold=1.0, knowledge=known, read=read).fit(table)


def test_the_likelihood_of_whole_rows_is_that_of_their_regressions(linked, tiny_checkpoint):
    estimator = told_the_graph(linked, tiny_checkpoint)
    scaled = ((linked - linked.mean()) / linked.std(ddof=0)).to_numpy()
    expected = 0.0
    for j, parents in enumerate([[], [0], [0, 1], [2], []]):
        design, target = scaled[:, parents], scaled[:, j]
        shrunk = design.T @ design + 2.0 * np.eye(len(parents))
        residuals = target - design @ np.linalg.solve(shrunk, design.T @ target)
        expected += -0.5 * (np.log(2 * np.pi * residuals.var()) + 1)
    assert estimator.score(linked) == pytest.approx(expected)


def test_gaps_never_pay(linked, tiny_checkpoint):
    estimator = told_the_graph(linked, tiny_checkpoint)
    whole = estimator.score(linked)
    rng = np.random.default_rng(6)
    scores = [estimator.score(linked.mask(rng.random(linked.shape) < share)) for share in (0.1, 0.3, 0.5, 0.9)]
    assert scores == sorted(scores, reverse=True) and scores[0] < whole
    for mask in range(1, 31):
        hidden = [name for k, name in enumerate(linked) if mask >> k & 1]
        assert estimator.score(linked.assign(**dict.fromkeys(hidden, np.nan))) < whole + 1e-3
    with pytest.raises(InputError, match="no cell"):
        estimator.score((linked * np.nan).assign(other=1.0))


def test_tables_with_and_without_gaps_compare(linked, tiny_checkpoint):
    estimator = told_the_graph(linked, tiny_checkpoint)
    gaps = np.random.default_rng(7).random(len(linked)) < 0.5
    for ending in ("d", "alone"):  # nothing depends on them
        some = linked.assign(**{ending: linked[ending].mask(gaps)})
        assert estimator.score(some) == pytest.approx(estimator.score(linked), abs=0.05)
    shifted = linked.assign(c=linked["c"] + 3)
    holes = np.random.default_rng(8).random(linked.shape) < 0.2
    assert estimator.score(shifted.mask(holes)) < estimator.score(linked.mask(holes)) - 1


def test_gaps_in_the_fitted_table_leave_the_regressions(linked, tiny_checkpoint):
    holes = np.random.default_rng(9).random(linked.shape) < 0.2
    estimator = told_the_graph(linked.mask(holes).assign(never=np.nan), tiny_checkpoint)
    unexplained = -0.5 * (np.log(2 * np.pi) + 1)
    expected = told_the_graph(linked, tiny_checkpoint).score(linked) + unexplained
    for never in (np.nan, 0.0, 1e9):  # of that column nothing was learned
        assert estimator.score(linked.assign(never=never)) == pytest.approx(expected, abs=0.2)


def test_columns_that_were_not_fitted_may_be_absent(linked, tiny_checkpoint):
    table = linked.assign(still=1, note=[f"n{k}" for k in range(len(linked))])
    estimator = told_the_graph(table, tiny_checkpoint, drop=["note"], nominal=["still"], constant="drop")
    assert list(estimator.feature_names_in_) == list(table) and list(estimator.result_.names) == list(linked)
    assert estimator.score(linked) == estimator.score(table)
    with pytest.raises(InputError, match="lacks columns"):
        estimator.score(linked.drop(columns="a"))


def test_a_column_without_differences_says_nothing_of_new_rows(linked, tiny_checkpoint):
    """A rare flag that no fitted row raises: raising it, in whatever unit, is no surprise beyond all measure."""
    fitted = told_the_graph(linked.assign(flag=0.0), tiny_checkpoint)
    rows = linked.assign(flag=0.0)
    for height in (1.0, 1000.0):
        raised = rows.assign(flag=np.where(np.arange(len(rows)) == 7, height, 0.0))
        assert fitted.score(raised) == pytest.approx(fitted.score(rows))


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_units_do_not_matter_to_the_score(linked, tiny_checkpoint, unit):
    expected = told_the_graph(linked, tiny_checkpoint).score(linked)
    scaled = linked.assign(c=linked["c"] * unit)
    assert told_the_graph(scaled, tiny_checkpoint).score(scaled) == pytest.approx(expected, abs=1e-6)


def test_words_mean_in_new_rows_what_they_meant_in_the_fitted_ones(tiny_checkpoint):
    rng = np.random.default_rng(3)
    city = rng.choice(["a", "b", "c"], size=300, p=[0.5, 0.3, 0.2])
    height = np.array([{"a": 0.0, "b": 1.0, "c": 2.0}[name] for name in city]) + 0.1 * rng.normal(size=300)
    table = pd.DataFrame({"city": city, "y": height, "still": 1.0})
    estimator = fc.CausalDiscovery(
        checkpoint=tiny_checkpoint, n_passes=1, knowledge={"required": ["city -> y"]}, read={"constant": "drop"}
    ).fit(table)
    parts = [table[table["city"] == name] for name in "abc"]
    whole = sum(len(part) * estimator.score(part) for part in parts) / len(table)
    assert estimator.score(table) == pytest.approx(whole)
    assert estimator.score(table.assign(city=table["city"].map({"a": "c", "b": "b", "c": "a"}))) < whole - 1
    assert estimator.score(table.assign(city="elsewhere")) < whole - 1
    some = table.assign(city=table["city"].where(rng.random(300) < 0.5, "elsewhere"))
    assert estimator.score(some) < whole - 0.5


def test_new_rows_are_written_as_the_fitted_ones_were(tiny_checkpoint):
    rng = np.random.default_rng(0)
    a = rng.normal(size=240)
    table = pd.DataFrame(
        {
            "a": a,
            "n": [f"{1.1 + abs(value):.3f}".replace(".", ",") for value in a],
            "m": [f"{value:.2f}".replace(".", ",") for value in a + rng.normal(size=240)],
            "when": [f"{day:02d}/{month:02d}/2020" for day, month in rng.integers(1, (29, 13), size=(240, 2))],
            "stage": pd.Categorical(rng.choice(list("zam"), 240), categories=["z", "a", "m"], ordered=True),
        }
    )
    estimator = fc.CausalDiscovery(checkpoint=tiny_checkpoint, n_passes=1).fit(table)
    early = table["when"].str[:2].astype(int) <= 12
    kinds = [(late, stage) for late in (False, True) for stage in "zam"]
    parts = [table[(early != late) & (table["stage"] == stage)] for late, stage in kinds]
    parts = [rows.assign(stage=rows["stage"].cat.remove_unused_categories()) for rows in parts]
    whole = sum(len(rows) * estimator.score(rows) for rows in parts) / len(table)
    assert estimator.score(table) == pytest.approx(whole)
    rounded = table.assign(m=[cell.split(",")[0] for cell in table["m"]])
    assert estimator.score(rounded) == pytest.approx(estimator.score(table), abs=0.5)


def test_all_options_of_discover_but_progress_are_parameters():
    import inspect

    options = set(inspect.signature(fc.discover).parameters) - {"data", "progress", "on_update"}
    assert set(fc.CausalDiscovery().get_params()) == options


def test_pipeline_and_search(values, tiny_checkpoint):
    pipeline = make_pipeline(StandardScaler(), fc.CausalDiscovery(checkpoint=tiny_checkpoint, n_passes=1)).fit(values)
    assert pipeline[-1].adjacency_.shape == (5, 5)
    search = GridSearchCV(fc.CausalDiscovery(checkpoint=tiny_checkpoint, n_passes=1), {"threshold": [0.2, 0.9]}, cv=2)
    search.fit(values)
    assert search.best_params_["threshold"] in (0.2, 0.9) and np.isfinite(search.best_score_)


def test_scikit_learn_takes_it_for_an_estimator(tiny_checkpoint):
    from sklearn.utils.estimator_checks import check_estimator

    results = check_estimator(fc.CausalDiscovery(checkpoint=str(tiny_checkpoint), n_passes=1), on_fail=None)
    failed = [result["check_name"] for result in results if result["status"] == "failed"]
    assert failed == [] and sum(result["status"] == "passed" for result in results) > 30


def test_the_number_of_columns_is_checked_and_frames_name_them(values, tiny_checkpoint):
    estimator = fc.CausalDiscovery(checkpoint=tiny_checkpoint, n_passes=1, read={"drop": ["x5"]}).fit(values)
    assert estimator.n_features_in_ == 5 and not hasattr(estimator, "feature_names_in_")
    assert len(estimator.result_.names) == 4 and estimator.result_.provenance["options"]["read"]["drop"] == ["x5"]
    with pytest.raises(TypeError, match="sparse"):
        estimator.fit(scipy.sparse.csr_array(values))
