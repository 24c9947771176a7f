"""Methods and data sets of one's own: a Python file that registers them, imported wherever cells are run.

Methods run in processes of their own, which know nothing of what a script has registered. So the file is named
(``--plugin`` or ``load``) and every process imports it. docs/evaluation.md has a whole example.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from foundcause.bench.baselines import METHODS, groups
from foundcause.bench.baselines.method import Method, Table
from foundcause.bench.case import Answer, Case, Dataset, always_available
from foundcause.bench.datasets import DATASETS
from foundcause.bench.experiments import EXPERIMENTS, OWN
from foundcause.bench.records import Version, short_digest
from foundcause.errors import ConfigError, InputError

__all__ = ["Answer", "Case", "Table", "dataset", "load", "method"]

Run = Callable[[Table], Answer]
Draw = Callable[[int], Case]


def method(
    name: str,
    *,
    label: str | None = None,
    settings: str = "",
    random: bool = False,
    pairs: bool = False,
    discrete_only: bool = False,
) -> Callable[[Run], Run]:
    """Register the decorated function, Table to Answer, as a method; the options are fields of ``Method``."""

    def register(run: Run) -> Run:
        _check_name("method", name, taken={*METHODS, *groups()})
        METHODS[name] = Method(
            name,
            label or name,
            run,
            settings,
            random=random,
            pairs=pairs,
            discrete_only=discrete_only,
            version=_version,
        )
        _undo.callback(METHODS.pop, name, None)
        return run

    return register


def dataset(name: str, *, simulated: bool = True, discrete: bool = False, recipe: str = "") -> Callable[[Draw], Draw]:
    """Register the decorated function, seed to Case, as a data set of the experiment ``own``.

    ``simulated`` says whether the seed changes the rows; ``discrete`` whether all columns hold category codes.
    """

    def register(draw: Draw) -> Draw:
        _check_name("data set", name, taken=DATASETS)

        def load_case(seed: int) -> Case:
            case = draw(seed)
            if not isinstance(case, Case):
                raise InputError(f"data set '{name}' gave a {type(case).__name__}; it must give a Case")
            return replace(case, dataset=name, seed=seed, discrete=discrete)

        DATASETS[name] = Dataset(
            name=name,
            family=OWN,
            source=_version.file if _version else "registered by hand",
            licence="its owner's",
            recipe=recipe,
            variables=None,
            rows=None,
            edges=None,
            simulated=simulated,
            load=load_case,
            missing=always_available,
            discrete=discrete,
            version=_version,
        )
        _undo.callback(_forget_dataset, name)
        _list_own()
        return draw

    return register


def _check_name(what: str, name: str, taken: Iterable[str]) -> None:
    if not re.fullmatch(r"[\w.-]+", name):
        raise ConfigError(f"{what} '{name}': a name has letters, digits, '_', '.' and '-' only")
    if name in taken:
        raise ConfigError(f"{what} '{name}': this name is taken; choose another")


def _forget_dataset(name: str) -> None:
    DATASETS.pop(name, None)
    _list_own()


def _list_own() -> None:
    names = tuple(name for name, entry in DATASETS.items() if entry.family == OWN)
    EXPERIMENTS[OWN] = replace(EXPERIMENTS[OWN], datasets=names)


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """A file that was imported; given to other processes, which import the same."""

    path: Path
    version: Version


_loaded: dict[Path, tuple[Plugin, ExitStack]] = {}
_version: Version | None = None  # of the file that is being imported
_undo = ExitStack()  # takes back what is being registered


def load(path: str | Path) -> Plugin:
    """Import a plug-in; a file that was loaded before replaces what it registered then."""
    return _load(Path(path).resolve(), str(path))


def _load(place: Path, shown: str) -> Plugin:
    global _version, _undo
    try:
        content = place.read_bytes()
    except OSError as error:
        raise ConfigError(f"plug-in {shown} cannot be read ({error.strerror}); name a Python file") from error
    _forget(place)
    plugin = Plugin(path=place, version=Version(file=place.name, sha256=short_digest(content)))
    outer, _undo, _version = (_undo, _version), ExitStack(), plugin.version
    try:
        _execute(place, content, shown)
        registered = [*(entry.version for entry in METHODS.values()), *(entry.version for entry in DATASETS.values())]
        if plugin.version not in registered:
            raise ConfigError(f"plug-in {shown} registers nothing; decorate a function with `method` or `dataset`")
        _loaded[place] = plugin, _undo.pop_all()
    finally:
        _undo.close()  # of a file that failed nothing stays
        _undo, _version = outer
    return plugin


def _execute(place: Path, content: bytes, shown: str) -> None:
    """Run the text that was read, not a cached compilation of it: then its digest is that of what runs."""
    module = ModuleType(f"foundcause_plugin_{place.stem}")
    module.__file__ = str(place)
    sys.modules[module.__name__] = module  # dataclasses and pickles look for it there
    if str(place.parent) not in sys.path:
        sys.path.append(str(place.parent))  # as in a script, its neighbours can be imported
    try:
        exec(compile(content, str(place), "exec"), module.__dict__)
    except ConfigError as error:  # of `method` and `dataset`
        raise ConfigError(f"plug-in {shown}: {error}") from error
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(place)]
        where = f"line {lines[-1]}: " if lines else ""
        raise ConfigError(
            f"plug-in {shown} cannot be imported: {where}{type(error).__name__}: {error}; correct the file, or "
            "install what it needs"
        ) from error


def _forget(place: Path) -> None:
    if place in _loaded:
        _loaded.pop(place)[1].close()


def loaded() -> tuple[Plugin, ...]:
    """All that were loaded, for other processes."""
    return tuple(plugin for plugin, _ in _loaded.values())


def require(plugins: tuple[Plugin, ...]) -> None:
    """Have these and no others loaded in this process, in the text that the run began with."""
    for path in set(_loaded) - {plugin.path for plugin in plugins}:  # a process that is kept may have those of before
        _forget(path)
    for plugin in plugins:
        if plugin.path in _loaded and _loaded[plugin.path][0] == plugin:
            continue
        if _load(plugin.path, plugin.version.file) != plugin:  # messages become results, which name no folder
            raise ConfigError(f"plug-in {plugin.version.file} was changed during the run; run again")
