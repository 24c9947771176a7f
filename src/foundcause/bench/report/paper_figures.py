"""Figures as the paper prints them, for columns marked as the paper's. None of them was measured here.

The paper simulated its semi-synthetic sets itself, so its figures and ours are not of the same tables. Its source says
that the rows under missing data and the ablation rows are predictions, not measurements.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class Average:
    """A row of the paper's tables of averages over its fifteen data sets."""

    coverage: int
    auroc: float
    f1: float
    skeleton_f1: float
    shd_per_d: float
    """Reversals count twice in the baselines' rows and once in the row of its own model."""


CLEAN: dict[str, Average] = {
    "PC (alpha=0.01)": Average(13, 0.71, 0.464, 0.642, 1.383),
    "PC (alpha=0.05)": Average(13, 0.692, 0.43, 0.646, 1.495),
    "FCI (alpha=0.05)": Average(13, 0.637, 0.38, 0.483, 1.209),
    "GES": Average(15, 0.725, 0.456, 0.631, 1.596),
    "GRaSP": Average(15, 0.747, 0.488, 0.676, 1.454),
    "DirectLiNGAM": Average(15, 0.675, 0.314, 0.51, 2.681),
    "ICA-LiNGAM": Average(15, 0.653, 0.292, 0.5, 3.008),
    "NOTEARS-Linear": Average(15, 0.588, 0.251, 0.509, 1.47),
    "DAGMA (linear)": Average(15, 0.597, 0.267, 0.54, 1.546),
    "SCORE": Average(15, 0.554, 0.143, 0.366, 4.538),
    "Naive correlation": Average(15, 0.584, 0.19, 0.427, 4.653),
    "AVICI": Average(15, 0.732, 0.498, 0.651, 1.142),
    "CSIvA": Average(15, 0.739, 0.507, 0.658, 1.108),
    "SEA": Average(15, 0.744, 0.512, 0.667, 1.052),
    "Cond_FIP": Average(15, 0.728, 0.489, 0.646, 1.176),
    "FoundCause (ours)": Average(15, 0.756, 0.535, 0.663, 0.98),
}
"""Clean data."""

MAR10: dict[str, Average] = {
    "PC (alpha=0.01)": Average(12, 0.688, 0.435, 0.618, 1.471),
    "PC (alpha=0.05)": Average(12, 0.669, 0.401, 0.62, 1.586),
    "FCI (alpha=0.05)": Average(12, 0.614, 0.352, 0.459, 1.294),
    "GES": Average(15, 0.702, 0.427, 0.607, 1.682),
    "GRaSP": Average(15, 0.72, 0.458, 0.651, 1.541),
    "DirectLiNGAM": Average(15, 0.641, 0.28, 0.478, 2.814),
    "ICA-LiNGAM": Average(15, 0.617, 0.258, 0.466, 3.159),
    "NOTEARS-Linear": Average(15, 0.57, 0.233, 0.493, 1.523),
    "DAGMA (linear)": Average(15, 0.58, 0.25, 0.523, 1.597),
    "SCORE": Average(15, 0.521, 0.112, 0.331, 4.79),
    "Naive correlation": Average(15, 0.559, 0.164, 0.401, 4.832),
    "AVICI": Average(15, 0.719, 0.479, 0.636, 1.194),
    "CSIvA": Average(15, 0.717, 0.481, 0.638, 1.175),
    "SEA": Average(15, 0.725, 0.49, 0.65, 1.113),
    "Cond_FIP": Average(15, 0.706, 0.464, 0.627, 1.246),
    "FoundCause (ours)": Average(15, 0.749, 0.526, 0.656, 1.013),
}
"""10% missing at random: predictions, by the note in the paper's source."""

MAR30: dict[str, Average] = {
    "PC (alpha=0.01)": Average(10, 0.624, 0.362, 0.557, 1.704),
    "PC (alpha=0.05)": Average(10, 0.607, 0.33, 0.561, 1.834),
    "FCI (alpha=0.05)": Average(10, 0.55, 0.286, 0.402, 1.498),
    "GES": Average(15, 0.629, 0.344, 0.543, 1.972),
    "GRaSP": Average(15, 0.641, 0.37, 0.581, 1.798),
    "DirectLiNGAM": Average(15, 0.558, 0.193, 0.401, 3.215),
    "ICA-LiNGAM": Average(15, 0.536, 0.174, 0.391, 3.528),
    "NOTEARS-Linear": Average(15, 0.491, 0.16, 0.417, 1.716),
    "DAGMA (linear)": Average(15, 0.503, 0.176, 0.447, 1.798),
    "SCORE": Average(15, 0.424, 0.051, 0.237, 5.341),
    "Naive correlation": Average(15, 0.481, 0.1, 0.333, 5.427),
    "AVICI": Average(15, 0.685, 0.432, 0.596, 1.318),
    "CSIvA": Average(15, 0.672, 0.418, 0.586, 1.334),
    "SEA": Average(15, 0.681, 0.428, 0.603, 1.286),
    "Cond_FIP": Average(15, 0.649, 0.388, 0.57, 1.451),
    "FoundCause (ours)": Average(15, 0.717, 0.491, 0.631, 1.132),
}
"""30% missing at random: predictions, by the note in the paper's source."""

