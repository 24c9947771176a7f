"""The calibration that a checkpoint's header stores: fitted coefficients only, no policy.

How they are applied is in ``foundcause.inference.probabilities``; floors and ceilings of the cut stand there too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from foundcause.errors import CheckpointError

_TEMPERATURES = ("edge_temperature", "direction_temperature", "confounding_temperature")


@dataclass(frozen=True, kw_only=True)
class CutCoefficients:
    """logit(cut) as a linear function of the table; the defaults are the cut of best expected F1 itself.

    intercept: constant part.
    expected_f1: coefficient of the logit of the cut of best expected F1.
    log_variables: coefficient of ln D.
    log_rows: coefficient of ln N.
    """

    intercept: float = 0.0
    expected_f1: float = 1.0
    log_variables: float = 0.0
    log_rows: float = 0.0

    def __post_init__(self) -> None:
        if not all(np.isfinite(value) for value in asdict(self).values()):
            raise CheckpointError("threshold rule: every coefficient must be a finite number")


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How logits become probabilities: p = sigmoid((logit + bias) / temperature).

    edge_temperature, edge_bias: of "an edge joins i and j" (of "i causes j" for the released weights).
    direction_temperature: of "the edge points to j".
    confounding_temperature, confounding_bias: of "i and j share a hidden cause".
    cut: from which probability on an edge is shown.
    n_passes: how many averaged passes the figures were fitted on; None where the header does not say.
    by_passes: the same for other numbers of passes.
    """

    edge_temperature: float = 1.0
    edge_bias: float = 0.0
    direction_temperature: float = 1.0
    confounding_temperature: float = 1.0
    confounding_bias: float = 0.0
    cut: CutCoefficients = field(default_factory=CutCoefficients)
    n_passes: int | None = None
    by_passes: tuple[Calibration, ...] = ()

    def __post_init__(self) -> None:
        for name in _TEMPERATURES:
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise CheckpointError(f"the checkpoint's calibration has {name}={value}; it must be positive")

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, Any]) -> Calibration:
        """Read the calibration of a checkpoint's metadata; identity where entries are absent."""
        entries = metadata.get("calibration") or {}
        try:
            fitted_on = (entries.get("fitted_on") or {}).get("runs")
            return replace(
                _one(cls, entries),
                n_passes=None if fitted_on is None else int(fitted_on),
                by_passes=tuple(
                    replace(_one(cls, {**entries, **other}), n_passes=int(count))
                    for count, other in (entries.get("by_passes") or {}).items()
                ),
            )
        except (TypeError, ValueError, AttributeError) as error:
            raise CheckpointError(f"the checkpoint's calibration is damaged: {error}") from error

    def at(self, n_passes: int) -> Calibration:
        """Return the coefficients for so many averaged passes: linear in 1 / n_passes between the fitted numbers."""
        known = sorted((c for c in (self, *self.by_passes) if c.n_passes), key=lambda c: 1.0 / (c.n_passes or 1))
        if len(known) < 2:
            return self
        shares = [1.0 / (c.n_passes or 1) for c in known]

        def between(values: list[float]) -> float:
            return float(np.interp(1.0 / n_passes, shares, values))

        names = [f.name for f in fields(self) if f.name not in ("cut", "n_passes", "by_passes")]
        cut = {f.name: between([getattr(c.cut, f.name) for c in known]) for f in fields(CutCoefficients)}
        figures: dict[str, Any] = {name: between([getattr(c, name) for c in known]) for name in names}
        return Calibration(**figures, cut=CutCoefficients(**cut), n_passes=n_passes)


def _one(cls: type[Calibration], entries: Mapping[str, Any]) -> Calibration:
    confounding, cut = entries.get("confounding") or {}, entries.get("threshold") or {}
    return cls(
        edge_temperature=float(entries.get("edge_temperature", 1.0)),
        edge_bias=float(entries.get("edge_bias", 0.0)),
        direction_temperature=float(entries.get("direction_temperature", 1.0)),
        confounding_temperature=float(confounding.get("temperature", 1.0)),
        confounding_bias=float(confounding.get("bias", 0.0)),
        cut=CutCoefficients(**{f.name: float(cut[f.name]) for f in fields(CutCoefficients) if f.name in cut}),
    )
