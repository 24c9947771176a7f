"""What the order of the rows of a series tells, for networks that read it. N rows in the order of time, D variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from foundcause.model.network import FoundCause


def lags_for(network: FoundCause, values_ND: np.ndarray, *, worth: int) -> np.ndarray | None:
    """(D, D, L) float32 features of ``lagged``, NaN in the values marking gaps; None where nothing is to be read.

    worth: how many independent rows the table is worth (``foundcause.serial``); only one worth less than it has is a
    series.
    """
    if worth >= len(values_ND) or not network.config.reads_lags:
        return None
    import torch

    from foundcause.statistics.lagged import lagged_statistics

    observed = ~np.isnan(values_ND)
    cells = np.where(observed, values_ND, 0.0)
    return lagged_statistics(torch.from_numpy(cells), torch.from_numpy(observed), worth=worth).numpy()
