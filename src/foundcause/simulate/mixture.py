"""The training distribution on one page: ``PAPER`` (the paper's appendix), ``SHIPPED`` and ``BROAD`` (ours).

task = make_task(SHIPPED, seed=7, index=0)          # always the same bytes
SHIPPED.without("expert"), SHIPPED.only("sensors")  # ablations
SHIPPED.with_weights({**SHIPPED.weights, "pairs": 0.3})
"""

from __future__ import annotations

import dataclasses

from foundcause.errors import ConfigError
from foundcause.simulate.draws import log_uniform, uniform
from foundcause.simulate.mechanisms import MECHANISMS
from foundcause.simulate.settings import (
    FIELDS_OF_EXCERPTS,
    Artifacts,
    DiversePath,
    DoWhyPath,
    Hiding,
    LightArtifacts,
    Missing,
    Mixture,
    Resolution,
    Sizes,
    Specials,
)
from foundcause.simulate.tasks import make_task

__all__ = ["BROAD", "MIXTURES", "PAPER", "SHIPPED", "Mixture", "make_task", "named"]

_OURS_ONLY = ("relu_mlp", "radial", "maximum", "softplus", "post_nonlinear", "multiplicative", "ordinal", "count")
_PAPER_FAMILIES = [name for name in MECHANISMS if name not in _OURS_ONLY]

PAPER = Mixture(
    name="PAPER",
    # Special tasks have the paper's shares. The two paths share the rest, and the special tasks, half each.
    weights={
        "bivariate": 0.15,
        "fog": 0.12,
        "subpopulation": 0.05,
        "interventions": 0.08,
        "ultra_sparse": 0.08,
        "discrete": 0.05,
        "dowhy": 0.235,
        "diverse": 0.235,
    },
    sizes=Sizes(variables=((1.0, uniform(2, 50)),), rows=uniform(100, 600)),
    hiding=Hiding(usual=uniform(0.0, 0.30)),
    dowhy=DoWhyPath(
        root_fraction=uniform(0.05, 0.40),
        density=uniform(0.02, 0.40),
        parents=4.0,
        mechanisms={"linear": 0.30, "additive_mlp": 0.35, "non_additive_mlp": 0.35},
        layers=uniform(2, 4),
        units=uniform(4, 64),
        weight_scale=5.0,
        output=2.0,
        calibration_rows=1000,
        noise={"gaussian": 0.30, "laplace": 0.30, "uniform": 0.20, "student_t": 0.20},
        noise_scale=log_uniform(0.01, 0.25),
        root_mixture=0.65,
        graph="dowhy",
    ),
    diverse=DiversePath(
        topologies={
            "erdos_renyi": 1 / 6,
            "barabasi_albert": 1 / 6,
            "watts_strogatz": 1 / 6,
            "stochastic_block": 1 / 6,
            "geometric": 1 / 6,
            "hubs": 1 / 6,
        },
        degree=uniform(1.0, 4.0),
        # The 16 families the paper names and linear. Ours join in equal shares to make its "18+".
        mechanisms=dict.fromkeys([*_PAPER_FAMILIES, "relu_mlp", "softplus"], 1 / (len(_PAPER_FAMILIES) + 2)),
        # Student-t has no weight in the paper's table: the DoWhy path draws it.
        noise={"gaussian": 0.30, "laplace": 0.175, "uniform": 0.175, "mixture": 0.175, "cauchy": 0.175},
        noise_scale=log_uniform(0.05, 1.0),
    ),
    specials=Specials(
        easy_pairs=0.10,
        fog_noise=log_uniform(0.001, 0.05),
        sparse_density=uniform(0.01, 0.04),
        conditions=uniform(2, 6),
    ),
    artifacts=Artifacts(
        autocorrelation=0.05,
        batch_effects=0.03,
        independent_noise=0.05,
        measurement_noise=0.075,
        outliers=0.05,
        discretization=0.05,
        bounded_or_positive=0.04,
        monotone=0.03,
        zero_inflation_or_censoring=0.04,
        rounding_share=uniform(0.0, 0.15),
        scales=0.10,
        extreme_scales=0.05,
        correlated_noise=0.12,
        collinear_group=0.05,
        pair_warps=0.35,
        log_augmentation=0.06,
    ),
    light_artifacts=LightArtifacts(scales=0.0, rounding=0.0),
    missing=Missing(chance=0.15, cells=uniform(0.02, 0.12)),
)

