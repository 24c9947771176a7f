"""The average of several checkpoints, weight by weight.

Runs that started from one another end in one valley: their mean validates better than each, at no cost when used.
A network that the last one has outgrown (``foundcause.model.grow``) is grown first. In new rounds the last one counts
alone; new units, features and weighed thirds began at zero, and count there for a network that never had them.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from foundcause.errors import CheckpointError, ConfigError
from foundcause.model.checkpoints import load, save
from foundcause.model.grow import check_growth, differing, start_as
from foundcause.model.interface import Network
from foundcause.training.run_folder import RunFolder
from foundcause.training.setup import united

_KIN = 0.5


def average(checkpoints: Sequence[Path], out: Path) -> Path:
    """Write the mean of the weights of ``checkpoints`` as the best of a run folder ``out``, ready for calibration.

    A checkpoint that is named twice weighs twice. Configuration and options are those of the last; steps, passes and
    minutes of different ones add up, and what they learned from joins.
    """
    if len(checkpoints) < 2:
        raise ConfigError("an average needs at least two checkpoints")
    loaded = [load(path) for path in checkpoints]
    network, metadata = loaded[-1]
    states = [_state(path, other, network) for path, (other, _) in zip(checkpoints, loaded, strict=True)]
    _refuse_strangers(checkpoints, states)
    network.load_state_dict(
        {
            name: sum(state[name] for state in states) / len(states) if value.is_floating_point() else value
            for name, value in states[-1].items()
        }
    )
    about: dict[str, Any] = {key: value for key, value in metadata.items() if key not in ("calibration", "validation")}
    different = {path.resolve(): entry for path, (_, entry) in zip(checkpoints, loaded, strict=True)}
    for key in ("step", "passes", "elapsed_minutes"):
        about[key] = sum(entry.get(key, 0) for entry in different.values())
    about |= united([entry for _, entry in loaded])
    about["averaged"] = len(loaded)
    if "training" not in about:
        raise CheckpointError(f"{checkpoints[-1]} does not say how it was trained; name a checkpoint of a run last")
    folder = RunFolder(out)
    if folder.config.exists():
        raise ConfigError(f"{out} holds a run already; choose another --out")
    folder.prepare()
    folder.write_json(folder.config, about["training"])
    folder.write(folder.best, lambda place: save(place, network, metadata=about))
    return folder.best


def _refuse_strangers(checkpoints: Sequence[Path], states: Sequence[dict[str, Tensor]]) -> None:
    """Runs from one start still point the same way; two random starts do not, and their mean means nothing."""
    last = _matrices(states[-1])
    for path, state in zip(checkpoints[:-1], states[:-1], strict=True):
        likeness = float(torch.nn.functional.cosine_similarity(_matrices(state), last, dim=0))
        if likeness < _KIN:
            raise ConfigError(
                f"{path} and {checkpoints[-1]} have nothing in common (cosine of their weights {likeness:.2f}); "
                "average runs that started from one another"
            )


def _matrices(state: dict[str, Tensor]) -> Tensor:
    """All weight matrices as one vector."""
    return torch.cat([value.flatten().double() for value in state.values() if value.ndim > 1])


def _state(path: Path, network: Network, last: Network) -> dict[str, Tensor]:
    """The tensors of ``network``, grown to the configuration of ``last`` where it is smaller."""
    if not differing(last.config, network.config):
        return network.state_dict()
    try:
        check_growth(last.config, network.config, network.features.names)
    except ConfigError as error:
        raise CheckpointError(f"{path} holds a network of another configuration: {error}") from error
    grown = deepcopy(last)
    start_as(grown, network.config, network.features.names, network.state_dict())
    return grown.state_dict()
