"""Names and formulas of the paper's 45 statistics (Appendix A, "Pairwise Statistics"), in two versions.

``RELEASE`` is what the released network computes, defects included. ``PAPER`` has these defects corrected.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from foundcause.features.registry import Feature, FeatureSet, Group, Symmetry

RELEASE_PREFIX = "release."

# name, symmetry, group, formula; a directed feature is followed by or preceded by its partner (name and name_reverse)
_TABLE: tuple[tuple[str, Symmetry, Group, str], ...] = (
    ("pearson", "symmetric", "dependence", "r_ij = sum x_i x_j / (n_ij - 1), x standardized per column"),
    ("skewness_product", "symmetric", "dependence", "g_i g_j, g = mean x^3, clipped to 5"),
    ("partial_correlation", "symmetric", "dependence", "-Omega_ij / sqrt(Omega_ii Omega_jj), Omega from OAS shrinkage"),
    ("spearman", "symmetric", "dependence", "correlation of jittered ranks"),
    ("rank_gain", "symmetric", "dependence", "abs(spearman) - abs(pearson)"),
    ("kurtosis_product", "symmetric", "dependence", "k_i k_j, k = mean x^4 - 3"),
    ("quadratic_dependence", "symmetric", "dependence", "(abs(m_ij) + abs(m_ji)) / 2, m as in third_moment"),
    ("residual_variance", "directed", "direction", "variance of j after kernel regression on i, over that of j"),
    ("residual_variance_reverse", "directed", "direction", "the same of i given j"),
    ("skewness_difference", "antisymmetric", "direction", "g_i - g_j"),
    ("kurtosis_difference", "antisymmetric", "direction", "k_i - k_j"),
    ("third_moment", "directed", "direction", "m_ij = mean x_i^2 x_j"),
    ("third_moment_reverse", "directed", "direction", "m_ji"),
    ("residual_dependence", "directed", "direction", "sum over frequencies of cov(cos(w i + b), cos(w e_ij + b))^2"),
    ("residual_dependence_reverse", "directed", "direction", "the same of j and e_ji"),
    ("residual_skewness_difference", "antisymmetric", "direction", "skewness of e_ij - skewness of e_ji"),
    ("residual_kurtosis", "directed", "direction", "excess kurtosis of the residual e_ij of j given i"),
    ("residual_kurtosis_reverse", "directed", "direction", "the same of e_ji"),
    ("entropy_difference", "antisymmetric", "direction", "H_ij - H_ji, H_ij = mean over bins of i of ln sd(j)"),
    ("igci_difference", "antisymmetric", "direction", "I_ij - I_ji, I_ij = mean log slope of ranks of j along i"),
    ("regression_coefficient", "directed", "direction", "-Omega_ij / Omega_jj: of i when j is regressed on the rest"),
    ("regression_coefficient_reverse", "directed", "direction", "-Omega_ij / Omega_ii"),
    ("nonlinearity_ratio", "directed", "direction", "(1 - r_ij^2) / residual_variance"),
    ("nonlinearity_ratio_reverse", "directed", "direction", "(1 - r_ij^2) / residual_variance_reverse"),
    ("local_r2_variance", "directed", "direction", "variance over 5 bins of i of the squared correlation in the bin"),
    ("local_r2_variance_reverse", "directed", "direction", "the same over bins of j"),
    ("variance_variation", "directed", "direction", "variation of var(j) over 20 bins of i, relative to its mean"),
    ("variance_variation_reverse", "directed", "direction", "the same of var(i) over bins of j"),
    ("log_precision_difference", "antisymmetric", "direction", "ln Omega_ii - ln Omega_jj"),
    ("log_coupling_difference", "antisymmetric", "direction", "ln q_i - ln q_j, q_i = sum of abs(Omega_ik), k not i"),
    ("xi", "directed", "direction", "Chatterjee's xi of j along i: 1 - 3 sum of rank steps / (steps n_j)"),
    ("xi_reverse", "directed", "direction", "the same of i along j"),
    ("fitted_variance", "directed", "direction", "variance of the kernel regression of j on i, over that of j"),
    ("fitted_variance_reverse", "directed", "direction", "the same of i on j"),
    ("igci_variance", "directed", "direction", "variance of the log slope of ranks of j along i"),
    ("igci_variance_reverse", "directed", "direction", "the same of i along j"),
    ("curvature_difference", "antisymmetric", "direction", "t_i - t_j, t = variance of the kernel estimate of p'' / p"),
    ("common_neighbour", "symmetric", "collider", "(1 - A_ij) max over k of min(A_ik, A_jk), A = abs(r)"),
    ("partial_gain", "symmetric", "collider", "abs(partial_correlation) - abs(pearson)"),
    ("collider_child", "directed", "collider", "max over k of min(A_ij, A_kj) (1 - A_ik)"),
    ("collider_child_reverse", "directed", "collider", "max over k of min(A_ij, A_ki) (1 - A_jk)"),
    ("precision_spread", "symmetric", "reliability", "ln(max Omega_ii / min Omega_ii), one value per dataset"),
    ("size_ratio", "symmetric", "reliability", "variables / mean joint count, one value per dataset"),
    ("range_share", "symmetric", "reliability", "smaller of std / range of i and of j"),
    ("joint_share", "symmetric", "reliability", "n_ij / N"),
)


def feature_table(prefix: str, formulas: dict[str, str]) -> tuple[Feature, ...]:
    """The 45 features with a name prefix; ``formulas`` replaces formulas by plain name."""
    unknown = set(formulas) - {name for name, *_ in _TABLE}
    if unknown:
        raise ValueError(f"formulas for unknown features {sorted(unknown)}")
    return tuple(
        Feature(
            name=prefix + name,
            symmetry=symmetry,
            group=group,
            formula=formulas.get(name, formula),
            partner=prefix + _partner(name) if symmetry == "directed" else None,
        )
        for name, symmetry, group, formula in _TABLE
    )


def _partner(name: str) -> str:
    return name.removesuffix("_reverse") if name.endswith("_reverse") else name + "_reverse"


RELEASE = FeatureSet("release", feature_table(RELEASE_PREFIX, {}))

# The released network reads its features in these orders; its weights depend on them.
SYMMETRIC_ORDER: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6, 37, 38)
ANTISYMMETRIC_DIFFERENCES: tuple[tuple[int, int], ...] = (
    (7, 8),
    (13, 14),
    (11, 12),
    (16, 17),
    (20, 21),
    (22, 23),
    (24, 25),
    (26, 27),
    (30, 31),
    (32, 33),
    (34, 35),
    (39, 40),
)
ANTISYMMETRIC_DIRECT: tuple[int, ...] = (9, 10, 15, 18, 19, 28, 29, 36)


# The same with the defects corrected

PAPER_PREFIX = "paper."

PAPER = FeatureSet(
    "paper",
    feature_table(
        PAPER_PREFIX,
        {
            "pearson": "r_ij on the rows that i and j share",
            "partial_correlation": "-Omega_ij / sqrt(Omega_ii Omega_jj), Omega from OAS shrinkage, eigenvalues >= 0.01",
            "spearman": "correlation of average ranks on shared rows",
            "kurtosis_product": "sign(p) ln(1 + abs(p)), p = k_i k_j, k = mean x^4 - 3",
            "kurtosis_difference": "sign(d) ln(1 + abs(d)), d = k_i - k_j",
            "third_moment": "m_ij = mean z_i^2 z_j, z standardized on shared rows",
            "residual_variance": "variance of j after kernel regression on i, over that of j on shared rows",
            "residual_dependence": "32 mean over frequencies of cov(cos(w i + b), cos(w e_ij + b))^2 on shared rows",
            "entropy_difference": "H_ij - H_ji, H_ij = mean over bins of i of ln sd(x_j), x standardized",
            "igci_difference": "I_ij - I_ji, I_ij = mean log slope of average ranks of j over distinct values of i",
            "nonlinearity_ratio": "(1 - r_ij^2) / residual_variance, both on the kernel rows",
            "nonlinearity_ratio_reverse": "(1 - r_ij^2) / residual_variance_reverse, both on the kernel rows",
            "xi": "Chatterjee's xi of j along i with his formula for ties in j, on shared rows",
            "fitted_variance": "variance of the kernel regression of j on i, over that of j on shared rows",
            "igci_variance": "variance of the log slope of average ranks of j over distinct values of i",
            "curvature_difference": "t_i - t_j, t = variance over observed rows of the kernel estimate of p'' / p",
            "range_share": "smaller of std / range of i and of j, over observed cells",
            "joint_share": "n_ij / N, rows without any observed cell not counted",
        },
    ),
)


# Which expensive blocks a selection of the 45 features needs

FEATURES = 45
_KERNEL = frozenset({7, 8, 13, 14, 15, 16, 17, 22, 23, 32, 33, 36})
_RANDOM_FEATURES = frozenset({13, 14})
_BINS = frozenset({18, 24, 25, 26, 27})
_ORDER = frozenset({19, 30, 31, 34, 35})
_COLLIDER = frozenset({37, 39, 40})


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """Switches of the blocks; features of a block that is off stay 0."""

    kernel: bool = True
    random_features: bool = True
    bins: bool = True
    order: bool = True
    collider: bool = True


def blocks_for(wanted: Collection[int]) -> Blocks:
    """The blocks behind feature positions 0 .. 44."""
    positions = frozenset(wanted)
    return Blocks(
        kernel=bool(positions & _KERNEL),
        random_features=bool(positions & _RANDOM_FEATURES),
        bins=bool(positions & _BINS),
        order=bool(positions & _ORDER),
        collider=bool(positions & _COLLIDER),
    )
