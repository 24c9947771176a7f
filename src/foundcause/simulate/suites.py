"""Validation suites by name and version: one per component, some that cut across, and components that are held out.

A suite is a mixture. The suites of a version are frozen: they come from a shipped mixture, name their components, and
have digests in the tests. A new component changes none of them; it has a suite of its own by its name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from foundcause.errors import ConfigError
from foundcause.simulate.draws import uniform
from foundcause.simulate.extension import components
from foundcause.simulate.mixture import PAPER, SHIPPED
from foundcause.simulate.settings import Mixture

LATEST = 1


def suites(names: Iterable[str] = (), *, version: int = LATEST) -> dict[str, Mixture]:
    """Return the suites of a version by name.

    Parameters
    ----------
    names : iterable of str
        All suites that take part by default if empty. ``paper``, the mixture ``PAPER`` of runs that learn from it,
        takes part only where it is named, as does the suite of a component that joined after the version.
    version : int
        Which frozen set.
    """
    if version not in _VERSIONS:
        raise ConfigError(f"there is no version {version} of the validation suites; choose from {sorted(_VERSIONS)}")
    frozen = _VERSIONS[version]()
    chosen = tuple(names)
    if not chosen:
        return frozen
    named = {**{name: _plain(SHIPPED).only(name) for name in components()}, **frozen, "paper": PAPER}
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


_VERSIONS: dict[int, Callable[[], dict[str, Mixture]]] = {1: _version_1}
