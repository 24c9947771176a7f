"""foundcause itself, as a method among methods."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy as np

from foundcause.bench.answer import Answer
from foundcause.bench.baselines.method import Method, Table


def _run(**options: object) -> Callable[[Table], Answer]:
    def solve(table: Table) -> Answer:
        import pandas as pd

        from foundcause import api

        frame = pd.DataFrame(table.values, columns=[f"v{k}" for k in range(table.values.shape[1])])
        result = api.discover(frame, seed=table.seed, **options)
        return Answer(
            adjacency=np.asarray(result.adjacency_matrix, dtype=bool),
            scores=np.asarray(result.edge_probabilities, dtype=float),
            probabilistic=True,
            confounding=np.asarray(result.confounding_probabilities, dtype=float),
        )

    return solve


def _reason() -> str | None:
    from foundcause.bench.baselines import checkpoint

    if importlib.util.find_spec("foundcause.api") is None:
        return "foundcause.api is not there yet"
    return None if checkpoint.digest() else "no checkpoint in foundcause/weights"


METHODS = (
    Method(
        name="foundcause",
        label="foundcause",
        paper="FoundCause (ours)",
        run=_run(protocol="default"),
        settings="default protocol",
        random=True,
        pairs=True,
        ours=True,
        reason=_reason,
    ),
    Method(
        name="foundcause_one_pass",
        label="foundcause (one pass)",
        run=_run(protocol="default", passes=1),
        settings="default protocol, one pass over the table as it is",
        random=True,
        pairs=True,
        ours=True,
        reason=_reason,
    ),
)