_TEXTBOOK, _SERIES, _MIXED = 0.14, 0.16, 0.08
_OTHERS = {
    "dowhy": 0.03,
    "diverse": 0.06,
    "linear_gaussian": 0.03,
    "discrete": 0.03,
    "fog": 0.015,
    "subpopulation": 0.015,
    "interventions": 0.025,
    "ultra_sparse": 0.03,
    "unrelated": 0.02,
    # Pairs cost a sixth of other tasks, and their direction is limited by how many were seen.
    "pairs": 0.135,
    "excerpts": 0.10,
    # What analysts bring is mostly collected around an outcome.
    "expert": 0.036,
    **dict.fromkeys(FIELDS_OF_EXCERPTS, 0.036),
    "studies": 0.078,
}
"""Shares within the components other than ``textbook``, ``series`` and ``mixed``."""

SHIPPED = dataclasses.replace(
    PAPER,
    name="SHIPPED",
    weights={
        **{name: (1.0 - _TEXTBOOK - _SERIES - _MIXED) * weight for name, weight in _OTHERS.items()},
        "textbook": _TEXTBOOK,
        "series": _SERIES,
        "mixed": _MIXED,
    },
    sizes=Sizes(
        variables=((0.43, uniform(2, 42)), (0.50, log_uniform(3, 42)), (0.07, uniform(43, 100))),
        rows=log_uniform(100, 5000),
        few_rows=log_uniform(20, 99),
        few_rows_chance=0.12,
        wide=50,
        wide_rows=2000,
        own_variables={
            # Evidence about a complete order shows in tables of ten columns and more.
            "textbook": ((0.15, log_uniform(3, 12)), (0.78, uniform(10, 42)), (0.07, uniform(43, 100))),
            # Who leads whom is asked of two columns too.
            "series": (
                (0.15, uniform(2, 3)),
                (0.30, uniform(2, 42)),
                (0.50, log_uniform(3, 42)),
                (0.05, uniform(43, 100)),
            ),
        },
    ),
    hiding=Hiding(usual=uniform(0.0, 0.30), heavy=uniform(0.30, 0.80), heavy_chance=0.15, circumstances=0.2),
    dowhy=dataclasses.replace(
        PAPER.dowhy, graph="attachment", calibration_rows=0, units=uniform(4, 32), layers=uniform(1, 3)
    ),
    diverse=dataclasses.replace(
        PAPER.diverse,
        topologies={
            "erdos_renyi": 0.25,
            "tree": 0.15,
            "barabasi_albert": 0.15,
            "watts_strogatz": 0.10,
            "stochastic_block": 0.10,
            "geometric": 0.10,
            "hubs": 0.15,
        },
        degree=log_uniform(0.8, 5.0),
        mechanisms={name: (0.12 if name == "linear" else 0.88 / (len(MECHANISMS) - 1)) for name in MECHANISMS},
        noise={
            "gaussian": 0.40,
            "laplace": 0.14,
            "uniform": 0.12,
            "mixture": 0.12,
            "student_t": 0.16,
            "cauchy": 0.06,
        },
        noise_scale=log_uniform(0.1, 1.5),
        mixed_types=0.25,
    ),
    light_artifacts=LightArtifacts(scales=0.3, rounding=0.1),
    missing=Missing(chance=0.30, cells=uniform(0.0, 0.40)),
    corruptions={
        "slips": 0.06,
        "unrelated_columns": 0.10,
        "derived": 0.20,
        "repeats": 0.05,
        "scales": 0.20,
        "classes": 0.25,
    },
    resolution=Resolution(rounding=0.7, floors=0.3),
)

_VERY_WIDE = (0.005, log_uniform(101, 400))
"""Few, for a task of 400 columns costs as much to learn from as hundreds of others."""

BROAD = dataclasses.replace(
    SHIPPED,
    name="BROAD",
    # Relative weights: what joins takes from all others in proportion.
    weights={**SHIPPED.weights, "bnrep": 0.06},
    sizes=dataclasses.replace(
        SHIPPED.sizes,
        variables=(*SHIPPED.sizes.variables, _VERY_WIDE),
        own_variables={
            name: (*ranges, _VERY_WIDE) if name == "textbook" else ranges
            for name, ranges in SHIPPED.sizes.own_variables.items()
        },
        very_wide=100,
        very_wide_rows=1000,
    ),
)
"""``SHIPPED`` with parts of published networks and some tables of 100 to 400 columns. Needs the data of ``bnrep``."""

MIXTURES: dict[str, Mixture] = {mixture.name: mixture for mixture in (PAPER, SHIPPED, BROAD)}
"""None of these is ever edited: a changed mixture gets another name."""


def named(name: str) -> Mixture:
    """The mixture of that name, in any case."""
    if name.upper() not in MIXTURES:
        raise ConfigError(f"unknown mixture {name!r}; choose from {', '.join(MIXTURES)}")
    return MIXTURES[name.upper()]
