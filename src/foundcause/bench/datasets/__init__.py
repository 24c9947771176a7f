"""The registry of benchmark data sets."""

from __future__ import annotations

from foundcause.bench.case import Case, Dataset
from foundcause.bench.datasets import (
    bnrep_networks,
    cause_effect_pairs,
    gcastle_simulations,
    measured_tables,
    own_simulations,
    published_networks,
)
from foundcause.errors import ConfigError, DataUnavailableError

_FAMILIES = (
    published_networks.DATASETS,
    measured_tables.DATASETS,
    own_simulations.SYNTHETIC,
    gcastle_simulations.DATASETS,
    own_simulations.SERIES,
    own_simulations.DOWHY,
    cause_effect_pairs.DATASETS,
    bnrep_networks.DATASETS,
)
DATASETS: dict[str, Dataset] = {entry.name: entry for family in _FAMILIES for entry in family}
FILES = (*measured_tables.FILES, *cause_effect_pairs.FILES)
"""What `foundcause bench fetch` downloads."""

CLEAN = (
    "alarm_like",
    "asia",
    "asia_nonlinear",
    "causal_chambers_lt",
    "child",
    "child_nonlinear",
    "ecoli_like",
    "insurance",
    "petshop_high",
    "petshop_low",
    "petshop_temp1",
    "petshop_temp2",
    "sachs_full",
    "sachs_nonlinear",
    "sachs_obs",
)
"""The paper's fifteen."""

WIDE = ("hailfinder", "hepar2", "win95pts", *(entry.name for entry in measured_tables.DREAM4))
"""More variables than the paper's training range."""

BEYOND = (
    "cancer",
    "earthquake",
    "survey",
    "sachs_discrete",
    "water",
    "mildew",
    "alarm",
    "barley",
    *(entry.name for entry in published_networks.GAUSSIAN),
)
"""Published networks that the paper does not evaluate on; added after thirteen checkpoints had been chosen."""

TEXTBOOK = tuple(entry.name for entry in gcastle_simulations.DATASETS)
"""What methods are first compared on in the literature, made by gCastle."""

SERIES = tuple(entry.name for entry in own_simulations.SERIES)
"""Rows in the order of time."""

BNREP = tuple(entry.name for entry in bnrep_networks.DATASETS)
"""Published networks that were set aside for reporting before any training saw the others."""

TUEBINGEN = tuple(entry.name for entry in cause_effect_pairs.TUEBINGEN)
EXAMPLE_PAIRS = tuple(entry.name for entry in cause_effect_pairs.EXAMPLES)
DIMENSION = tuple(entry.name for entry in own_simulations.SYNTHETIC if entry.family == own_simulations.DIMENSION_FAMILY)
DIMENSION_PAPER = tuple(entry.name for entry in own_simulations.DOWHY)
CONFOUNDED = tuple(
    entry.name for entry in own_simulations.SYNTHETIC if entry.family == own_simulations.CONFOUNDED_FAMILY
)


def dataset(name: str) -> Dataset:
    """The registry's entry of this name."""
    if name not in DATASETS:
        raise ConfigError(f"unknown data set '{name}'; `foundcause bench datasets` lists them, --plugin adds your own")
    return DATASETS[name]


def load(name: str, seed: int = 0) -> Case:
    """A case of a data set; raises with the reason and the remedy when its files are not here."""
    entry = dataset(name)
    reason = entry.missing()
    if reason:
        raise DataUnavailableError(f"data set '{name}': {reason}")
    return entry.case(seed)


def available(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the names that can be had on this machine, in order."""
    return tuple(name for name in names if dataset(name).missing() is None)
