"""The registry of methods."""

from __future__ import annotations

from foundcause.bench.baselines import (
    external_models,
    functional_methods,
    our_methods,
    pair_methods,
    search_methods,
    simple_methods,
)
from foundcause.bench.baselines.method import Method
from foundcause.errors import ConfigError

_FAMILIES = (
    our_methods.METHODS,
    search_methods.METHODS,
    functional_methods.METHODS,
    simple_methods.SIMPLE,
    simple_methods.SERIES,
    external_models.METHODS,
    pair_methods.METHODS,
)
_ASKED_FOR = (our_methods.ABLATIONS, our_methods.PROTOCOLS)
METHODS: dict[str, Method] = {entry.name: entry for family in (*_FAMILIES, *_ASKED_FOR) for entry in family}

FAST = (
    "naive_correlation",
    "var_sort",
    "r2_sort",
    "pc_0.01",
    "pc_0.05",
    "grasp",
    "boss",
    "direct_lingam",
    "ica_lingam",
)
"""Baselines that need seconds, not minutes, on the paper's fifteen."""

IN_TIME = tuple(name for name, entry in METHODS.items() if entry.series)
"""Those that take the order of rows for time."""


def method(name: str) -> Method:
    """The registry's entry of this name."""
    if name not in METHODS:
        raise ConfigError(f"unknown method '{name}'; `foundcause bench methods` lists them, --plugin adds your own")
    return METHODS[name]


def select(request: str, *, pairs: bool = False) -> tuple[Method, ...]:
    """Methods of a comma-separated request; ``all``, ``fast``, ``ours``, ``series``, ``ablations`` and
    ``protocols`` stand for groups.

    With ``pairs`` only those that orient a single pair are kept, else only those that handle whole tables; a method
    named outright that cannot do the job is refused.
    """
    chosen: dict[str, Method] = {}
    for part in (piece.strip() for piece in request.split(",") if piece.strip()):
        group = groups(pairs).get(part)
        for name in group or (part,):
            entry = method(name)
            able = entry.pairs if pairs else entry.graphs
            if able:
                chosen[name] = entry
            elif group is None:
                raise ConfigError(f"method '{name}' does not handle {'single pairs' if pairs else 'whole tables'}")
    if not chosen:
        raise ConfigError(f"no method in '{request}'; `foundcause bench methods` lists them")
    return tuple(chosen.values())


def groups(pairs: bool = False) -> dict[str, tuple[str, ...]]:
    """Words that stand for several methods."""
    ablations, protocols = (tuple(entry.name for entry in family) for family in _ASKED_FOR)
    asked_for = {*ablations, *protocols}
    return {
        "all": tuple(name for name, entry in METHODS.items() if name not in asked_for and not entry.series),
        "ours": tuple(entry.name for entry in our_methods.METHODS),
        "ablations": ("foundcause", *ablations),
        "protocols": ("foundcause", *protocols),
        "series": (
            *(entry.name for entry in our_methods.METHODS),
            *IN_TIME,
            "pc_0.01",
            "grasp",
            "boss",
            "direct_lingam",
        ),
        "fast": (*FAST, *(entry.name for entry in pair_methods.METHODS)) if pairs else FAST,
    }
