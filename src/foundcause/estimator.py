"""``CausalDiscovery``: discover() with the habits of scikit-learn. Shapes: N rows, D columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from foundcause.errors import InputError
from foundcause.knowledge import Knowledge

if TYPE_CHECKING:
    from foundcause.table import Table
    from foundcause.table.reading import Reading
    from foundcause.table.screen import Policy


class CausalDiscovery(BaseEstimator):
    """Causal discovery as an estimator, for pipelines and parameter searches.

    The parameters are those of ``foundcause.discover`` but for ``progress``. After ``fit``:

    result_: the whole ``Result``.
    adjacency_: (D, D) int array; 1 where i causes j; acyclic.
    probabilities_: (D, D) probability of each directed edge.
    confounding_: (D, D) probability of a shared hidden cause, symmetric.
    n_features_in_, feature_names_in_: as everywhere in scikit-learn.
    """

    def __init__(
        self,
        *,
        knowledge: Knowledge | Mapping[str, Any] | str | Path | None = None,
        protocol: str = "default",
        runs: int = 10,
        seed: int = 0,
        threshold: float | None = None,
        device: str = "cpu",
        checkpoint: str | Path | None = None,
        max_rows: int = 20_000,
        constant: Policy = "isolate",
        empty: Policy = "isolate",
        identifier: Policy = "isolate",
        duplicate: Policy = "keep",
        separator: str | None = None,
        header: bool | None = None,
        names: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        nominal: Sequence[str] = (),
        batch_size: int | None = None,
    ) -> None:
        self.knowledge = knowledge
        self.protocol = protocol
        self.runs = runs
        self.seed = seed
        self.threshold = threshold
        self.device = device
        self.checkpoint = checkpoint
        self.max_rows = max_rows
        self.constant = constant
        self.empty = empty
        self.identifier = identifier
        self.duplicate = duplicate
        self.separator = separator
        self.header = header
        self.names = names
        self.drop = drop
        self.nominal = nominal
        self.batch_size = batch_size

    def fit(self, X: Any, y: Any = None) -> CausalDiscovery:
        """Discover the graph of X (anything ``discover`` reads); ``y`` is ignored."""
        from foundcause.api import discover

        self.result_ = discover(X, **self.get_params(deep=False))
        self.adjacency_ = self.result_.adjacency_matrix.astype(int)
        self.probabilities_ = self.result_.edge_probabilities
        self.confounding_ = self.result_.confounding_probabilities
        self.n_features_in_ = len(self.result_.names)
        self.feature_names_in_ = np.array(self.result_.names, dtype=object)
        self._readings: Mapping[str, Reading] = {}
        table = self._read(X)
        self._readings = table.readings
        self._learn_regressions(self._cells(table))
        return self

    def score(self, X: Any, y: Any = None) -> float:
        """Directed F1 against a true adjacency ``y`` (D, D); without one, the mean log-likelihood of the rows of X.

        The likelihood is that of linear Gaussian regressions of each column on its parents, with the coefficients of
        the table that was fitted: a graph that misses strong causes scores low on new rows. Words, dates and numbers in
        text mean what they meant there; words never seen count as missing.
        """
        check_is_fitted(self, "adjacency_")
        if y is not None:
            truth = np.asarray(y).astype(bool)
            if truth.shape != self.adjacency_.shape:
                raise InputError(f"y has shape {truth.shape}; a true adjacency is {self.adjacency_.shape}")
            found = self.adjacency_.astype(bool)
            total = found.sum() + truth.sum()
            return 1.0 if total == 0 else float(2 * (found & truth).sum() / total)
        cells = self._scaled(self._cells(self._read(X)))
        residuals = cells - cells @ self._coefficients
        likelihood = -0.5 * (np.log(2 * np.pi * self._variances) + residuals**2 / self._variances)
        return float(likelihood.sum(axis=1).mean())

    def _read(self, X: Any) -> Table:
        """The table with all its columns, also those that a few rows make constant or empty."""
        from foundcause.table import read_table

        options = ("max_rows", "seed", "separator", "header", "names", "drop", "nominal")
        return read_table(X, readings=self._readings, **{option: getattr(self, option) for option in options})

    def _cells(self, table: Table) -> np.ndarray:
        """The columns that were fitted, (N, D)."""
        place = {name: k for k, name in enumerate(table.names)}
        if lacking := [name for name in self.result_.names if name not in place]:
            raise InputError(
                f"the table lacks columns {lacking}; fitted were {list(self.result_.names)}, give the same"
            )
        return table.values[:, [place[name] for name in self.result_.names]]

    def _learn_regressions(self, cells: np.ndarray) -> None:
        """Regression of each standardised column on its parents, with a little shrinkage."""
        observed = ~np.isnan(cells)
        counts = np.maximum(observed.sum(axis=0), 1)
        self._means = np.where(observed, cells, 0.0).sum(axis=0) / counts
        deviations = np.sqrt(np.where(observed, (cells - self._means) ** 2, 0.0).sum(axis=0) / counts)
        self._scales = np.where(deviations > 0, deviations, 1.0)
        scaled = self._scaled(cells)
        D = scaled.shape[1]
        self._coefficients = np.zeros((D, D))
        for j in range(D):
            parents = np.flatnonzero(self.adjacency_[:, j])
            if len(parents):
                design = scaled[:, parents]
                gram = design.T @ design + 1e-3 * len(design) * np.eye(len(parents))
                self._coefficients[parents, j] = np.linalg.solve(gram, design.T @ scaled[:, j])
        residuals = scaled - scaled @ self._coefficients
        self._variances = np.maximum(residuals.var(axis=0), 1e-3)

    def _scaled(self, cells: np.ndarray) -> np.ndarray:
        return np.nan_to_num((cells - self._means) / self._scales)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = False
        return tags
