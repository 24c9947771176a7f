"""``CausalDiscovery``: discover() with the habits of scikit-learn. Shapes: N rows, D columns."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from foundcause.data.options import ReadOptions
from foundcause.errors import InputError, TableError
from foundcause.knowledge import Knowledge

if TYPE_CHECKING:
    from foundcause.data import Matrix

_UNEXPLAINED = -0.5 * (np.log(2 * np.pi) + 1)  # mean log-likelihood of a standardised column without parents


class CausalDiscovery(BaseEstimator):
    """Causal discovery as an estimator, for pipelines and parameter searches.

    Parameters
    ----------
    knowledge, n_passes, threshold, random_state, device, checkpoint, protocol, read
        As in ``foundcause.discover``.

    Attributes
    ----------
    result_ : Result
        The whole answer.
    adjacency_ : ndarray of shape (D, D), int
        1 where i causes j. Acyclic.
    probabilities_ : ndarray of shape (D, D)
        Probability of each directed edge.
    confounding_ : ndarray of shape (D, D)
        Probability of a shared hidden cause, symmetric.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (D,)
        Names of the columns, where they have any.
    """

    def __init__(
        self,
        *,
        knowledge: Knowledge | Mapping[str, Any] | str | Path | None = None,
        n_passes: int | Literal["auto"] = "auto",
        threshold: float | None = None,
        random_state: int = 0,
        device: str = "auto",
        checkpoint: str | Path | None = None,
        protocol: str | None = None,
        read: ReadOptions | Mapping[str, Any] | None = None,
    ) -> None:
        self.knowledge = knowledge
        self.n_passes = n_passes
        self.threshold = threshold
        self.random_state = random_state
        self.device = device
        self.checkpoint = checkpoint
        self.protocol = protocol
        self.read = read

    def fit(self, X: Any, y: Any = None) -> CausalDiscovery:
        """Discover the graph of X (anything ``discover`` reads); ``y`` is ignored."""
        from foundcause.api import discover
        from foundcause.data import TableEncoder, read_table

        named = hasattr(X, "columns")
        X = _checked(X, fitting=True)
        options = ReadOptions.of(self.read)
        if options.random_state is None:
            options = ReadOptions.of(options, random_state=self.random_state)
        table = read_table(X, options)
        parameters = self.get_params(deep=False)
        del parameters["read"]
        self.result_ = discover(table, **parameters)
        self.adjacency_ = self.result_.adjacency.to_numpy()
        self.probabilities_ = self.result_.probabilities.to_numpy()
        self.confounding_ = self.result_.confounding.to_numpy()
        self.n_features_in_ = X.shape[1] if getattr(X, "ndim", 0) == 2 else len(self.result_.names)
        if named:
            self.feature_names_in_ = np.asarray(X.columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._encoder = TableEncoder().fit(table)
        self._learn_regressions(self._cells(self._encoder.transform(table)))
        return self

    def score(self, X: Any, y: Any = None) -> float:
        """Directed F1 against a true adjacency ``y`` (D, D). Without a matrix, mean log-likelihood of the rows of X.

        The likelihood is that of linear Gaussian regressions of each column on its parents, with the coefficients of
        the table that was fitted: a graph that misses strong causes scores low on new rows. Words, dates and numbers in
        text mean what they meant there; words never seen count as missing.

        Missing cells are not judged: each column counts by the mean of its observed cells, and one without any as if
        nothing explained it. A missing parent stands at its mean, and its spread widens the regression.
        """
        check_is_fitted(self, "adjacency_")
        X = _checked(X)
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] != self.n_features_in_:
            raise InputError(
                f"X has {X.shape[1]} features, but CausalDiscovery is expecting {self.n_features_in_} features as input"
            )
        if y is not None and np.ndim(y) == 2:
            truth = np.asarray(y).astype(bool)
            if truth.shape != self.adjacency_.shape:
                raise InputError(f"y has shape {truth.shape}; a true adjacency is {self.adjacency_.shape}")
            found = self.adjacency_.astype(bool)
            total = found.sum() + truth.sum()
            return 1.0 if total == 0 else float(2 * (found & truth).sum() / total)
        return self._likelihood(self._scaled(self._cells(self._encoder.transform(X))))

    def _cells(self, table: Matrix) -> np.ndarray:
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
        known = np.where(observed, cells, 0.0)
        units = np.maximum(np.abs(known).max(axis=0), np.finfo(float).tiny)  # squares of huge numbers overflow
        means = (known / units).sum(axis=0) / counts
        deviations = np.sqrt(np.where(observed, (known / units - means) ** 2, 0.0).sum(axis=0) / counts)
        # Of a column without differences nothing is learned, so that its cells in other tables count as missing.
        alive = deviations > 0.0
        self._means = np.where(alive, means * units, np.nan)
        self._scales = np.where(alive, deviations * units, 1.0)
        filled = np.nan_to_num(self._scaled(cells))
        D = filled.shape[1]
        self._coefficients, self._variances = np.zeros((D, D)), np.ones(D)
        for j in np.flatnonzero(alive):
            parents, rows = np.flatnonzero(self.adjacency_[:, j]), observed[:, j]
            design = filled[np.ix_(rows, parents)]
            gram = design.T @ design + 1e-3 * len(design) * np.eye(len(parents))
            slopes = np.linalg.solve(gram, design.T @ filled[rows, j])
            whole = rows & observed[:, parents].all(axis=1)
            judged = whole if whole.sum() > len(parents) else rows  # gaps of parents add to what remains
            residuals = filled[judged, j] - filled[np.ix_(judged, parents)] @ slopes
            self._coefficients[parents, j], self._variances[j] = slopes, max((residuals**2).mean(), 1e-3)

    def _scaled(self, cells: np.ndarray) -> np.ndarray:
        """Standardised cells, NaN where unobserved."""
        return (cells - self._means) / self._scales

    def _likelihood(self, scaled: np.ndarray) -> float:
        """Mean log-likelihood of a row, from the observed cells alone."""
        observed = ~np.isnan(scaled)
        if not observed.any():
            raise InputError("no cell of the fitted columns is observed; give rows that hold values to score them")
        filled = np.nan_to_num(scaled)
        residuals = filled - filled @ self._coefficients
        variances = self._variances + ~observed @ self._coefficients**2
        likelihood = -0.5 * (np.log(2 * np.pi * variances) + residuals**2 / variances)
        counts = observed.sum(axis=0)
        means = np.where(observed, likelihood, 0.0).sum(axis=0) / np.maximum(counts, 1)
        return float(np.where(counts > 0, means, _UNEXPLAINED).sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = False
        return tags


def _checked(X: Any, *, fitting: bool = False) -> Any:
    """X as it is, unless it is a matrix that no table can be made of, which scikit-learn wants to be named."""
    from scipy.sparse import issparse

    from foundcause.api import MIN_ROWS

    if issparse(X):
        raise TypeError("a sparse matrix was passed, but dense data is required; use X.toarray()")
    if isinstance(X, np.ndarray | list):
        array = np.asarray(X)
        if np.iscomplexobj(array):
            raise ValueError("Complex data not supported")
        if array.ndim == 1:
            raise ValueError("Expected 2D array, got 1D array instead. Reshape your data: X.reshape(-1, 1)")
        if array.ndim == 2 and array.shape[0] == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")
        if array.ndim == 2 and array.shape[1] == 0:
            raise ValueError(f"0 feature(s) (shape={array.shape}) while a minimum of 2 is required.")
        if fitting and array.ndim == 2 and array.shape[0] < MIN_ROWS:
            raise TableError(f"found n_samples = {array.shape[0]}; at least {MIN_ROWS} rows are needed")
        if fitting and array.ndim == 2 and array.shape[1] < 2:
            raise TableError("found n_features = 1; a graph needs at least two columns")
    return X