TUEBINGEN: dict[str, tuple[int, float, float]] = {
    "NOTEARS (Linear)": (26, 25.5, 20.1),
    "DAGMA (linear)": (34, 33.3, 34.2),
    "Naive correlation": (42, 41.2, 44.1),
    "DirectLiNGAM": (45, 44.1, 46.5),
    "ICA-LiNGAM": (52, 51.0, 49.4),
    "AVICI": (55, 53.9, 55.8),
    "CSIvA": (57, 55.9, 57.4),
    "SEA": (59, 57.8, 58.6),
    "Cond_FIP": (54, 52.9, 54.1),
    "HECI": (72, 70.4, 71.8),
    "SLOPPY": (74, 72.5, 73.4),
    "FoundCause (ours)": (65, 63.7, 65.4),
}
"""Method to (correct of 102, unweighted %, weighted %)."""


@dataclass(frozen=True)
class Row:
    """A row of the paper's tables per data set."""

    f1: float
    shd: int
    true: int
    found: int
    oriented: int
    extra: int
    auroc: float | None = None
    skeleton_f1: float | None = None


PER_DATASET: dict[str, dict[str, Row]] = {
    "GRaSP": {
        "alarm_like": Row(0.822, 19, 46, 46, 44, 4),
        "asia": Row(0.842, 3, 8, 8, 8, 0),
        "asia_nonlinear": Row(0.714, 4, 8, 5, 5, 0),
        "causal_chambers_lt": Row(0.389, 44, 39, 22, 14, 9),
        "child": Row(0.754, 15, 25, 25, 23, 7),
        "child_nonlinear": Row(0.238, 32, 25, 12, 5, 3),
        "ecoli_like": Row(0.899, 13, 58, 58, 58, 0),
        "insurance": Row(0.355, 80, 52, 47, 22, 19),
        "petshop_high": Row(0.393, 68, 42, 27, 22, 34),
        "petshop_low": Row(0.355, 69, 43, 22, 19, 39),
        "petshop_temp1": Row(0.296, 76, 43, 25, 16, 40),
        "petshop_temp2": Row(0.339, 74, 43, 24, 19, 43),
        "sachs_full": Row(0.364, 21, 17, 8, 6, 6),
        "sachs_nonlinear": Row(0.222, 21, 17, 5, 3, 4),
        "sachs_obs": Row(0.345, 19, 17, 7, 5, 0),
    },
    "GES": {
        "alarm_like": Row(0.807, 21, 46, 45, 44, 5),
        "asia": Row(0.842, 3, 8, 8, 8, 0),
        "asia_nonlinear": Row(0.714, 4, 8, 5, 5, 0),
        "causal_chambers_lt": Row(0.5, 34, 39, 17, 17, 11),
        "child": Row(0.4, 42, 25, 21, 14, 18),
        "child_nonlinear": Row(0.333, 28, 25, 13, 7, 2),
        "ecoli_like": Row(0.809, 25, 58, 57, 53, 5),
        "insurance": Row(0.239, 102, 52, 39, 16, 41),
        "petshop_high": Row(0.39, 72, 42, 27, 23, 42),
        "petshop_low": Row(0.355, 69, 43, 24, 19, 37),
        "petshop_temp1": Row(0.231, 80, 43, 22, 12, 39),
        "petshop_temp2": Row(0.231, 80, 43, 22, 12, 39),
        "sachs_full": Row(0.343, 23, 17, 7, 6, 9),
        "sachs_nonlinear": Row(0.296, 19, 17, 6, 4, 3),
        "sachs_obs": Row(0.345, 19, 17, 7, 5, 0),
    },
    "PC (alpha=0.01)": {
        "alarm_like": Row(0.667, 33, 46, 37, 33, 2),
        "asia": Row(0.842, 3, 8, 8, 8, 0),
        "asia_nonlinear": Row(0.571, 6, 8, 5, 4, 0),
        "causal_chambers_lt": Row(0.214, 44, 39, 6, 6, 8),
        "child": Row(0.717, 15, 25, 20, 19, 0),
        "child_nonlinear": Row(0.435, 26, 25, 13, 10, 1),
        "ecoli_like": Row(0.595, 49, 58, 43, 36, 5),
        "insurance": Row(0.306, 59, 52, 19, 13, 9),
        "petshop_high": Row(0.382, 55, 42, 20, 17, 21),
        "petshop_low": Row(0.311, 62, 43, 19, 14, 23),
        "sachs_full": Row(0.452, 17, 17, 7, 7, 3),
        "sachs_nonlinear": Row(0.258, 23, 17, 7, 4, 4),
        "sachs_obs": Row(0.276, 21, 17, 7, 4, 1),
    },
    "FoundCause (ours)": {
        "alarm_like": Row(0.833, 18, 46, 45, 45, 17, 0.982, 0.833),
        "asia": Row(1.0, 0, 8, 8, 8, 0, 0.979, 1.0),
        "asia_nonlinear": Row(0.933, 1, 8, 7, 7, 0, 0.938, 0.933),
        "causal_chambers_lt": Row(0.588, 28, 39, 20, 20, 9, 0.74, 0.588),
        "child": Row(0.603, 20, 25, 24, 19, 14, 0.843, 0.762),
        "child_nonlinear": Row(0.571, 16, 25, 14, 12, 3, 0.728, 0.667),
        "ecoli_like": Row(0.905, 12, 58, 57, 57, 11, 0.988, 0.905),
        "insurance": Row(0.403, 59, 52, 36, 24, 31, 0.691, 0.605),
        "petshop_high": Row(0.234, 49, 42, 19, 9, 16, 0.656, 0.494),
        "petshop_low": Row(0.184, 55, 43, 14, 7, 19, 0.607, 0.368),
        "petshop_temp1": Row(0.293, 45, 43, 19, 11, 13, 0.666, 0.507),
        "petshop_temp2": Row(0.312, 45, 43, 20, 12, 14, 0.666, 0.519),
        "sachs_full": Row(0.48, 13, 17, 6, 6, 2, 0.65, 0.48),
        "sachs_nonlinear": Row(0.357, 14, 17, 9, 5, 2, 0.631, 0.643),
        "sachs_obs": Row(0.32, 13, 17, 8, 4, 0, 0.575, 0.64),
    },
}

