"""Hand-made parts of results, for tests of whatever shows or stores them."""

from __future__ import annotations

from typing import Any

import numpy as np

from foundcause.inference.decoding import Decoded


def decoded(
    edges: np.ndarray,
    *,
    confounding: np.ndarray | None = None,
    adjacency: np.ndarray | None = None,
    agreement: np.ndarray | None = None,
    threshold: float = 0.5,
) -> Decoded:
    """The arrays of an answer with these (D, D) edge probabilities; every edge above the threshold always stands."""
    adjacency = edges > threshold if adjacency is None else adjacency
    return Decoded(
        edges=edges,
        existence=np.clip(edges + edges.T, 0, 1),
        confounding=np.zeros_like(edges) if confounding is None else confounding,
        adjacency=adjacency,
        agreement=adjacency * 1.0 if agreement is None else agreement,
        threshold=threshold,
        confounding_threshold=0.5,
    )


def provenance(rows: int, n_effective: int | None = None, source: str | None = None, **read: Any) -> dict[str, Any]:
    """What a result says of its table and options, as far as pages and the terminal need it."""
    data = {"source": source, "rows": rows, "total_rows": rows, "n_effective": n_effective or rows}
    return {"data": data, "options": {"n_passes": 1, "random_state": 0, "read": read}}
