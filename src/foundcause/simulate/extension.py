"""Components and corruptions by name. A new one is one file with a decorated function, and one line of registration.

The line belongs into ``components/__init__.py`` or ``corruptions/__init__.py``. A component of your own package
registers when its module is imported. With worker processes, import it there too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from foundcause.errors import ConfigError
from foundcause.simulate.task import Draft, Scene

Draw = Callable[..., Scene]
Function = TypeVar("Function", bound=Callable[..., Any])
ARTIFACTS = ("paper", "light", "none")
ROLES = ("train", "thresholds", "report")


@dataclass(frozen=True, kw_only=True)
class Component:
    """A way to make scenes.

    name: its name in mixtures.
    draw: ``draw(rng, mixture, *, rows, variables)`` returns a scene with that many observed variables.
    two_columns: its tasks have two columns, whatever the sizes of the mixture.
    artifacts: ``paper`` for the paper's post-processing, ``light`` for scales and rounding alone, or ``none``.
    as_written: its columns come as people write them: they are neither put in classes nor rounded again.
    copies: a variable may be replaced with noisy copies of it.
    derived: further columns may be computed from its columns.
    role: ``train``, or held out of training to choose ``thresholds`` or only to ``report``.
    needs: says why data that it needs cannot be had on this machine, or returns None.
    """

    name: str
    draw: Draw
    two_columns: bool = False
    artifacts: str = "paper"
    as_written: bool = False
    copies: bool = True
    derived: bool = True
    role: str = "train"
    needs: Callable[[], str | None] = lambda: None

    def __post_init__(self) -> None:
        for what, value, choices in (("artifacts", self.artifacts, ARTIFACTS), ("role", self.role, ROLES)):
            if value not in choices:
                raise ConfigError(f"{what} of component {self.name!r} is {value!r}; choose from {', '.join(choices)}")


@dataclass(frozen=True, kw_only=True)
class Corruption:
    """Something that happens to tables of every component.

    name: its name in ``Mixture.corruptions``, which holds the share of the tasks that it happens to.
    apply: ``apply(rng, draft)`` changes the draft in place.
    concerns: whether it can happen to tables of a component at all.
    always: ``apply`` decides itself whether something happens.
    reserve: ``reserve(rng, variables)`` returns how many of a task's columns it makes, of those still free.
    smallest: fewest free variables of a task for which it reserves columns.
    """

    name: str
    apply: Callable[[np.random.Generator, Draft], None]
    concerns: Callable[[Component], bool] = lambda component: True
    always: bool = False
    reserve: Callable[[np.random.Generator, int], int] | None = None
    smallest: int = 0


_COMPONENTS: dict[str, Component] = {}
_CORRUPTIONS: dict[str, Corruption] = {}


def component(name: str, **traits: Any) -> Callable[[Function], Function]:
    """Register ``draw(rng, mixture, *, rows, variables)`` under a name. See ``Component`` for the traits."""

    def register(draw: Function) -> Function:
        _add(_COMPONENTS, Component(name=name, draw=draw, **traits), draw)
        return draw

    return register


def field_component(name: str, **traits: Any) -> Callable[[Function], Function]:
    """Register ``draw(rng, *, rows, variables)``: a field's own way of making data, its artifacts included."""

    def register(draw: Function) -> Function:
        def of_any_mixture(rng: np.random.Generator, mixture: Any, *, rows: int, variables: int) -> Scene:
            return draw(rng, rows=rows, variables=variables)

        traits_of_fields = {"artifacts": "light", "copies": False, **traits}
        _add(_COMPONENTS, Component(name=name, draw=of_any_mixture, **traits_of_fields), draw)
        return draw

    return register


def corruption(name: str, **traits: Any) -> Callable[[Function], Function]:
    """Register ``apply(rng, draft)`` under a name. See ``Corruption`` for the traits."""

    def register(apply: Function) -> Function:
        _add(_CORRUPTIONS, Corruption(name=name, apply=apply, **traits), apply)
        return apply

    return register


def components() -> dict[str, Component]:
    """Return all registered components by name."""
    import_module("foundcause.simulate.components")
    return dict(_COMPONENTS)


def corruptions() -> list[Corruption]:
    """Return all registered corruptions in the order in which they happen."""
    order = import_module("foundcause.simulate.corruptions").ORDER
    return sorted(_CORRUPTIONS.values(), key=lambda one: order.index(one.name) if one.name in order else len(order))


def component_named(name: str) -> Component:
    """Return the component of that name."""
    if name not in _COMPONENTS:
        import_module("foundcause.simulate.components")
    if name not in _COMPONENTS:
        raise ConfigError(
            f"unknown component {name!r}; choose from {', '.join(_COMPONENTS)}, or import the module that registers it"
        )
    return _COMPONENTS[name]


def pair_components() -> tuple[str, ...]:
    """Return the names of the components whose tasks have two columns."""
    return tuple(name for name, one in components().items() if one.two_columns)


def held_out_components() -> tuple[str, ...]:
    """Return the names of the components that no mixture trains on."""
    return tuple(name for name, one in components().items() if one.role != "train")


def _add(registry: dict[str, Any], entry: Component | Corruption, function: Callable[..., Any]) -> None:
    earlier = _ORIGINS.get((type(entry), entry.name))
    origin = (function.__module__, function.__qualname__)
    if earlier not in (None, origin):
        raise ConfigError(f"the name {entry.name!r} is taken by {'.'.join(earlier or ())}; choose another one")
    _ORIGINS[type(entry), entry.name] = origin
    registry[entry.name] = entry


_ORIGINS: dict[tuple[type, str], tuple[str, str]] = {}
"""Where each name was registered: a module that is imported anew may register again, another one may not."""
