"""Downloads benchmark data from the places that publish it, checks every content and puts it into the data folder.

Archives are turned into the files that the loaders read; the checksum of a file is that of its uncompressed content.
"""

from __future__ import annotations

import fnmatch
import gzip
import hashlib
import http.client
import io
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from foundcause.bench.datasets import bif, chambers, petshop, sachs, tuebingen
from foundcause.bench.location import network_file
from foundcause.errors import ConfigError, DataUnavailableError
from foundcause.files import replacing

Get = Callable[[str], bytes]
_TIMEOUT = 60


@dataclass(frozen=True, kw_only=True)
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


def fetch(folder: Path, *, only: str = "*", get: Get | None = None, report: Callable[[str], None] = print) -> list[str]:
    """Bring every file whose name fits ``only`` into the folder; returns the names of those that are now there.

    Files that are there with the right content are not loaded again. A required file that cannot be had or has
    another content raises DataUnavailableError after the others were tried; nothing half-written is left. A pattern
    that no file fits raises ConfigError.
    """
    wanted = [file for file in FILES if fnmatch.fnmatch(file.name, only)]
    if not wanted:
        folders = dict.fromkeys(f"{file.name.split('/')[0]}/*" for file in FILES)
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
    if target.is_file() and file.sha256 and _digest(_content(target)) == file.sha256:
        return "already there"
    content = file.make(get)
    if file.sha256 and _digest(content) != file.sha256:
        raise DataUnavailableError(
            f"content has sha256 {_digest(content)[:12]}..., expected {file.sha256[:12]}...; the source has changed"
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


def _digest(content: bytes) -> str:
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


def _github(repository: str, refs: tuple[str, ...], path: str) -> Callable[[Get], bytes]:
    """A file of a GitHub repository at the first of the refs that has it; the checksum guards the content."""

    def make(get: Get) -> bytes:
        for ref in refs[:-1]:
            try:
                return get(f"https://raw.githubusercontent.com/{repository}/{ref}/{path}")
            except DataUnavailableError:
                continue
        return get(f"https://raw.githubusercontent.com/{repository}/{refs[-1]}/{path}")

    return make


def _members(archive: bytes, pattern: str) -> dict[str, bytes]:
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


_LOCI = "https://github.com/aleximmer/loci/archive/da61b8c.zip"
_GNIES = "https://github.com/juangamella/gnies-paper/archive/fde5a8e.zip"
_CHAMBER = "https://causalchamber.s3.eu-central-1.amazonaws.com/downloadables/lt_interventions_standard_v1.zip"


def _tuebingen_table(get: Get) -> bytes:
    """The 108 text files as one table with the numbers as they are written."""
    files = _members(get(_LOCI), "*/data/Tuebingen/pair[0-9][0-9][0-9][0-9].txt")
    if len(files) != 108:
        raise DataUnavailableError(f"the archive has {len(files)} pair files, expected 108")
    rows = [["pair", *(f"c{k}" for k in range(1, 33))]]
    for name, content in sorted(files.items()):
        for line in content.decode("ascii", "replace").splitlines():
            if line.split():
                cells = line.split()
                rows.append([name[4:8], *cells, *[""] * (32 - len(cells))])
    return "".join(",".join(row) + "\n" for row in rows).encode()


def _tuebingen_meta(get: Get) -> bytes:
    files = _members(get(_LOCI), "*/data/Tuebingen/pairmeta.txt")
    if not files:
        raise DataUnavailableError("the archive has no pairmeta.txt")
    return next(iter(files.values()))


# Rows of the nine conditions in the order of the pooled table; the number of rows identifies the file.
_CONDITIONS = {
    853: "cd3cd28",
    902: "cd3cd28icam2",
    911: "cd3cd28+aktinhib",
    723: "cd3cd28+g0076",
    810: "cd3cd28+psitect",
    799: "cd3cd28+u0126",
    848: "cd3cd28+ly",
    913: "pma",
    707: "b2camp",
}
_PROTEINS = ("Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk")


def _sachs_table(get: Get) -> bytes:
    files = _members(get(_GNIES), "*/sachs/sachs_2005/*.csv").values()
    tables = {len(lines) - 1: lines[1:] for lines in (content.decode().splitlines() for content in files)}
    missing = [name for rows, name in _CONDITIONS.items() if rows not in tables]
    if missing:
        raise DataUnavailableError(f"the archive lacks the conditions {', '.join(missing)}")
    lines = [",".join(("condition", *_PROTEINS))]
    for rows, name in _CONDITIONS.items():
        lines += [f"{name},{line.strip()}" for line in tables[rows]]
    return ("\n".join(lines) + "\n").encode()


def _sachs_edges(get: Get) -> bytes:
    network = bif.read(network_file("sachs.bif.gz"))
    edges = sorted(
        (network.names[parent], network.names[child])
        for child, parents in enumerate(network.parents)
        for parent in parents
    )
    return _edge_list(edges)


def _chamber_table(get: Get) -> bytes:
    files = _members(get(_CHAMBER), "*uniform_reference.csv")
    if not files:
        raise DataUnavailableError("the archive has no experiment uniform_reference")
    return next(iter(files.values()))


def _chamber_edges(get: Get) -> bytes:
    """The light tunnel: lamps light all sensors and draw current, polarisers dim the third pair, each LED its own."""
    sensors = [f"{kind}_{k}" for kind in ("ir", "vis") for k in (1, 2, 3)]
    lamps = ("red", "green", "blue")
    edges = [(lamp, target) for target in (*sensors, "current") for lamp in lamps]
    edges += [(f"pol_{k}", f"{kind}_3") for kind in ("ir", "vis") for k in (1, 2)]
    edges += [("pol_1", "angle_1"), ("pol_2", "angle_2")]
    edges += [(f"l_{k}{led}", f"{kind}_{k}") for k in (1, 2, 3) for kind in ("ir", "vis") for led in (1, 2)]
    return _edge_list(edges)


def _chamber_variables(get: Get) -> bytes:
    names = ["red", "green", "blue", "current", "pol_1", "pol_2", "angle_1", "angle_2"]
    names += [f"{kind}_{k}" for k in (1, 2, 3) for kind in ("ir", "vis")]
    names += [f"l_{k}{led}" for k in (1, 2, 3) for led in (1, 2)]
    return ("\n".join(names) + "\n").encode()


def _edge_list(edges: list[tuple[str, str]]) -> bytes:
    return "".join(f"{cause},{effect}\n" for cause, effect in [("cause", "effect"), *edges]).encode()


_PETSHOP = partial(_github, "amazon-science/petshop-root-cause-analysis", ("1c5992d", "main"))
_PETSHOP_SHA = {
    "high_traffic": (
        "70396bba0040e45fbfc8d2edc2053ae08939c5fbaeb04259fa50aa57b35474fd",
        "8d1f7c34ad22f50d4fe201149856e55509dc9e5e06215341410e71a83fc36cdc",
    ),
    "low_traffic": (
        "2b71704c2f02e4bf7fc3f5f792a8c5c0635bd5a2acfbaf2a6ab02a3de71aa469",
        "8b14487ad2d8c5c518e1012157ab0711ff14e712167310f4170b7118b6b9182b",
    ),
    "temporal_traffic1": (None, "10ddbc07b2beb2e4746c270b3f5ddf8c7728510160ed91bfe6056fdff31a8af0"),
    "temporal_traffic2": (None, "50a5eda47dc3a436de582d391d8075f6343b8ee4fee2303badf63ee688117853"),
}


def _petshop() -> list[File]:
    result = []
    for scenario, (metrics_sha, graph_sha) in _PETSHOP_SHA.items():
        metrics, graph = petshop.files(scenario)
        result += [
            File(
                name=metrics,
                sha256=metrics_sha,
                make=_PETSHOP(f"dataset/{scenario}/noissue/metrics.csv"),
                optional=metrics_sha is None,
            ),
            File(name=graph, sha256=graph_sha, make=_PETSHOP(f"dataset/{scenario}/graph.csv")),
        ]
    return result


FILES: tuple[File, ...] = (
    *_petshop(),
    File(
        name=sachs.TABLE,
        sha256="16a2b255e65015d3b8b4ef277f81a3c87da3aac863e87a0e8606ab8e28cc4115",
        make=_sachs_table,
    ),
    File(
        name=sachs.EDGES,
        sha256="1164297a0c66d34812f2b1a144454547ad984cbfc1005b9d8714b7ba6cb148b6",
        make=_sachs_edges,
    ),
    File(
        name=tuebingen.TABLE,
        sha256="c92017cbee33c612ba39e9ccff8d82f0ff9b3fab28e6a051546785644f75d5aa",
        make=_tuebingen_table,
    ),
    File(
        name=tuebingen.META,
        sha256="e630e7ea56b2ba6ec551d6a88183a8fde2154bd24e59ecdc9fc98365efe8e4a9",
        make=_tuebingen_meta,
    ),
    File(
        name=chambers.TABLE,
        sha256="dabfabf99e7919941a761335c813063b243f35e0302eb53cfdf69d7c9368719f",
        make=_chamber_table,
    ),
    File(
        name=chambers.EDGES,
        sha256="ec67076b8f0fdfa96ce29b259a29969ae0c3b971ccbe3ef72d226bd10bd4087b",
        make=_chamber_edges,
    ),
    File(
        name=chambers.VARIABLES,
        sha256="80e8ce04601fe471ecc8d2e55cbe9792087bb948f7c2cacc02aaac6b6ba36a9d",
        make=_chamber_variables,
    ),
)
"""DREAM4 is not among them: its public copies are R archives; docs/evaluation.md says how to convert one."""
