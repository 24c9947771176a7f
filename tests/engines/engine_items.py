"""What the engines run in the tests. A module of its own, so that workers can import it."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from pathlib import Path
from typing import Any

from foundcause.errors import InputError


def square(number: int) -> int:
    return number * number


def refuse_threes(number: int) -> int:
    if number % 3 == 0:
        raise InputError(f"{number} cannot be worked with")
    return number


def draw_with_global_state(seed: int) -> list[float]:
    """Wrong as soon as another item draws from the same global generator meanwhile."""
    random.seed(seed)
    drawn = []
    for _ in range(20):
        drawn.append(random.random())
        time.sleep(0.002)
    return drawn


def place(_: int) -> tuple[int, int, int, str]:
    time.sleep(0.05)
    return os.getpid(), threading.active_count(), os.getppid(), os.environ.get("OMP_NUM_THREADS", "")


def die_once(item: tuple[int, str]) -> int:
    """Kill the process of item 3, or with another word its parent, the first time."""
    number, folder = item
    note = Path(folder) / "died"
    if number == 3 and not note.exists():
        note.write_text(str(os.getppid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def kill_parent_once(item: tuple[int, str]) -> int:
    """On a Dask worker the parent is the worker."""
    number, folder = item
    note = Path(folder) / "died"
    if number == 3 and not note.exists():
        note.write_text(str(os.getppid()))
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(30)
    return number * number


def die_always(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def note_and_sleep(folder: str) -> None:
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(120)


class UnpicklableError(Exception):
    def __init__(self, a: Any, b: Any) -> None:
        super().__init__("lost on the way")


def raise_unpicklable(_: int) -> None:
    raise UnpicklableError(1, threading.Lock())
