"""Systems in time: autocorrelation, clocks, delayed columns, rhythms, changes, trends."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from foundcause.features.series import lag_one_correlation, row_dependence
from foundcause.simulate.components import time_series
from foundcause.simulate.hidden_causes import marginalize
from foundcause.simulate.mixture import SHIPPED, make_task
from foundcause.simulate.task import Scene

ONLY = SHIPPED.only("series")
CLEAN = ONLY.clean()
QUIET = time_series.Pace(memory=0.3, late=0.0, inert=0.0)
EVERYTHING = time_series.Pace(
    memory=0.9, late=0.7, inert=0.4, clock=4, averaged=True, delayed=0.4, rhythms=2, changes=0.4, trend=False
)


def scene_of(seed: int, pace: time_series.Pace, *, rows: int = 1000, variables: int = 8) -> Scene:
    with np.errstate(all="ignore"):
        return time_series.series(np.random.default_rng(seed), CLEAN, rows=rows, variables=variables, pace=pace)


def unlinked(scene: Scene) -> np.ndarray:
    """(V, V) bool: pairs without a common ancestor, that share no noise through theirs either."""
    reach = np.linalg.matrix_power(np.eye(len(scene.graph)) + scene.graph, len(scene.graph)) > 0
    shared = np.eye(len(scene.graph), dtype=bool) | scene.confounded
    return ~((reach.T.astype(int) @ shared.astype(int) @ reach.astype(int)) > 0)


def correlations(values_NV: np.ndarray) -> np.ndarray:
    """(V, V) of ranks, which no tail spoils."""
    return np.corrcoef(np.argsort(np.argsort(values_NV, axis=0), axis=0).T)


def innovations(values_N: np.ndarray) -> np.ndarray:
    """(N - 2,) what two rows before leave open."""
    past = np.stack([values_N[1:-1], values_N[:-2], np.ones(len(values_N) - 2)], axis=1)
    return values_N[2:] - past @ np.linalg.lstsq(past, values_N[2:], rcond=None)[0]


def test_a_task_is_the_same_every_time_and_its_record_can_be_written() -> None:
    for index in range(25):
        one, two = make_task(ONLY, 11, index), make_task(ONLY, 11, index)
        assert one.values.tobytes() == two.values.tobytes()
        assert one.observed.tobytes() == two.observed.tobytes()
        assert json.dumps(one.record) == json.dumps(two.record)


@pytest.mark.parametrize("rows", [20, 100, 1500])
def test_everything_at_once_gives_finite_columns_that_vary(rows: int) -> None:
    for seed in range(6):
        scene = scene_of(seed, EVERYTHING, rows=rows)
        assert scene.values.shape == (rows, len(scene.graph))
        assert scene.values.dtype == np.float32
        assert np.isfinite(scene.values).all()
        assert (np.ptp(scene.values, axis=0) > 0).all()
        assert not np.tril(scene.graph).any()


def test_shares_are_what_they_are_said_to_be() -> None:
    rng = np.random.default_rng(0)
    paces = [time_series.draw_pace(rng, 500) for _ in range(3000)]
    for share, expected in [
        (np.mean([pace.clock > 1 for pace in paces]), 0.35),
        (np.mean([pace.delayed > 0 for pace in paces]), 0.15),
        (np.mean([pace.rhythms > 0 for pace in paces]), 0.25),
        (np.mean([pace.changes > 0 for pace in paces]), 0.10),
        (np.mean([pace.trend for pace in paces if not pace.rhythms]), 0.15),
        (np.mean([pace.memory > 0.995 for pace in paces]), 0.06),
    ]:
        assert share == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 2000))
    assert not any(pace.trend and pace.rhythms for pace in paces)
    assert {pace.clock for pace in paces} == {1, 2, 3, 4, 5, 6}
    assert max(pace.memory for pace in paces) < 0.999
    for rows in (4000, 9000, 50_000):
        clocks = [time_series.draw_pace(rng, rows).clock for _ in range(100)]
        assert max(clocks) == 1 or max(clocks) * rows <= 20_000


def test_memory_is_what_is_left_a_row_later_whatever_the_clock() -> None:
    for clock in (1, 3, 6):
        pace = dataclasses.replace(QUIET, memory=0.8, clock=clock)
        rng = np.random.default_rng(clock)
        values = time_series.remembering(rng, rng.standard_normal(3000 * clock).astype(np.float32), pace.a_moment(0.8))
        shown = time_series.shown_rows(values[None], clock, averaged=False)[0]
        assert np.corrcoef(shown[1:], shown[:-1])[0, 1] == pytest.approx(0.8, abs=0.05)


def test_rows_show_the_mean_of_their_moments_or_the_last() -> None:
    values = np.random.default_rng(3).standard_normal((2, 400)).astype(np.float32)
    for averaged in (True, False):
        shown = time_series.shown_rows(values, 4, averaged)
        expected = values.reshape(2, 100, 4).mean(axis=2) if averaged else values[:, 3::4]
        for got, wanted in zip(shown, expected, strict=True):
            assert np.corrcoef(got, wanted)[0, 1] > 0.9999
            assert np.abs(got).mean() == pytest.approx(np.sqrt(2 / np.pi), rel=1e-3)
    assert time_series.shown_rows(values, 1, averaged=True) is values


def test_delayed_columns_are_those_of_the_record_and_nothing_else_changes() -> None:
    kinds = set()
    for seed in range(12):
        pace = dataclasses.replace(QUIET, memory=0.9)
        plain, late = scene_of(seed, pace), scene_of(seed, dataclasses.replace(pace, delayed=0.4))
        delays = {entry["node"]: entry for entry in late.record["delayed"]}
        assert delays
        assert plain.record["delayed"] == []
        assert np.array_equal(plain.graph, late.graph)
        for node in range(len(plain.graph)):
            before, after = plain.values[:, node], late.values[:, node]
            if node not in delays:
                assert np.array_equal(before, after)
                continue
            assert not late.hidden[node]
            if "delay" in delays[node]:
                delay = delays[node]["delay"]
                assert 1 <= delay <= 3
                assert np.array_equal(after[delay:], before[:-delay])
            else:
                width = delays[node]["mean"]
                assert 2 <= width <= 6
                means = np.convolve(before, np.full(width, 1 / width), mode="valid")
                assert np.allclose(after[width - 1 :], means, atol=1e-4 * np.abs(before).max())
            kinds |= delays[node].keys()
    assert kinds == {"node", "delay", "mean"}


def test_no_column_is_told_so_late_that_nobody_sees_its_edges() -> None:
    rng = np.random.default_rng(2)
    values = rng.standard_normal((40, 500)).astype(np.float32)
    told = time_series.delay_columns(rng, values.copy(), np.arange(40))
    assert all("mean" in entry for entry in told)


def test_those_that_feel_a_rhythm_share_a_hidden_cause_and_no_edge() -> None:
    """Labels differ from those of the graph without drivers by hidden causes of the pairs that feel one."""
    felt_somewhere = 0
    for seed in range(20):
        scene = scene_of(seed, dataclasses.replace(QUIET, rhythms=2))
        number = scene.record["rhythms"]
        assert 1 <= number <= 2
        assert scene.hidden[:number].all()
        assert not scene.graph[:, :number].any()
        adjacency, confounding = marginalize(scene.graph, scene.hidden, scene.confounded)
        without, shared = marginalize(
            scene.graph[number:, number:], scene.hidden[number:], scene.confounded[number:, number:]
        )
        assert np.array_equal(adjacency, without)
        seen = np.flatnonzero(~scene.hidden)
        for driver in range(number):
            feels = scene.graph[driver, seen]
            felt_somewhere += feels.sum() >= 2
            both = np.outer(feels, feels) & ~np.eye(len(seen), dtype=bool)
            assert confounding[both].all()
        assert (confounding >= shared).all()
        assert not scene.confounded[:number].any()
    assert felt_somewhere > 10


def test_a_driver_shows_in_those_that_feel_it_and_in_no_others() -> None:
    """In the share of a column's movement that has the periods of the driver, whatever the phase."""
    shares: dict[bool, list[float]] = {True: [], False: []}
    for seed in range(40):
        scene = scene_of(seed, dataclasses.replace(QUIET, memory=0.0, rhythms=1), rows=1500)
        power = np.abs(np.fft.rfft(scene.values - scene.values.mean(axis=0), axis=0)) ** 2
        peak = int(power[:, 0].argmax())
        share = power[max(0, peak - 1) : peak + 2].sum(axis=0) / power.sum(axis=0)
        for node in range(1, len(scene.graph)):
            if not scene.graph[1:, node].any():
                shares[bool(scene.graph[0, node])].append(share[node])
    assert min(len(found) for found in shares.values()) > 20
    assert np.quantile(shares[True], 0.1) > 0.02
    assert np.quantile(shares[False], 0.9) < 0.01


