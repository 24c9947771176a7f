"""Answers of the default protocol on synthetic tasks, as ``discover`` would give them before calibration.

Averaging logits over resampled rows changes how sure they are, so calibration must see averages, not single passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from foundcause.features.serial import independent_rows
from foundcause.inference.canonical import standardised
from foundcause.inference.ensemble import plan_passes, run_passes
from foundcause.inference.lags import lags_for
from foundcause.inference.protocol import DEFAULT, Passes, Protocol
from foundcause.inference.temperature import sigmoid
from foundcause.model.network import FoundCause
from foundcause.simulate.task import Task
from foundcause.training.metrics import Answer


def ensemble_answers(
    network: FoundCause,
    mixture: Any,
    *,
    seed: int,
    tasks: int,
    runs: int,
    protocol: Protocol = DEFAULT,
    jobs: int = 2,
    say: Callable[[str], None] | None = None,
) -> list[Answer]:
    """Uncalibrated answers of ``runs`` averaged passes to the first ``tasks`` tasks of a mixture, in order."""
    from joblib import Parallel, delayed

    found: list[Answer] = []
    work = (delayed(_answer)(network, mixture, seed, index, runs, protocol) for index in range(tasks))
    for answer in Parallel(n_jobs=jobs, return_as="generator", batch_size=4)(work):
        found.append(answer)
        if say is not None and len(found) % 100 == 0:
            say(f"answered {len(found)} of {tasks} tasks with {runs} passes each")
    return found


def task_passes(network: FoundCause, task: Task, *, runs: int, seed: int, protocol: Protocol = DEFAULT) -> Passes:
    """Logits of all passes over one task, its values prepared as ``discover`` prepares those of a table."""
    values = standardised(_cells(task))
    rows, variables = values.shape
    worth = independent_rows(values)
    plan = plan_passes(protocol, rows=rows, variables=variables, runs=runs, seed=seed, worth=worth)
    lagged = lags_for(network, values, worth=worth) if protocol.heeds_neighbours else None
    return run_passes(network, values, plan, batch_size=runs, seed=seed, lagged=lagged)[0]


def averaged_answer(task: Task, passes: Passes) -> Answer:
    """The truth and the uncalibrated probabilities of averaged logits."""
    return Answer(
        adjacency=task.adjacency.astype(bool),
        confounding=task.confounding.astype(bool),
        existence=sigmoid(passes.existence.mean(axis=0)),
        direction=sigmoid(passes.direction.mean(axis=0)),
        shared=sigmoid(passes.confounding.mean(axis=0)),
        rows=independent_rows(_cells(task)),
    )


def _cells(task: Task) -> np.ndarray:
    """(N, D) values, NaN where unobserved."""
    return np.where(task.observed, task.values, np.nan)


def _answer(network: FoundCause, mixture: Any, seed: int, index: int, runs: int, protocol: Protocol) -> Answer:
    import torch

    from foundcause.simulate.mixture import make_task

    torch.set_num_threads(1)
    task = make_task(mixture, seed, index)
    return averaged_answer(task, task_passes(network.eval(), task, runs=runs, seed=index, protocol=protocol))
