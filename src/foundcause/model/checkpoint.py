"""Checkpoints that describe themselves: safetensors with config, features, versions and provenance in the header.

Nothing is ever unpickled, and nothing is loaded that does not fit exactly.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from foundcause import __version__
from foundcause.errors import CheckpointError, ConfigError, OutputError
from foundcause.features.precision import single_precision
from foundcause.files import replacing
from foundcause.model.config import ModelConfig
from foundcause.model.network import FoundCause

FORMAT = "foundcause"
FORMAT_VERSION = 1
_HEADER_KEY = "foundcause"
_SHOWN_NAMES = 5
_LARGE = 5_000_000  # numbers


def save(path: str | os.PathLike[str], network: FoundCause, *, metadata: dict[str, Any] | None = None) -> Path:
    """Write ``network`` and ``metadata`` (JSON: provenance, metrics, calibration) to ``path``; returns the path.

    The file appears under its name only when it is complete.
    """
    target = Path(path)
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "package_version": __version__,
        "config": network.config.to_dict(),
        "feature_set": network.config.features,
        "feature_names": list(network.features.names),
        "metadata": metadata or {},
    }
    try:
        text = json.dumps(header, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"checkpoint metadata is not plain JSON ({error}); use strings, numbers, lists, dicts"
        ) from None
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    try:
        with replacing(target) as partial:
            partial.touch()
            usual = partial.stat().st_mode
            save_file(tensors, partial, metadata={_HEADER_KEY: text})
            partial.chmod(usual)  # safetensors lets nobody else read what it writes
    except SafetensorError as error:  # how safetensors reports a full disk
        raise OutputError(f"cannot write the checkpoint {target}: {error}; choose a folder you can write to") from error
    return target


@single_precision()
def load(path: str | os.PathLike[str], *, device: str | torch.device = "cpu") -> tuple[FoundCause, dict[str, Any]]:
    """The network of a checkpoint, in evaluation mode, and its metadata; anything that does not fit is refused."""
    source = Path(path)
    header, tensors = _read(source, str(device))
    config = _config(source, header)
    # Drawing start values that are replaced at once is the slow part of a large network, meta tensors of a small one.
    size = sum(tensor.numel() for tensor in tensors.values())
    with torch.device("meta") if size > _LARGE else nullcontext():
        network = FoundCause(config)
    _check_features(source, header, network)
    _check_tensors(source, tensors, network)
    network.load_state_dict(tensors, strict=True, assign=True)
    for parameter in network.parameters():
        parameter.requires_grad_(True)
    return network.eval(), dict(header["metadata"])


def weights_digest(network: FoundCause) -> str:
    """First 12 hex digits of a hash of all tensors, whatever the header of their file says."""
    found = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        found.update(name.encode())
        found.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return found.hexdigest()[:12]


def weights(path: str | os.PathLike[str]) -> tuple[ModelConfig, list[str], dict[str, Tensor]]:
    """Configuration, feature names and tensors of a checkpoint, also of one whose features were fewer than today's."""
    source = Path(path)
    header, tensors = _read(source, "cpu")
    return _config(source, header), list(header.get("feature_names") or []), tensors


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The header of a checkpoint alone: config, feature set, versions and metadata."""
    source = Path(path)
    with _opened(source, "cpu") as file:
        return _header(source, file.metadata())


def _opened(source: Path, device: str) -> Any:
    if source.is_dir():
        there = ", ".join(sorted(file.name for file in source.glob("*.safetensors"))) or "there is none"
        raise CheckpointError(f"{source} is a folder; name a checkpoint in it ({there})")
    if not source.is_file():
        raise CheckpointError(f"there is no checkpoint file {source}; check the path")
    try:
        return safe_open(str(source), framework="pt", device=device)
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            f"{source} is not a complete safetensors file ({error}); it may be truncated or of another kind. "
            "Fetch it again; released .pt files need `foundcause import-official` first"
        ) from error


def _read(source: Path, device: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    with _opened(source, device) as file:
        header = _header(source, file.metadata())
        # Copies: what is read stays mapped to the file, and a network in use would change when the file is copied over.
        return header, {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 (not a dict)


def _header(source: Path, entries: dict[str, str] | None) -> dict[str, Any]:
    if not entries or _HEADER_KEY not in entries:
        raise CheckpointError(
            f"{source} is a safetensors file of another program; give a checkpoint written by foundcause"
        )
    try:
        header = json.loads(entries[_HEADER_KEY])
    except json.JSONDecodeError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise CheckpointError(f"the header of {source} is damaged; fetch the checkpoint again")
    if header.get("format_version") != FORMAT_VERSION:
        raise CheckpointError(
            f"{source} has checkpoint format {header.get('format_version')!r}, this foundcause ({__version__}) reads "
            f"{FORMAT_VERSION}; it was written by foundcause {header.get('package_version')!r}: use that version"
        )
    if not isinstance(header.get("config"), dict) or not isinstance(header.get("metadata"), dict):
        raise CheckpointError(f"the header of {source} lacks its config or metadata; fetch the checkpoint again")
    return header


def _config(source: Path, header: dict[str, Any]) -> ModelConfig:
    try:
        return ModelConfig.from_dict(header["config"])
    except (ConfigError, TypeError) as error:
        raise CheckpointError(
            f"the config of {source} does not fit this foundcause ({__version__}): {error}"
        ) from error


def _check_features(source: Path, header: dict[str, Any], network: FoundCause) -> None:
    stored, ours = header.get("feature_names"), list(network.features.names)
    if stored != ours:
        missing = sorted(set(stored or []) - set(ours))
        added = sorted(set(ours) - set(stored or []))
        raise CheckpointError(
            f"{source} was trained on another version of the {network.config.features!r} features "
            f"({_names('no longer computed', missing)}{_names('new', added)}order or names differ); "
            f"use foundcause {header.get('package_version')!r}"
        )


def _check_tensors(source: Path, tensors: dict[str, Tensor], network: FoundCause) -> None:
    expected = network.state_dict()
    if missing := sorted(set(expected) - set(tensors)):
        raise CheckpointError(f"{source} lacks {_names('tensors', missing)}it does not fit its own config")
    if unexpected := sorted(set(tensors) - set(expected)):
        raise CheckpointError(f"{source} holds {_names('unknown tensors', unexpected)}it does not fit its own config")
    for name, tensor in expected.items():
        found = tensors[name]
        if found.shape != tensor.shape or found.dtype != tensor.dtype:
            raise CheckpointError(
                f"tensor {name} of {source} is {tuple(found.shape)} {found.dtype}, "
                f"expected {tuple(tensor.shape)} {tensor.dtype}"
            )


def _names(what: str, names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
    return f"{what}: {', '.join(names[:_SHOWN_NAMES])}{more}; "
