"""Many tasks: as an endless stream, or written to a folder by many processes, resumable after a kill."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from foundcause import __version__
from foundcause.errors import ConfigError, OutputError
from foundcause.simulate.settings import Mixture
from foundcause.simulate.shards import PART, write_csv, write_shard, write_whole
from foundcause.simulate.task import Task
from foundcause.simulate.tasks import make_task

MANIFEST = "manifest.json"


def stream(mixture: Mixture, seed: int, *, start: int = 0, stride: int = 1) -> Iterator[Task]:
    """Tasks ``start``, ``start + stride``, ... without end; workers with one stride share the indices among them."""
    index = start
    while True:
        yield make_task(mixture, seed, index)
        index += stride


@dataclass(frozen=True, kw_only=True)
class Job:
    """A folder of tasks to be written.

    mixture: the distribution.
    seed: the seed of all tasks.
    tasks: how many, with indices from 0.
    out: the folder.
    per_shard: tasks of a shard.
    csv: write single readable tables instead of shards.
    """

    mixture: Mixture
    seed: int
    tasks: int
    out: Path
    per_shard: int = 200
    csv: bool = False

    def __post_init__(self) -> None:
        for name, value, least in (("tasks", self.tasks, 1), ("per_shard", self.per_shard, 1), ("seed", self.seed, 0)):
            if value < least:
                raise ConfigError(f"{name} is {value}; use {least} or more")

    @property
    def pieces(self) -> int:
        """Number of pieces of work: shards, or groups of tables."""
        return -(-self.tasks // self.per_shard)

    def indices(self, piece: int) -> range:
        """Task indices of a piece."""
        return range(piece * self.per_shard, min(self.tasks, (piece + 1) * self.per_shard))

    def shard(self, piece: int) -> Path:
        """The file of a shard."""
        return self.out / f"shard-{piece:05d}.npz"

    def table(self, index: int) -> str:
        """The name of a task's files."""
        return f"task-{index:06d}"

    def done(self, piece: int) -> bool:
        """Whether an earlier run has written the piece."""
        if not self.csv:
            return self.shard(piece).exists()
        return all((self.out / f"{self.table(index)}.json").exists() for index in self.indices(piece))

    def manifest(self) -> dict[str, object]:
        """What the folder holds; two jobs with equal manifests write equal bytes."""
        settings = dataclasses.asdict(self.mixture)
        text = json.dumps(settings, sort_keys=True)
        return {
            "foundcause": __version__,
            "mixture": self.mixture.name,
            "weights": dict(self.mixture.weights),
            "settings_sha256": hashlib.sha256(text.encode()).hexdigest(),
            "seed": self.seed,
            "tasks": self.tasks,
            "per_shard": self.per_shard,
            "format": "csv" if self.csv else "npz",
            "shards": [] if self.csv else [self.shard(piece).name for piece in range(self.pieces)],
        }


def prepare(job: Job) -> list[int]:
    """Make the folder and return the pieces still to be written; refuse a folder that holds another job."""
    path = job.out / MANIFEST
    try:
        job.out.mkdir(parents=True, exist_ok=True)
        if not os.access(job.out, os.W_OK):
            raise PermissionError(13, "permission denied")
        if path.exists():
            _check_same(path, job)
        for leftover in job.out.glob(f"*{PART}"):
            leftover.unlink()
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write to {job.out} ({error.strerror}); choose another --out") from error
    write_whole(path, json.dumps(job.manifest(), indent=1).encode())
    return [piece for piece in range(job.pieces) if not job.done(piece)]


def write_piece(job: Job, piece: int) -> int:
    """Make and write one piece; return its number of tasks."""
    indices = job.indices(piece)
    if job.csv:
        for index in indices:
            if not (job.out / f"{job.table(index)}.json").exists():
                write_csv(job.out, job.table(index), make_task(job.mixture, job.seed, index))
    else:
        write_shard(job.shard(piece), [make_task(job.mixture, job.seed, index) for index in indices])
    return len(indices)


def run(job: Job, *, jobs: int | None = None) -> Iterator[int]:
    """Write what is missing of the job with ``jobs`` processes; yield the number of tasks of each piece as it is done.

    The work goes through joblib: inside ``joblib.parallel_config(backend="dask")`` (or Ray's) a cluster does it.
    """
    from joblib import Parallel, delayed

    pieces = prepare(job)
    yield job.tasks - sum(len(job.indices(piece)) for piece in pieces)
    yield from Parallel(n_jobs=jobs, return_as="generator_unordered")(delayed(write_piece)(job, p) for p in pieces)


def _check_same(path: Path, job: Job) -> None:
    try:
        there = json.loads(path.read_text())
    except ValueError:
        there = {}
    mine = job.manifest()
    other = [key for key in mine if there.get(key) != mine[key] and key != "foundcause"]
    if other:
        raise OutputError(
            f"{job.out} holds tasks of another run ({', '.join(other)} differ); choose another --out or empty it"
        )
