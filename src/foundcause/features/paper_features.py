"""The same 45 features with the defects of the release mended; models of our own read these."""

from __future__ import annotations

from foundcause.features.registry import FeatureSet
from foundcause.features.release_features import feature_table

PREFIX = "paper."

PAPER = FeatureSet(
    "paper",
    feature_table(
        PREFIX,
        {
            "pearson": "r_ij on the rows that i and j share",
            "partial_correlation": "-Omega_ij / sqrt(Omega_ii Omega_jj), Omega from OAS shrinkage, eigenvalues >= 0.01",
            "spearman": "correlation of average ranks on shared rows",
            "kurtosis_product": "sign(p) ln(1 + abs(p)), p = k_i k_j, k = mean x^4 - 3",
            "kurtosis_difference": "sign(d) ln(1 + abs(d)), d = k_i - k_j",
            "third_moment": "m_ij = mean z_i^2 z_j, z standardised on shared rows",
            "residual_variance": "variance of j after kernel regression on i, over that of j on shared rows",
            "residual_dependence": "32 mean over frequencies of cov(cos(w i + b), cos(w e_ij + b))^2 on shared rows",
            "entropy_difference": "H_ij - H_ji, H_ij = mean over bins of i of ln sd(x_j), x standardised",
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
