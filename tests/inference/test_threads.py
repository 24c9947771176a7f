"""The pool of one-thread workers: order, errors, limits, and what it leaves untouched."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from foundcause.inference import threads


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_outputs_come_in_order_from_threads_that_work_alone() -> None:
    found = list(threads.side_by_side(lambda k: (k, torch.get_num_threads()), range(50)))
    assert found == [(k, 1) for k in range(50)]


@pytest.mark.usefixtures("two_threads")
def test_torch_keeps_its_threads_outside_the_pool() -> None:
    list(threads.side_by_side(str, range(3)))
    assert torch.get_num_threads() == 2
    with ThreadPoolExecutor(1) as later:  # a thread of somebody else, started after the pool
        assert later.submit(torch.get_num_threads).result() == 2


def test_one_torch_thread_means_no_pool() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert set(threads.side_by_side(lambda _: threading.get_ident(), range(3))) == {threading.get_ident()}
    finally:
        torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_an_error_reaches_the_caller_and_the_pool_goes_on() -> None:
    def reciprocal(k: int) -> float:
        return 1 / k

    with pytest.raises(ZeroDivisionError):
        list(threads.side_by_side(reciprocal, [1, 0, 2]))
    assert list(threads.side_by_side(reciprocal, [1, 2])) == [1.0, 0.5]


@pytest.mark.usefixtures("two_threads")
def test_items_are_taken_a_few_at_a_time() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for k in range(100):
            taken.append(k)
            yield k

    outputs = threads.side_by_side(lambda k: k, items())
    next(outputs)
    assert len(taken) < 20
    outputs.close()  # type: ignore[attr-defined]


@pytest.mark.usefixtures("two_threads")
def test_several_callers_share_the_pool() -> None:
    def call(_: int) -> list[int]:
        torch.set_num_threads(2)
        return list(threads.side_by_side(lambda k: k * k, range(20)))

    with ThreadPoolExecutor(4) as callers:
        assert list(callers.map(call, range(4))) == [[k * k for k in range(20)]] * 4


def _in_child(queue: multiprocessing.Queue[list[int]]) -> None:
    queue.put(list(threads.side_by_side(lambda k: k + 1, range(4))))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.usefixtures("two_threads")
def test_a_forked_process_makes_its_own_pool() -> None:
    list(threads.side_by_side(str, range(3)))
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[list[int]] = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == [1, 2, 3, 4]
    child.join()


@pytest.mark.parametrize(
    ("files", "most"),
    [
        ({"cpu.max": "max 100000"}, 10_000),
        ({"cpu.max": "50000 100000"}, 1),
        ({"cpu.max": "150000 100000"}, 2),
        ({"cpu/cpu.cfs_quota_us": "100000", "cpu/cpu.cfs_period_us": "100000"}, 1),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 10_000),
        ({}, 10_000),
    ],
)
def test_quotas_of_containers_are_respected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], most: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(10_000), raising=False)
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n")
    assert threads.usable_cpus(tmp_path) == most


def test_the_affinity_is_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 7}, raising=False)
    assert threads.usable_cpus(tmp_path) == 3
