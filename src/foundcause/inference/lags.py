"""What the order of the rows of a series tells, for networks that read it. Shapes: N rows, D variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from foundcause.model.network import FoundCause


def lags_for(
    network: FoundCause, values_ND: np.ndarray, *, worth: int, latest_first: bool = False
) -> np.ndarray | None:
    """(D, D, L) float32 features of ``lagged``, NaN in the values marking gaps; None where nothing is to be read.

    worth: how many independent rows the table is worth (``foundcause.features.serial``); only one worth less than it
    has is a series. latest_first: whether the rows fall in time.
    """
    if worth >= len(values_ND) or not network.config.reads_lags:
        return None
    import torch

    from foundcause.features.lagged import lagged_statistics

    rising = values_ND[::-1].copy() if latest_first else values_ND
    observed = ~np.isnan(rising)
    cells = np.where(observed, rising, 0.0)
    return lagged_statistics(torch.from_numpy(cells), torch.from_numpy(observed), worth=worth).numpy()
