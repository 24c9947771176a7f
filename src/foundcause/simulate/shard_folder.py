"""A folder of tasks on any file system of fsspec: written by many jobs, repaired, and read as a stream.

Shard k holds the tasks with indices from k times ``per_shard``. A job writes a range of shards and keeps a manifest of
its own with the checksum of every file, so that an array of jobs fills one folder. While a job runs it claims its
range. Another one in the same range is refused.
"""

from __future__ import annotations

import bisect
import dataclasses
import hashlib
import itertools
import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from foundcause import __version__, engines
from foundcause.errors import ConfigError, InputError, OutputError
from foundcause.files import replacing
from foundcause.simulate.settings import Mixture
from foundcause.simulate.shards import shard_bytes, table_files, tasks_of_shard
from foundcause.simulate.task import Task
from foundcause.simulate.tasks import make_task

FORMAT = 2
_RENEWED = 60.0  # seconds between renewals of a claim
_FORGOTTEN = 600.0  # seconds after which a claim that was not renewed counts as left behind
_SAVED = 2.0  # seconds between savings of the manifest
_SAME = ("format", "mixture", "settings_sha256", "seed", "per_shard", "files_are")
Files = dict[str, dict[str, Any]]


class Storage:
    """A folder, local or remote: ``tasks``, ``memory://tasks``, ``s3://bucket/tasks``, ..."""

    def __init__(self, url: str) -> None:
        from fsspec.core import url_to_fs
        from fsspec.implementations.local import LocalFileSystem

        self.url = url
        try:
            self.system, self.root = url_to_fs(url)
        except (ValueError, ImportError) as error:
            raise ConfigError(f"cannot open {url} ({error})") from error
        self.local = isinstance(self.system, LocalFileSystem)

    def prepare(self) -> None:
        """Make the folder, if it can be written to."""
        try:
            self.system.makedirs(self.root, exist_ok=True)
            if self.local and not os.access(self.root, os.W_OK):
                raise PermissionError(13, "permission denied")
        except OSError as error:
            raise OutputError(f"cannot write to {self.url} ({error.strerror}); choose another --out") from error

    def names(self) -> list[str]:
        """Names of the files in the folder."""
        if not self.system.exists(self.root):
            return []
        self.system.invalidate_cache()
        return sorted(Path(path).name for path in self.system.ls(self.root, detail=False))

    def read(self, name: str) -> bytes:
        """Content of a file. Empty if there is none."""
        try:
            return bytes(self.system.cat_file(f"{self.root}/{name}"))
        except FileNotFoundError:
            return b""

    def write(self, name: str, content: bytes) -> None:
        """Write a file that appears complete or not at all."""
        if self.local:
            with replacing(Path(self.root) / name) as partial:
                partial.write_bytes(content)
        else:
            self.system.pipe_file(f"{self.root}/{name}", content)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with suppress(FileNotFoundError):
            self.system.rm_file(f"{self.root}/{name}")


