"""Checkpoints that describe themselves: safetensors with architecture, config, features and provenance in the header.

Nothing is ever unpickled, and nothing is loaded that does not fit exactly.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import nullcontext
from functools import lru_cache
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
from foundcause.model.architectures import network_class, stored_config
from foundcause.model.interface import Network, NetworkConfig
from foundcause.weights import checkpoint_path

FORMAT = "foundcause"
FORMAT_VERSION = 2
_HEADER_KEY = "foundcause"
_SHOWN_NAMES = 5
_LARGE = 5_000_000  # numbers


def save(path: str | os.PathLike[str], network: Network, *, metadata: dict[str, Any] | None = None) -> Path:
    """Write ``network`` and ``metadata`` (JSON: provenance, metrics, calibration) to ``path``; returns the path.

    The file appears under its name only when it is complete.
    """
    target = Path(path)
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "package_version": __version__,
        "architecture": network.architecture,
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
def load(path: str | os.PathLike[str], *, device: str | torch.device = "cpu") -> tuple[Network, dict[str, Any]]:
    """The network of a checkpoint, in evaluation mode, and its metadata; anything that does not fit is refused."""
    source = Path(path)
    header, tensors = _read(source, str(device))
    config = _config(source, header)
    names = _feature_names(source, header)
    # Drawing start values that are replaced at once is the slow part of a large network, meta tensors of a small one.
    size = sum(tensor.numel() for tensor in tensors.values())
    with torch.device("meta") if size > _LARGE else nullcontext():
        try:
            network: Network = network_class(config.architecture)(config, feature_names=names)
        except ConfigError as error:
            raise CheckpointError(
                f"{source} was trained on features that this foundcause ({__version__}) does not compute: {error}; "
                f"use foundcause {header.get('package_version')!r}"
            ) from error
    _check_tensors(source, tensors, network)
    network.load_state_dict(tensors, strict=True, assign=True)
    for parameter in network.parameters():
        parameter.requires_grad_(True)
    network.metadata = dict(header["metadata"])
    return network.eval(), network.metadata


def load_network(checkpoint: str | os.PathLike[str] | None = None, device: str = "auto") -> Network:
    """Load a network with its metadata; it is kept for the next call while the file does not change.

    Parameters
    ----------
    checkpoint : path, optional
        By default what ``foundcause.weights.checkpoint_path`` chooses.
    device : str, default="auto"
        ``auto`` is ``cuda`` where there is one, else ``cpu``.

    Returns
    -------
    Network
        In evaluation mode; ``metadata`` holds the calibration and ``features.names`` what it reads.
    """
    path = checkpoint_path(checkpoint)
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        stamp = path.stat().st_mtime_ns
    except OSError:
        stamp = 0
    return _loaded(str(path), stamp, device)


@lru_cache(maxsize=2)
def _loaded(path: str, stamp: int, device: str) -> Network:
    try:
        torch.zeros(1, device=torch.device(device))
    except (RuntimeError, AssertionError, TypeError) as error:
        raise ConfigError(f"device {device!r} cannot be used here: {str(error).splitlines()[0]}; try 'cpu'") from error
    network, _ = load(path, device=device)
    return network


def weights_digest(network: Network) -> str:
    """First 12 hex digits of a hash of all tensors, whatever the header of their file says."""
    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:12]


def rewrite_header(
    path: str | os.PathLike[str], out: str | os.PathLike[str], *, calibration: dict[str, Any] | None = None
) -> Path:
    """Write a checkpoint anew in today's format with the same tensors, its calibration entries replaced or added."""
    network, metadata = load(path)
    if calibration:
        metadata = {**metadata, "calibration": {**(metadata.get("calibration") or {}), **calibration}}
    return save(out, network, metadata=metadata)


def weights(path: str | os.PathLike[str]) -> tuple[NetworkConfig, list[str], dict[str, Tensor]]:
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
    if header.get("format_version") not in range(1, FORMAT_VERSION + 1):
        raise CheckpointError(
            f"{source} has checkpoint format {header.get('format_version')!r}, this foundcause ({__version__}) reads "
            f"up to {FORMAT_VERSION}; it was written by foundcause {header.get('package_version')!r}: use that version"
        )
    if isinstance(header.get("metadata"), dict):
        header["metadata"] = _with_later_calibration(source, header["metadata"])
    if not isinstance(header.get("config"), dict) or not isinstance(header.get("metadata"), dict):
        raise CheckpointError(f"the header of {source} lacks its config or metadata; fetch the checkpoint again")
    return header


def _with_later_calibration(source: Path, metadata: dict[str, Any]) -> dict[str, Any]:
    """The metadata with what ``NAME.calibration.json`` beside the file adds to its calibration or replaces in it.

    Coefficients that were fitted after the file was published need no new copy of its weights.
    """
    later = source.with_suffix(".calibration.json")
    if not later.is_file():
        return metadata
    try:
        entries = json.loads(later.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"cannot read {later}: {error}; remove it to use the calibration of {source}") from error
    if not isinstance(entries, dict):
        raise CheckpointError(f"{later} is no object of calibration entries; remove it or fit it again")
    return {**metadata, "calibration": {**(metadata.get("calibration") or {}), **entries}}


def _config(source: Path, header: dict[str, Any]) -> NetworkConfig:
    try:
        architecture = None if header["format_version"] == 1 else str(header.get("architecture"))
        return stored_config(header["config"], architecture)
    except (ConfigError, TypeError) as error:
        raise CheckpointError(
            f"the config of {source} does not fit this foundcause ({__version__}): {error}"
        ) from error


def _feature_names(source: Path, header: dict[str, Any]) -> list[str]:
    names = header.get("feature_names")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise CheckpointError(f"the header of {source} does not name its features; fetch the checkpoint again")
    return names


def _check_tensors(source: Path, tensors: dict[str, Tensor], network: Network) -> None:
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
