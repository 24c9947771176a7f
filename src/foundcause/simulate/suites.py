"""Validation suites by name and version: one per component, some that cut across, and components that are held out.

A suite is a mixture. The suites of a version are frozen: they come from a shipped mixture, name their components, and
have digests in the tests. A new component changes none of them. It has a suite of its own by its name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from foundcause.errors import ConfigError
from foundcause.simulate.draws import log_uniform, uniform
from foundcause.simulate.extension import components
from foundcause.simulate.mixture import PAPER, SHIPPED
from foundcause.simulate.settings import Mixture

REPORT_ONLY = ("epidemics", "auctions", "bnrep_report", "bnrep_report_few_rows")
"""Suites for reporting only. They take part where they are named."""


def suites(names: Iterable[str] = (), *, version: int = 1) -> dict[str, Mixture]:
    """Return the suites of a version by name.

    Parameters
    ----------
    names : iterable of str
        All suites that take part by default if empty. ``paper``, the mixture ``PAPER`` of runs that learn from it,
        takes part only where it is named, as do suites that joined after the version.
    version : int
        Which frozen set: 1, on which the shipped checkpoints are compared, or 2, which adds ``genetics``, tables of 200
        to 400 columns and published networks. Without their data the latter are left out.
    """
    if version not in _VERSIONS:
        raise ConfigError(f"there is no version {version} of the validation suites; choose from {sorted(_VERSIONS)}")
    frozen = _VERSIONS[version]()
    chosen = tuple(names)
    if not chosen:
        return frozen
    named = {name: _plain(SHIPPED).only(name) for name in components()}
    named |= {**_joined_later(), **frozen, "paper": PAPER}
    named["nonlinear"] = named["diverse"]  # the paper's name of the family
    if unknown := [name for name in chosen if name not in named]:
        raise ConfigError(f"unknown validation suite {unknown[0]!r}; choose from {', '.join(frozen)}")
    return {name: named[name] for name in chosen}


def _plain(mixture: Mixture) -> Mixture:
    """The mixture without few rows, sizes of single components, and the corruptions that have suites of their own."""
    sizes = dataclasses.replace(mixture.sizes, few_rows_chance=0.0, own_variables={})
    plain = dataclasses.replace(mixture, sizes=sizes)
    return plain.with_corruptions(derived=0.0, repeats=0.0, scales=0.0, classes=0.0)


def _version_1() -> dict[str, Mixture]:
    plain = _plain(SHIPPED)
    frozen = {name: plain.only(name) for name in (*SHIPPED.weights, "ecology")}
    # These joined late and are in no suite of several components.
    earlier = plain.without("textbook", "series", "mixed")
    tables = earlier.without("pairs", "excerpts")
    sizes = earlier.sizes
    wide = dataclasses.replace(sizes, variables=((1.0, uniform(45, 65)),), rows=uniform(300, 1500))
    hiding = dataclasses.replace(earlier.hiding, usual=uniform(0.3, 0.8), heavy_chance=0.0)
    frozen["confounded"] = dataclasses.replace(earlier.only("diverse", "dowhy"), hiding=hiding)
    frozen["few_rows"] = dataclasses.replace(earlier, sizes=dataclasses.replace(sizes, few_rows_chance=1.0))
    for name in ("derived", "repeats", "scales", "classes"):
        frozen[name] = tables.with_corruptions(**{name: 1.0})
    missing = dataclasses.replace(earlier.missing, chance=1.0, cells=uniform(0.1, 0.4))
    frozen["missing"] = dataclasses.replace(earlier, missing=missing)
    frozen["wide"] = dataclasses.replace(tables, sizes=wide)
    return frozen


def _version_2() -> dict[str, Mixture]:
    joined = {name: suite for name, suite in _joined_later().items() if name not in REPORT_ONLY}
    return {**_version_1(), **{name: suite for name, suite in joined.items() if not suite.unavailable()}}


def _joined_later() -> dict[str, Mixture]:
    """A further held-out component, tables of 200 to 400 columns, and published networks."""
    plain = _plain(SHIPPED)
    own_graphs = plain.only("dowhy", "diverse", "linear_gaussian", "textbook", "mixed")
    sizes = dataclasses.replace(plain.sizes, variables=((1.0, log_uniform(200, 400)),), rows=uniform(300, 1000))
    found = {"genetics": plain.only("genetics"), "very_wide": dataclasses.replace(own_graphs, sizes=sizes)}
    for name in ("bnrep_choose", "bnrep_report"):
        found[name] = _published(plain.only(name), rows=1000)
        found[f"{name}_few_rows"] = _published(plain.only(name), rows=200)
    return found


def _published(mixture: Mixture, rows: int) -> Mixture:
    """Networks as they are, without corruptions and artifacts."""
    sizes = dataclasses.replace(mixture.sizes, rows=uniform(rows, rows))
    return dataclasses.replace(mixture.clean(), sizes=sizes)


_VERSIONS: dict[int, Callable[[], dict[str, Mixture]]] = {1: _version_1, 2: _version_2}