@pytest.mark.parametrize(
    "pace",
    [
        dataclasses.replace(QUIET, rhythms=2),
        dataclasses.replace(QUIET, trend=True),
        dataclasses.replace(QUIET, late=0.8, clock=4, averaged=True, delayed=0.4, changes=0.4),
    ],
    ids=["rhythms", "trend", "clock"],
)
def test_what_has_no_cause_in_common_is_not_dependent(pace: time_series.Pace) -> None:
    """With little memory, chance is small: two trends, or two that feel one unlabeled rhythm, would stand out."""
    found = []
    for seed in range(40):
        scene = scene_of(seed, pace, rows=1500)
        pairs = np.triu(unlinked(scene), 1)
        found.append(np.abs(correlations(scene.values)[pairs]))
    strengths = np.concatenate(found)
    assert len(strengths) > 50
    assert strengths.max() < 0.25
    assert np.quantile(strengths, 0.9) < 0.1


def test_only_one_root_trends_and_what_follows_from_it() -> None:
    for seed in range(25):
        scene = scene_of(seed, dataclasses.replace(QUIET, memory=0.0, trend=True), rows=1500)
        root = scene.record["trending"]
        assert not scene.graph[:, root].any()
        reach = np.linalg.matrix_power(np.eye(len(scene.graph)) + scene.graph, len(scene.graph)) > 0
        halves = np.stack([half.mean(axis=0) for half in np.array_split(np.clip(scene.values, -5, 5), 6)])
        moves = halves.std(axis=0)
        strangers = ~reach[root] & ~(scene.confounded @ reach)[root]
        assert (moves[strangers] < 0.25).all()
        assert moves[root] > 0.25


