"""Files as they are or compressed: their first bytes say which, so that the name may be anything."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TextIO

import pyarrow as pa

from foundcause.data.reading import first_line
from foundcause.errors import TableError

_HEAD_BYTES = 1 << 18
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}


def open_unpacked(path: Path) -> pa.NativeFile:
    """The bytes of a file, unpacked where it is compressed."""
    with path.open("rb") as file:
        magic = file.read(4)
    compression = next((name for start, name in _PACKED.items() if magic.startswith(start)), None)
    if path.suffix.lower() == ".lz4":
        compression = "lz4"
    return pa.input_stream(path, compression=compression)


def read_head(path: Path) -> bytes:
    """The first bytes of a file, unpacked where it is compressed."""
    try:
        with open_unpacked(path) as stream:
            return bytes(stream.read(_HEAD_BYTES))
    except (pa.ArrowException, OSError, EOFError) as error:
        raise TableError(f"cannot read {str(path)!r}: {first_line(error)}") from error


def open_text(path: Path, encoding: str) -> TextIO:
    """The lines of a file, unpacked where it is compressed; their ends are kept."""
    return io.TextIOWrapper(open_unpacked(path), encoding=encoding, newline="")
