"""Passes on disk: a compressed file next to ``result.json``, so that knowledge never needs the network again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from foundcause.errors import InputError
from foundcause.files import replacing
from foundcause.inference.decoding import Passes
from foundcause.inference.protocols import protocol_named
from foundcause.model.calibration import Calibration, CutCoefficients

MAX_BYTES = 64 * 2**20
"""Passes that take more memory than this as float32 are not written: about 600 columns with ten passes."""
_LOGITS = ("edges", "existence", "direction", "confounding")


def save_passes(path: Path, passes: Passes, calibration: Calibration, key: str) -> bool:
    """Write passes unless they are too large.

    Parameters
    ----------
    path : Path
        A file whose name ends in ``.npz``.
    passes : Passes
        Their statistics are not stored.
    calibration : Calibration
        Of the network that ran them.
    key : str
        Digest of the answer that they belong to.

    Returns
    -------
    bool
        Whether the file was written.
    """
    logits: dict[str, Any] = {name: np.asarray(getattr(passes, name), dtype=np.float32) for name in _LOGITS}
    if sum(array.nbytes for array in logits.values()) > MAX_BYTES:
        return False
    header = {
        "key": key,
        "factored": passes.factored,
        "protocol": passes.protocol.name,
        "names": list(passes.names),
        "left_out": list(passes.left_out),
        "calibration": asdict(calibration),
    }
    with replacing(path) as partial:
        np.savez_compressed(partial, header=np.array(json.dumps(header)), columns=passes.columns, **logits)
    return True


def load_passes(path: Path, key: str) -> tuple[Passes, Calibration] | None:
    """Read passes and their calibration. None when there are none, or when they belong to another answer."""
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as stored:
            header = json.loads(str(stored["header"]))
            if header["key"] != key:
                return None
            passes = Passes(
                **{name: stored[name] for name in _LOGITS},
                factored=bool(header["factored"]),
                protocol=protocol_named(header["protocol"]),
                names=tuple(header["names"]),
                columns=stored["columns"],
                left_out=tuple(header["left_out"]),
            )
            return passes, _calibration(header["calibration"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{str(path)!r} is damaged ({error}); remove it to read the result without it") from error


def _calibration(entries: dict[str, Any]) -> Calibration:
    return Calibration(
        **{
            **entries,
            "cut": CutCoefficients(**entries["cut"]),
            "by_passes": tuple(_calibration(other) for other in entries["by_passes"]),
        }
    )
