"""Which options a resumed run may change, and how the options of a start are put together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from foundcause.errors import ConfigError
from foundcause.training.config import TrainConfig, train_config
from foundcause.training.files import RunFolder

MAY_CHANGE = frozenset(
    ("minutes", "steps", "workers", "threads", "ahead", "checkpoint_minutes", "validate_minutes", "validate_steps",
     "keep_validated", "validation_tasks", "validation_families", "calibration_tasks", "log_every", "nonfinite_limit",
     "device", "compile", "tensorboard", "lr", "min_lr")
)  # fmt: skip


_MEANT_BEFORE = {"thinning": 0.0}  # of runs from before an option, where its default would make another run of them


def resumed(out: Path, given: Mapping[str, Any]) -> TrainConfig:
    """The options of the run in ``out`` with those given now; what would make it another run is refused."""
    before = _MEANT_BEFORE | RunFolder(out).read_config()
    usual = TrainConfig(steps=1).as_dict()  # an older run does not name options that came later
    for name, value in given.items():
        if name in MAY_CHANGE or name not in usual:
            continue
        started = before.get(name, usual[name])
        if _plain(value) != _plain(started):
            raise ConfigError(
                f"the run in {out} was started with {name} = {started!r}, not {value!r}; "
                f"leave it out to resume, or choose another --out"
            )
    options = before | dict(given)
    if "minutes" in given and "steps" in given:
        raise ConfigError("give the budget of the run as either minutes or steps, not as both")
    if "minutes" in given:
        options["steps"] = None
    elif "steps" in given:
        options["minutes"] = None
    return train_config(options)


def _plain(value: Any) -> Any:
    """Values as they are compared: one name is a list of one, letter case does not matter."""
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if isinstance(value, tuple):
        return list(value)
    return value.upper() if isinstance(value, str) else value