SIZES: dict[str, tuple[int, int, int]] = {
    "alarm_like": (37, 2000, 46),
    "asia": (8, 1000, 8),
    "asia_nonlinear": (8, 1000, 8),
    "causal_chambers_lt": (20, 10000, 39),
    "child": (20, 1000, 25),
    "child_nonlinear": (20, 1000, 25),
    "ecoli_like": (46, 1000, 58),
    "insurance": (27, 1500, 52),
    "petshop_high": (39, 589, 42),
    "petshop_low": (41, 589, 43),
    "petshop_temp1": (41, 1652, 43),
    "petshop_temp2": (41, 1652, 43),
    "sachs_full": (11, 7466, 17),
    "sachs_nonlinear": (11, 1000, 17),
    "sachs_obs": (11, 853, 17),
    "hailfinder": (56, 5000, 66),
    "hepar2": (70, 5000, 123),
    "win95pts": (76, 5000, 112),
}
"""Variables, rows and edges of the paper's table of data sets."""

WIDE: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "FoundCause (ours)": {
        "hailfinder": (0.742, 0.516, 0.603, 1.22),
        "hepar2": (0.715, 0.421, 0.581, 1.58),
        "win95pts": (0.789, 0.476, 0.558, 1.69),
        "dream4": (0.661, 0.341, 0.522, 2.04),
    },
    "SEA": {
        "hailfinder": (0.721, 0.494, 0.589, 1.28),
        "hepar2": (0.728, 0.438, 0.596, 1.51),
        "win95pts": (0.771, 0.482, 0.563, 1.63),
        "dream4": (0.702, 0.406, 0.568, 1.74),
    },
    "CSIvA": {
        "hailfinder": (0.758, 0.533, 0.615, 1.19),
        "hepar2": (0.726, 0.439, 0.594, 1.55),
        "win95pts": (0.796, 0.491, 0.571, 1.65),
        "dream4": (0.589, 0.276, 0.462, 2.41),
    },
}
"""Method to data set to (AUROC, F1, skeleton F1, SHD/d)."""

DIMENSION: dict[int, tuple[float, float, float]] = {
    50: (0.902, 0.554, 0.47),
    60: (0.872, 0.516, 0.41),
    70: (0.841, 0.47, 0.35),
    80: (0.808, 0.409, 0.29),
    90: (0.764, 0.342, 0.22),
    100: (0.712, 0.278, 0.17),
}
"""Variables to (AUROC, F1, AUPRC) of the paper's model on its synthetic suites."""

ABLATION: dict[str, tuple[float, float, float]] = {
    "none": (0.604, 0.876, 63.7),
    "statistics": (0.38, 0.75, 53),
    "refinement": (0.55, 0.86, 63.0),
    "max_pool": (0.6, 0.87, 63.7),
    "confounder_feedback": (0.59, 0.87, 63.7),
    "constant_gate": (0.57, 0.86, 60),
    "direction_head": (0.47, 0.86, 56),
}
"""Part switched off to (F1, AUROC, Tuebingen %); all but the first row are predictions, by the paper's caption."""


MODEL = "FoundCause (ours)"
"""The row of the paper's own model."""


def same_sets_f1(method: str | None, datasets: Collection[str]) -> float | None:
    """The paper's mean F1 over these data sets, for methods whose figures per data set it prints."""
    rows = PER_DATASET.get(method or "", {})
    if not datasets or any(name not in rows for name in datasets):
        return None
    return sum(rows[name].f1 for name in datasets) / len(datasets)


def shown(name: str) -> str:
    """How a row of the paper is called here: its own model must not be mistaken for ours."""
    return "its own FoundCause" if name == MODEL else name
