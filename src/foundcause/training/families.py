"""The synthetic suites on which runs are compared: one per component of the mixture, some that cut across, and worlds
that no mixture trains on.

Suites do not depend on the run: their seed is reserved, and they come from the whole ``SHIPPED`` mixture even when a
run leaves components out, so that what was left out is a test of transfer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from foundcause.errors import ConfigError

ALIASES = {"nonlinear": "diverse"}  # the name of the paper's family and of our component


def families(names: tuple[str, ...] = ()) -> dict[str, Any]:
    """Suites by name, each a mixture: all of them, or those named. ``paper``, the whole mixture ``PAPER``, is for runs
    that learn from it and takes part only where it is named."""
    from foundcause.simulate.chance import uniform
    from foundcause.simulate.mixture import MIXTURES
    from foundcause.simulate.settings import HELD_OUT_WORLDS

    mixture = MIXTURES["SHIPPED"]
    whole = dataclasses.replace(
        mixture,
        sizes=dataclasses.replace(mixture.sizes, few_rows_chance=0.0, own_variables={}),
        mishaps=dataclasses.replace(mixture.mishaps, derived=0.0, repeats=0.0, scales=0.0, classes=0.0),
    )
    suites = {name: whole.only(name) for name in (*whole.weights, *HELD_OUT_WORLDS)}
    # These joined late: suites of several components stay what they were.
    whole = whole.without("textbook", "series", "mixed")
    generic = whole.only("diverse", "dowhy")
    missing = dataclasses.replace(whole.missing, chance=1.0, cells=uniform(0.1, 0.4))
    wide = dataclasses.replace(whole.sizes, variables=((1.0, uniform(45, 65)),), rows=uniform(300, 1500))
    suites["confounded"] = dataclasses.replace(
        generic, hiding=dataclasses.replace(whole.hiding, usual=uniform(0.3, 0.8), heavy_chance=0.0)
    )
    suites["few_rows"] = dataclasses.replace(whole, sizes=dataclasses.replace(whole.sizes, few_rows_chance=1.0))
    tables = whole.without(*_small(whole))
    for mishap in ("derived", "repeats", "scales", "classes"):
        suites[mishap] = dataclasses.replace(tables, mishaps=dataclasses.replace(whole.mishaps, **{mishap: 1.0}))
    suites["missing"] = dataclasses.replace(whole, missing=missing)
    suites["wide"] = dataclasses.replace(tables, sizes=wide)
    if "paper" in names:
        suites["paper"] = MIXTURES["PAPER"]
    suites |= {alias: suites[name] for alias, name in ALIASES.items() if alias in names}
    if unknown := [name for name in names if name not in suites]:
        raise ConfigError(f"unknown validation family {unknown[0]!r}; choose from {', '.join(suites)}")
    return {name: suites[name] for name in names} if names else suites


def unseen(suites: Mapping[str, Any], trained_on: Collection[str] | None) -> tuple[str, ...]:
    """Names of the suites of which a network trained on these components saw none; nothing is claimed for None."""
    if trained_on is None:
        return ()
    return tuple(
        name
        for name, suite in suites.items()
        if not any(weight > 0 and component in trained_on for component, weight in suite.weights.items())
    )


def _small(whole: Any) -> tuple[str, ...]:
    from foundcause.simulate.settings import PAIR_COMPONENTS

    return tuple(name for name in PAIR_COMPONENTS if name in whole.weights)
