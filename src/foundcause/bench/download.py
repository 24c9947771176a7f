"""Where benchmark files lie on this machine, and how they are downloaded, checked and put there.

Archives are turned into the files that the loaders read. The checksum of a file is that of its uncompressed content.
"""

from __future__ import annotations

import fnmatch
import gzip
import hashlib
import http.client
import importlib.util
import io
import os
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from foundcause.errors import ConfigError, DataUnavailableError
from foundcause.files import replacing

DATA_VARIABLE = "FOUNDCAUSE_DATA"
FETCH = "`foundcause bench fetch` gets it"


def data_folder() -> Path:
    """The folder of downloaded data: ``$FOUNDCAUSE_DATA``, or one in the user's cache."""
    chosen = os.environ.get(DATA_VARIABLE)
    if chosen:
        return Path(chosen)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "foundcause" / "data"


def missing_files(*names: str, remedy: str = FETCH) -> str | None:
    """Why data sets made of these files cannot be had and what helps, or None when all are there."""
    missing = [name for name in names if not (data_folder() / name).is_file()]
    if not missing:
        return None
    return f"{', '.join(missing)} not in the data folder; {remedy}, or set {DATA_VARIABLE}"


def data_file(name: str, *, remedy: str = FETCH) -> Path:
    """Path of a file of the data folder; raises when it is not there."""
    reason = missing_files(name, remedy=remedy)
    if reason:
        raise DataUnavailableError(reason)
    return data_folder() / name


def network_file(name: str) -> Path:
    """Path of a network file bundled with pgmpy (which is not imported: that takes seconds)."""
    reason = missing_network(name)
    if reason:
        raise DataUnavailableError(reason)
    return _networks() / name  # type: ignore[operator]


def missing_network(name: str) -> str | None:
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


Get = Callable[[str], bytes]
_TIMEOUT = 60


@dataclass(frozen=True)
class File:
    """A file of the data folder."""

    name: str
    """Where it goes, relative to the data folder; a name in .gz is compressed."""
    sha256: str | None
    """Of the uncompressed content; None when no copy was ever at hand to take it from."""
    make: Callable[[Get], bytes]
    """Makes the uncompressed content, given a function from URL to bytes."""
    optional: bool = False
    """Whether other files are of use without it."""


def fetch(
    files: Iterable[File],
    folder: Path,
    *,
    only: str = "*",
    get: Get | None = None,
    report: Callable[[str], None] = print,
) -> list[str]:
    """Bring the files whose names fit ``only`` into the folder; returns the names of those that are now there.

    Files that are there with the right content are not loaded again. A required file that cannot be had or has
    another content raises DataUnavailableError after the others were tried; nothing half-written is left. A pattern
    that no file fits raises ConfigError.
    """
    wanted = [file for file in files if fnmatch.fnmatch(file.name, only)]
    if not wanted:
        folders = dict.fromkeys(f"{file.name.split('/')[0]}/*" for file in files)
        raise ConfigError(f"no file fits the pattern '{only}'; there are {', '.join(folders)}")
    get = get or download
    kept: dict[str, bytes] = {}

    def once(url: str) -> bytes:
        if url not in kept:
            kept[url] = get(url)
        return kept[url]

    there, failures = [], []
    for file in wanted:
        try:
            report(f"{file.name}: {_bring(file, folder, once)}")
            there.append(file.name)
        except DataUnavailableError as error:
            report(f"{file.name}: {error}")
            if not file.optional:
                failures.append(f"{file.name}: {error}")
    if failures:
        raise DataUnavailableError("; ".join(failures))
    return there


def _bring(file: File, folder: Path, get: Get) -> str:
    target = folder / file.name
    if target.is_file() and file.sha256 and _sha256(_content(target)) == file.sha256:
        return "already there"
    content = file.make(get)
    if file.sha256 and _sha256(content) != file.sha256:
        raise DataUnavailableError(
            f"content has sha256 {_sha256(content)[:12]}..., expected {file.sha256[:12]}...; the source has changed"
        )
    with replacing(target) as temporary:
        temporary.write_bytes(gzip.compress(content, mtime=0) if target.suffix == ".gz" else content)
    return f"{len(content):,} bytes"


def _content(path: Path) -> bytes:
    raw = path.read_bytes()
    try:
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError):
        return b""


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def download(url: str) -> bytes:
    """The content behind a URL."""
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer:
            return answer.read()
    except http.client.IncompleteRead as error:
        raise DataUnavailableError(f"{url} broke off after {len(error.partial)} bytes; try again") from error
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        raise DataUnavailableError(f"{url} cannot be loaded: {getattr(error, 'reason', error)}") from error


def github_file(repository: str, refs: tuple[str, ...], path: str) -> Callable[[Get], bytes]:
    """A file of a GitHub repository at the first of the refs that has it; the checksum guards the content."""

    def make(get: Get) -> bytes:
        for ref in refs[:-1]:
            try:
                return get(f"https://raw.githubusercontent.com/{repository}/{ref}/{path}")
            except DataUnavailableError:
                continue
        return get(f"https://raw.githubusercontent.com/{repository}/{refs[-1]}/{path}")

    return make


def archive_members(archive: bytes, pattern: str) -> dict[str, bytes]:
    """Base name to content of the members of a zip that fit a pattern."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as content:
            return {
                name.rsplit("/", 1)[-1]: content.read(name)
                for name in content.namelist()
                if fnmatch.fnmatch(name, pattern)
            }
    except zipfile.BadZipFile as error:
        raise DataUnavailableError("the archive is not a zip file; the download may have been an error page") from error