@dataclass(frozen=True, kw_only=True)
class Job:
    """A range of tasks to be written to a folder.

    mixture: the distribution.
    seed: the seed of all tasks.
    count: how many tasks.
    out: the folder, a path or an address that fsspec knows.
    start: index of the first task, a multiple of ``per_shard``.
    per_shard: tasks of a shard.
    csv: write single readable tables instead of shards.
    """

    mixture: Mixture
    seed: int
    count: int
    out: str | Path
    start: int = 0
    per_shard: int = 200
    csv: bool = False

    def __post_init__(self) -> None:
        for name, least in (("count", 1), ("per_shard", 1), ("seed", 0), ("start", 0)):
            if getattr(self, name) < least:
                raise ConfigError(f"{name} is {getattr(self, name)}; use {least} or more")
        if self.start % self.per_shard:
            below = self.start - self.start % self.per_shard
            raise ConfigError(
                f"start is {self.start}, which is no multiple of the {self.per_shard} tasks of a shard; "
                f"use {below} or {below + self.per_shard}"
            )
        if "://" not in str(self.out):  # workers may have another working directory
            object.__setattr__(self, "out", str(Path(self.out).absolute()))

    @property
    def pieces(self) -> range:
        """Numbers of the shards."""
        return range(self.start // self.per_shard, -(-(self.start + self.count) // self.per_shard))

    @property
    def manifest(self) -> str:
        """Name of the job's manifest."""
        return f"manifest-{self.pieces[0]:05d}-{self.pieces[-1]:05d}.json"

    def indices(self, piece: int) -> range:
        """Task indices of a shard."""
        return range(piece * self.per_shard, min(self.start + self.count, (piece + 1) * self.per_shard))

    def names(self, piece: int) -> list[str]:
        """Names of the files of a shard."""
        if not self.csv:
            return [f"shard-{piece:05d}.npz"]
        return [f"task-{k:06d}{ending}" for k in self.indices(piece) for ending in (".csv", ".graph.csv", ".json")]

    def about(self) -> dict[str, Any]:
        """What the folder holds. Two jobs that agree about ``_SAME`` write the same tasks."""
        settings = json.dumps(dataclasses.asdict(self.mixture), sort_keys=True)
        return {
            "format": FORMAT,
            "foundcause": __version__,
            "mixture": self.mixture.name,
            "weights": dict(self.mixture.weights),
            "settings_sha256": hashlib.sha256(settings.encode()).hexdigest(),
            "seed": self.seed,
            "per_shard": self.per_shard,
            "files_are": "csv" if self.csv else "npz",
        }


def run(job: Job, *, jobs: int = 1, backend: str = "loky", address: str | None = None) -> Iterator[int]:
    """Write what is missing or broken of a job.

    ``jobs``, ``backend`` and ``address`` are those of :func:`foundcause.engines.run`.

    Yields
    ------
    int
        How many tasks were there already, then the number of tasks of each shard as it is done.
    """
    engines.check(backend, jobs, address)
    storage = Storage(str(job.out))
    storage.prepare()
    with _claim(storage, job):
        files = _taken_over(storage, job)
        missing = [piece for piece in job.pieces if not _intact(storage, job, piece, files)]
        _save(storage, job, files)
        yield job.count - sum(len(job.indices(piece)) for piece in missing)
        saved = time.monotonic()
        try:
            results = engines.run(partial(write_piece, job), missing, backend=backend, jobs=jobs, address=address)
            for _, (piece, written) in engines.outputs(results):
                files |= written
                if time.monotonic() - saved > _SAVED:
                    _save(storage, job, files)
                    saved = time.monotonic()
                yield len(job.indices(piece))
        finally:
            _save(storage, job, files)


def write_piece(job: Job, piece: int) -> tuple[int, Files]:
    """Make and write one shard. Return its number and the checksums of its files."""
    storage = Storage(str(job.out))
    tasks = [make_task(job.mixture, job.seed, index) for index in job.indices(piece)]
    if job.csv:
        named = (table_files(f"task-{index:06d}", task) for index, task in zip(job.indices(piece), tasks, strict=True))
        contents = {name: content for files in named for name, content in files.items()}
    else:
        contents = {job.names(piece)[0]: shard_bytes(tasks)}
    for name, content in contents.items():
        storage.write(name, content)
    held = 1 if job.csv else len(tasks)
    return piece, {name: {"tasks": held, **_checksum(content)} for name, content in contents.items()}


class ShardFolder:
    """The tasks of a folder of shards, in the order of their indices.

    Parameters
    ----------
    url : str or Path
        Where they were written.

    Attributes
    ----------
    mixture : str
        Name of the mixture.
    seed : int
        Seed of the tasks.
    indices : list of range
        Task indices of each shard.
    """

    def __init__(self, url: str | Path) -> None:
        self._storage = Storage(str(url))
        try:
            manifests = [json.loads(self._storage.read(name)) for name in self._storage.names() if _is_manifest(name)]
            older = json.loads(self._storage.read("manifest.json") or b"{}")
        except ValueError as error:
            raise InputError(f"a manifest in {url} is broken; run the command that wrote it again") from error
        if not manifests and older.get("format") == "npz":
            manifests = [{**older, "files": {name: {"tasks": older["per_shard"]} for name in older["shards"]}}]
        if not manifests or manifests[0].get("files_are", "npz") != "npz":
            raise InputError(f"{url} holds no shards of tasks; write some with `foundcause simulate --out`")
        if len({tuple(one.get(key) for key in _SAME) for one in manifests}) > 1:
            raise InputError(f"{url} holds shards of different mixtures; write each to a folder of its own")
        self.mixture, self.seed = str(manifests[0]["mixture"]), int(manifests[0]["seed"])
        self._files: Files = dict(sorted((name, file) for one in manifests for name, file in one["files"].items()))
        per_shard = int(manifests[0]["per_shard"])
        firsts = [int(name.removesuffix(".npz").split("-")[1]) * per_shard for name in self._files]
        held = [int(file["tasks"]) for file in self._files.values()]
        if older:
            held[-1] = min(held[-1], int(older["tasks"]) - firsts[-1])
        self.indices = [range(first, first + tasks) for first, tasks in zip(firsts, held, strict=True)]
        self._ends = list(itertools.accumulate(map(len, self.indices)))
        self._loaded: tuple[str, list[Task]] = ("", [])

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[Task]:
        return self.stream()

    def stream(self, *, start: int = 0, stride: int = 1) -> Iterator[Task]:
        """Read every ``stride``-th task from the one at position ``start``, one shard in memory at a time."""
        for position in range(start, len(self), stride):
            yield self[position]

    def __getitem__(self, position: int) -> Task:
        """The task at a position. Its shard stays in memory until another one is asked for."""
        if not 0 <= position < len(self):
            raise IndexError(position)
        shard = bisect.bisect_right(self._ends, position)
        return self._shard(list(self._files)[shard])[position - self._ends[shard] + len(self.indices[shard])]

    def _shard(self, name: str) -> list[Task]:
        if self._loaded[0] != name:
            content, file = self._storage.read(name), self._files[name]
            if "sha256" in file and {**file, **_checksum(content)} != file:
                raise InputError(
                    f"{name} in {self._storage.url} is broken or missing; "
                    "repair it with the same `foundcause simulate` command that wrote it"
                )
            self._loaded = (name, tasks_of_shard(content, name))
        return self._loaded[1]


def _is_manifest(name: str) -> bool:
    return name.startswith("manifest-") and name.endswith(".json")


def _checksum(content: bytes) -> dict[str, Any]:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _intact(storage: Storage, job: Job, piece: int, files: Files) -> bool:
    """Whether all files of a shard are there as they were written."""
    tasks = 1 if job.csv else len(job.indices(piece))
    for name in job.names(piece):
        if name not in files or files[name] != {"tasks": tasks, **_checksum(storage.read(name))}:
            return False
    return True


def _save(storage: Storage, job: Job, files: Files) -> None:
    content = {**job.about(), "files": dict(sorted(files.items()))}
    storage.write(job.manifest, json.dumps(content, indent=1).encode())


def _taken_over(storage: Storage, job: Job) -> Files:
    """Checksums of files in the range of the job from all manifests. Manifests of others lose them."""
    mine = {name for piece in job.pieces for name in job.names(piece)}
    files: Files = {}
    present = storage.names()
    if "manifest.json" in present:
        raise OutputError(
            f"{job.out} holds tasks of an earlier version of foundcause; choose another --out or empty it"
        )
    for name in filter(_is_manifest, present):
        try:
            there = json.loads(storage.read(name))
        except ValueError:  # cut off: its shards are made again
            storage.remove(name)
            continue
        about = job.about()
        if differ := [key for key in _SAME if there.get(key) != about[key]]:
            raise OutputError(
                f"{job.out} holds tasks of another run ({', '.join(differ)} differ); choose another --out or empty it"
            )
        files |= {file: entry for file, entry in there["files"].items() if file in mine}
        left = {file: entry for file, entry in there["files"].items() if file not in mine}
        if name != job.manifest and len(left) < len(there["files"]):
            if left:
                storage.write(name, json.dumps({**there, "files": left}, indent=1).encode())
            else:
                storage.remove(name)
    stems = {f".{name.rsplit('.', 1)[0]}.partial" for name in mine}
    for name in present:
        if ".partial" in name and name[: name.index(".partial") + len(".partial")] in stems:
            storage.remove(name)
    return files


@contextmanager
def _claim(storage: Storage, job: Job) -> Iterator[None]:
    """Keep other runs out of the range of the job while it is written."""
    token = uuid.uuid4().hex
    first, last = job.pieces[0], job.pieces[-1]
    name = f"claim-{first:05d}-{last:05d}-{token[:8]}.json"
    mine = {"first": first, "last": last, "token": token, "host": socket.gethostname(), "process": os.getpid()}

    def renew() -> None:
        storage.write(name, json.dumps({**mine, "renewed": time.time()}).encode())

    renew()
    stop = threading.Event()

    def keep() -> None:
        while not stop.wait(_RENEWED):
            with suppress(OSError, OutputError):
                renew()

    try:
        for other in storage.names():
            if other.startswith("claim-") and other != name:
                _refuse_if_alive(storage, job, other, token)
        threading.Thread(target=keep, daemon=True).start()
        yield
    finally:
        stop.set()
        storage.remove(name)


def _refuse_if_alive(storage: Storage, job: Job, name: str, token: str) -> None:
    """Raise if a claim overlaps with the job and its run is alive. Remove it if the run is gone."""
    try:
        there = json.loads(storage.read(name))
    except ValueError:
        return  # withdrawn meanwhile
    if there["last"] < job.pieces[0] or there["first"] > job.pieces[-1]:
        return
    here = there["host"] == socket.gethostname()
    if (here and not _runs(there["process"])) or time.time() - there["renewed"] > _FORGOTTEN:
        storage.remove(name)
        return
    raise OutputError(
        f"another run writes shards {there['first']} to {there['last']} of {job.out} (process {there['process']} on "
        f"{there['host']}); wait for it, or choose another --start or --out. If it was killed, remove {name} there"
    )


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
