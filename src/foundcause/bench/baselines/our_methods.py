"""foundcause itself, as a method among methods, whole and with parts switched off."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.bench.baselines.method import Method, Table
from foundcause.bench.case import Answer
from foundcause.bench.records import Version, short_digest
from foundcause.errors import CheckpointError, InputError
from foundcause.inference.protocols import IN_WORDS

if TYPE_CHECKING:
    from foundcause.result import Result

CHECKPOINT_VARIABLE = "FOUNDCAUSE_BENCH_CHECKPOINT"
"""Weights to evaluate instead of those that ``discover`` would choose; workers inherit it."""


def chosen_checkpoint() -> Path | None:
    """The checkpoint under evaluation, or None when there is none."""
    from foundcause.weights import checkpoint_path

    try:
        path = checkpoint_path(os.environ.get(CHECKPOINT_VARIABLE) or None)
    except CheckpointError:
        return None
    return path if path.is_file() else None


def checkpoint_digest() -> str | None:
    """First 12 hex digits of the sha256 of the checkpoint under evaluation, or None when there is none."""
    path = chosen_checkpoint()
    return None if path is None else _digest(path, path.stat().st_mtime_ns)


@cache
def _digest(path: Path, modified: int) -> str:
    return short_digest(path.read_bytes())


def checkpoint_version() -> Version | None:
    """The checkpoint under evaluation as results name it, or None when there is none."""
    path, content = chosen_checkpoint(), checkpoint_digest()
    return None if path is None or content is None else Version(file=path.name, sha256=content)


PASSES = 10
# The names of foundcause.paper.ablations.ABLATIONS; listing methods must not import torch. A test compares them.
PARTS = ("statistics", "refinement", "max_pool", "confounder_feedback", "constant_gate", "direction_head")


def _discover(table: Table, **options: Any) -> Result:
    import pandas as pd

    from foundcause import api

    frame = pd.DataFrame(table.values, columns=[f"v{k}" for k in range(table.values.shape[1])])
    return api.discover(frame, random_state=table.seed, checkpoint=chosen_checkpoint(), **options)


def _answer(result: Result) -> Answer:
    return Answer(
        adjacency=np.asarray(result.adjacency.to_numpy(bool), dtype=bool),
        scores=np.asarray(result.probabilities.to_numpy(), dtype=float),
        probabilistic=True,
        confounding=np.asarray(result.confounding.to_numpy(), dtype=float),
    )


def _run(**options: Any) -> Callable[[Table], Answer]:
    return lambda table: _answer(_discover(table, **options))


def _ablated(part: str) -> Callable[[Table], Answer]:
    """The network without one part; refuses when it is not restored exactly afterwards (the paper's check)."""

    def solve(table: Table) -> Answer:
        from foundcause.model.checkpoints import load_network
        from foundcause.paper.ablations import ablate

        path = chosen_checkpoint()
        if path is None:
            raise InputError("no checkpoint to ablate")
        network = load_network(path, "cpu")
        probe = Table(values=np.random.default_rng(0).standard_normal((200, 6)).cumsum(axis=1), seed=0)
        before = _discover(probe, n_passes=1).probabilities.to_numpy()
        with ablate(network, part):
            answer = _answer(_discover(table, n_passes=PASSES))
        if (_discover(probe, n_passes=1).probabilities.to_numpy() != before).any():
            raise InputError(f"the network is not what it was before '{part}' was switched off")
        return answer

    return solve


def _reason() -> str | None:
    return None if checkpoint_digest() else "no checkpoint is shipped; train one, or name one with --checkpoint"


def _part_missing(part: str) -> str | None:
    """Why this part cannot be switched off in the checkpoint that would be run, or None."""
    path = chosen_checkpoint()
    if path is None:
        return _reason()
    from foundcause.model.checkpoints import load_network

    network = load_network(path, "cpu")
    return None if part in network.parts else f"this network has no part that '{part}' switches off"


def _ours(name: str, label: str, run: Callable[[Table], Answer], settings: str, **more: Any) -> Method:
    return Method(name, label, run, settings, random=True, pairs=True, ours=True, **{"reason": _reason, **more})


METHODS = (
    _ours(
        "foundcause",
        "foundcause",
        _run(n_passes=PASSES),
        f"default protocol ({IN_WORDS}), {PASSES} passes",
        paper="FoundCause (ours)",
    ),
    _ours(
        "foundcause_one_pass",
        "foundcause (one pass)",
        _run(n_passes=1),
        f"default protocol ({IN_WORDS}), one pass over all rows",
    ),
)

ABLATIONS = tuple(
    _ours(
        f"without_{part}",
        f"without {part.replace('_', ' ')}",
        _ablated(part),
        f"default protocol ({IN_WORDS}), {PASSES} passes, {part} switched off",
        reason=partial(_part_missing, part),
    )
    for part in PARTS
)
"""The paper's six test-time ablations."""

_PAPER_VARIANTS: dict[str, dict[str, Any]] = {
    "one pass": {"n_passes": 1},
    "3 passes": {"n_passes": 3},
    "20 passes": {"n_passes": 20},
    "no bootstrap": {"resampling": "none"},
    "temperature 1": {"temperature": 1.0},
    "threshold 0.5": {"cut": 0.5},
    "no agreement": {"min_agreement": 0.0},
}
"""The parts of the paper's protocol, each changed alone."""


def _under_paper(changes: dict[str, Any]) -> Callable[[Table], Answer]:
    def solve(table: Table) -> Answer:
        from foundcause.inference.protocols import protocol_named

        return _answer(_discover(table, protocol=replace(protocol_named("paper"), **changes)))

    return solve


PROTOCOLS = (
    _ours("foundcause_settled", "foundcause (until settled)", _run(), f"default protocol ({IN_WORDS}), until settled"),
    *(
        _ours(f"foundcause_{name}_protocol", f"foundcause ({name} protocol)", _run(protocol=name), f"protocol {name}")
        for name in ("paper", "release")
    ),
    *(
        _ours(
            f"foundcause_paper_{name.replace(' ', '_')}",
            f"foundcause (paper protocol, {name})",
            _under_paper(changes),
            f"protocol paper, {name}",
        )
        for name, changes in _PAPER_VARIANTS.items()
    ),
)
"""The same weights under other protocols; `bench run --protocol` chooses among the named ones."""