def test_averages_of_a_finer_clock_leave_less_lead_than_rows_that_are_moments() -> None:
    """Of what a late cause tells about news of its effect, the share that it tells a row ahead."""
    ahead = {}
    for clock in (1, 5):
        shares = []
        for seed in range(30):
            rng = np.random.default_rng(seed)
            pace = dataclasses.replace(QUIET, clock=clock)
            moments = 1500 * clock
            kept = pace.a_moment(0.7)
            cause = time_series.remembering(rng, rng.standard_normal(moments).astype(np.float32), kept)
            own = time_series.remembering(rng, rng.standard_normal(moments).astype(np.float32), kept)
            effect = np.concatenate([cause[:1], cause[:-1]]) + 0.5 * own
            x, y = (innovations(v) for v in time_series.shown_rows(np.stack([cause, effect]), clock, averaged=True))
            now, before = abs(np.corrcoef(x, y)[0, 1]), abs(np.corrcoef(x[:-1], y[1:])[0, 1])
            shares.append(before / (now + before))
        ahead[clock] = np.mean(shares)
    assert ahead[1] > 0.8
    assert ahead[5] < 0.6 * ahead[1]


def test_effects_of_change_follow_the_difference_or_a_sum_that_leaks() -> None:
    rng = np.random.default_rng(6)
    for clock in (1, 4):
        pace = dataclasses.replace(QUIET, changes=1.0, clock=clock)
        cause = time_series.remembering(rng, rng.standard_normal(4000).astype(np.float32), 0.9)
        change = cause[clock:] - cause[:-clock]
        like_change = []
        for _ in range(20):
            felt = time_series._cause_signal(rng, cause, 0.9, pace)
            like_change.append(abs(np.corrcoef(change, felt[clock:])[0, 1]) > 0.99)
            if not like_change[-1]:
                assert np.corrcoef(felt[:-1], felt[1:])[0, 1] > np.corrcoef(cause[:-1], cause[1:])[0, 1]
        assert 0 < sum(like_change) < 20


def test_noise_that_nodes_share_is_still_shared_when_it_remembers() -> None:
    """Pairs of correlated noise are labeled as confounded, so their columns have to show it."""
    mixture = dataclasses.replace(CLEAN, artifacts=dataclasses.replace(CLEAN.artifacts, correlated_noise=1.0))
    together, kept = [], []
    for seed in range(60):
        pace = dataclasses.replace(QUIET, memory=0.7)
        with np.errstate(all="ignore"):
            scene = time_series.series(np.random.default_rng(seed), mixture, rows=1500, variables=12, pace=pace)
        roots = ~scene.graph.any(axis=0)
        pairs = np.triu(scene.confounded & np.outer(roots, roots))
        together += np.abs(correlations(scene.values)[pairs]).tolist()
        for node in np.flatnonzero(pairs.any(axis=1)):
            kept.append(correlations(np.stack([scene.values[1:, node], scene.values[:-1, node]], axis=1))[0, 1])
    assert len(together) > 15
    assert np.quantile(together, 0.1) > 0.2
    assert np.mean(kept) == pytest.approx(0.7, abs=0.07)


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.95])
def test_noise_that_remembers_is_the_same_noise_in_another_order(memory: float) -> None:
    rng = np.random.default_rng(0)
    values = rng.standard_exponential((960, 12)).astype(np.float32)
    moved = np.stack([time_series.remembering(rng, column, memory) for column in values.T], axis=1)
    assert np.array_equal(np.sort(moved, axis=0), np.sort(values, axis=0))
    assert lag_one_correlation(moved).mean() == pytest.approx(memory, abs=0.06)


def test_most_tables_are_worth_fewer_rows_than_they_have() -> None:
    tasks = [make_task(ONLY, 3, index) for index in range(40)]
    worth = [
        row_dependence(np.where(task.observed, task.values, np.nan)).n_effective / len(task.values) for task in tasks
    ]
    assert np.median(worth) < 0.5
    assert all(task.adjacency.any() or task.values.shape[1] < 8 for task in tasks)


def test_causes_show_in_the_row_of_their_effects() -> None:
    """An effect that comes late would be an edge nobody can see, unless its cause lasts."""
    pace = time_series.Pace(memory=0.9, late=1.0, inert=0.0)
    rng = np.random.default_rng(1)
    for memory in (0.0, 0.9):
        cause = time_series.remembering(rng, rng.standard_normal(4000).astype(np.float32), memory)
        felt = [abs(np.corrcoef(cause, time_series._cause_signal(rng, cause, memory, pace))[0, 1]) for _ in range(30)]
        assert min(felt) > 0.4
