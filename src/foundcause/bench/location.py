"""Where benchmark files lie on this machine."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from foundcause.errors import DataUnavailableError

VARIABLE = "FOUNDCAUSE_DATA"
FETCH = "`foundcause bench fetch` gets it"


def data_folder() -> Path:
    """The folder of downloaded data: ``$FOUNDCAUSE_DATA``, or one in the user's cache."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "foundcause" / "data"


def absent(*names: str, remedy: str = FETCH) -> str | None:
    """Why data sets made of these files cannot be had and what helps, or None when all are there."""
    missing = [name for name in names if not (data_folder() / name).is_file()]
    if not missing:
        return None
    return f"{', '.join(missing)} not in the data folder; {remedy}, or set {VARIABLE}"


def data_file(name: str, *, remedy: str = FETCH) -> Path:
    """Path of a file of the data folder; raises when it is not there."""
    reason = absent(name, remedy=remedy)
    if reason:
        raise DataUnavailableError(reason)
    return data_folder() / name


def network_file(name: str) -> Path:
    """Path of a network file bundled with pgmpy (which is not imported: that takes seconds)."""
    reason = network_absent(name)
    if reason:
        raise DataUnavailableError(reason)
    return _networks() / name  # type: ignore[operator]


def network_absent(name: str) -> str | None:
    """Why a bundled network cannot be had, or None when it can."""
    folder = _networks()
    if folder is None:
        return "pgmpy is not installed; `pip install 'foundcause[bench]'`"
    if not (folder / name).is_file():
        return f"this pgmpy has no {name}; version 1.1.2 has it"
    return None


def _networks() -> Path | None:
    spec = importlib.util.find_spec("pgmpy")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "utils" / "example_models"
