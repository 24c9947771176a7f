"""Validation suites by name and version: one per component, some that cut across, and components that are held out.

A suite is a mixture. The suites of a version are frozen: they come from a shipped mixture, name their components, and
have digests in the tests. A new component changes none of them; it has a suite of its own by its name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from foundcause.errors import ConfigError
from foundcause.simulate.draws import log_uniform, uniform
from foundcause.simulate.extension import components
from foundcause.simulate.mixture import PAPER, SHIPPED
from foundcause.simulate.settings import Mixture

LATEST = 2
REPORT_ONLY = ("epidemics", "auctions", "bnrep_report")
"""Suites on which nothing is chosen: name them to have their figures."""


def suites(names: Iterable[str] = (), *, version: int = LATEST) -> dict[str, Mixture]:
    """Return the suites of a version by name.

    Parameters
    ----------
    names : iterable of str
        All suites that take part by default if empty. ``paper``, the mixture ``PAPER`` of runs that learn from it,
        takes part only where it is named, as does the suite of a component that joined after the version.
    version : int
        Which frozen set. Suites whose data are not on this machine are left out of version 2.
    """
    if version not in _VERSIONS:
        raise ConfigError(f"there is no version {version} of the validation suites; choose from {sorted(_VERSIONS)}")
    frozen = _VERSIONS[version]()
    chosen = tuple(names)
    if not chosen:
        return frozen
    named = {name: _plain(SHIPPED).only(name) for name in components()}
    named["bnrep_report"] = _published(named["bnrep_report"], rows=1000)
    named["bnrep_report_few_rows"] = _published(named["bnrep_report"], rows=200)
    named |= {**frozen, "paper": PAPER}
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
    found = {name: plain.only(name) for name in (*SHIPPED.weights, "ecology")}
    # These joined late: suites of several components stay what they were.
    earlier = plain.without("textbook", "series", "mixed")
    tables = earlier.without("pairs", "excerpts")
    sizes = earlier.sizes
    wide = dataclasses.replace(sizes, variables=((1.0, uniform(45, 65)),), rows=uniform(300, 1500))
    hiding = dataclasses.replace(earlier.hiding, usual=uniform(0.3, 0.8), heavy_chance=0.0)
    found["confounded"] = dataclasses.replace(earlier.only("diverse", "dowhy"), hiding=hiding)
    found["few_rows"] = dataclasses.replace(earlier, sizes=dataclasses.replace(sizes, few_rows_chance=1.0))
    for name in ("derived", "repeats", "scales", "classes"):
        found[name] = tables.with_corruptions(**{name: 1.0})
    missing = dataclasses.replace(earlier.missing, chance=1.0, cells=uniform(0.1, 0.4))
    found["missing"] = dataclasses.replace(earlier, missing=missing)
    found["wide"] = dataclasses.replace(tables, sizes=wide)
    return found


def _version_2() -> dict[str, Mixture]:
    """Version 1, tables of 200 to 400 columns, a further held-out component, and published networks for choosing."""
    plain = _plain(SHIPPED)
    own_graphs = plain.only("dowhy", "diverse", "linear_gaussian", "textbook", "mixed")
    sizes = dataclasses.replace(plain.sizes, variables=((1.0, log_uniform(200, 400)),), rows=uniform(300, 1000))
    found = {
        **_version_1(),
        "genetics": plain.only("genetics"),
        "very_wide": dataclasses.replace(own_graphs, sizes=sizes),
        "bnrep": _published(plain.only("bnrep_choose"), rows=1000),
        "bnrep_few_rows": _published(plain.only("bnrep_choose"), rows=200),
    }
    return {name: suite for name, suite in found.items() if not suite.unavailable()}


def _published(mixture: Mixture, rows: int) -> Mixture:
    """Networks as they are, without corruptions and artifacts."""
    sizes = dataclasses.replace(mixture.sizes, rows=uniform(rows, rows))
    return dataclasses.replace(mixture.clean(), sizes=sizes)


_VERSIONS: dict[int, Callable[[], dict[str, Mixture]]] = {1: _version_1, 2: _version_2}
