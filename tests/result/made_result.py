"""A small hand-made result with awkward names."""

from __future__ import annotations

import numpy as np

from foundcause.data.table import Column
from foundcause.findings import remark
from foundcause.knowledge import Knowledge
from foundcause.result import Result
from made_answers import decoded, provenance

NAMES = ("age", 'bl"ood', "</script><b>x</b>", "tar\nmac", "lonely")


def make_result(names: tuple[str, ...] = NAMES) -> Result:
    """age -> blood -> script, age -> script, script -> tarmac; a hidden cause of blood and tarmac."""
    D = len(names)
    edges, hidden = np.zeros((D, D)), np.zeros((D, D))
    edges[0, 1], edges[1, 2], edges[0, 2], edges[2, 3] = 0.9, 0.8, 0.55, 0.7
    edges[1, 0], edges[3, 2], edges[3, 4] = 0.05, 0.3, 0.2
    hidden[1, 3] = hidden[3, 1] = 0.75
    rng = np.random.default_rng(0)
    preview = rng.normal(size=(40, D))
    preview[3, 1] = np.nan
    return Result(
        names=names,
        decoded=decoded(edges, confounding=hidden, agreement=(edges > 0.5) * 0.9),
        findings=[remark("column '<i>' is odd")],
        provenance=provenance(rows=40),
        timing={"network": 0.1234},
        column_info=tuple(Column(name=name, kind="continuous", distinct=40) for name in names),
        knowledge=Knowledge(forbidden=[(names[3], names[0])]),
        preview=preview,
        evidence={"correlation": np.eye(D)},
    )
