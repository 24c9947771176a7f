"""The run folder: configuration, resumable state, log. Every file is written whole to a new name, then renamed.

config.json         the options of the run
state.pt            everything a resumed run needs (read with ``weights_only``, never unpickled freely)
last.safetensors    averaged weights at the last checkpoint
best.safetensors    averaged weights of the best validation
step-N.safetensors  averaged weights of the validation after step N, where they are kept
model.safetensors   the best weights with their calibration, written at the end
log.jsonl           one JSON object per line: ``kind`` is start, step, validation, calibration or end
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch

from foundcause.errors import CheckpointError, OutputError

STATE_VERSION = 1


class RunFolder:
    """Reads and writes the files of one run; failures say what is still safe."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.config = self.path / "config.json"
        self.state = self.path / "state.pt"
        self.log = self.path / "log.jsonl"
        self.last = self.path / "last.safetensors"
        self.best = self.path / "best.safetensors"
        self.model = self.path / "model.safetensors"
        self._made: list[Path] = []
        self.done: bool | None = None  # set where a run has just ended: of several processes one writes the log
        self.loggers: list[Callable[[dict[str, Any]], object]] = []  # each takes every entry of the log

    def validated(self, step: int) -> Path:
        """Where the weights of the validation after this step are kept."""
        return self.path / f"step-{step}.safetensors"

    def prepare(self) -> None:
        """Create the folder and prove that it can be written to."""
        try:
            self._made = [place for place in (self.path, *self.path.parents) if not place.exists()]
            self.path.mkdir(parents=True, exist_ok=True)
            probe = self.path / f".probe-{os.getpid()}"
            probe.write_text("")
            probe.unlink()
        except OSError as error:
            raise OutputError(
                f"the run folder {self.path} cannot be written to ({error.strerror or error}); choose another --out"
            ) from None

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Hold the folder while a run learns in it: two at once would write over each other."""
        descriptor = _lock(self.path)
        try:
            yield
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def check_unused(self) -> None:
        """Refuse a folder that holds a run, or an average of runs: nothing of it may be lost."""
        if self.state.exists():
            raise OutputError(f"{self.path} already holds a run; continue it with --resume or choose another --out")
        if self.best.exists() or self.model.exists():
            raise OutputError(f"{self.path} already holds a checkpoint; choose another --out{self._hint()}")

    def _hint(self) -> str:
        return f", and --init {self.best} to go on from it" if self.best.exists() else ""

    def leave(self) -> None:
        """Remove the folders that ``prepare`` made if nothing was written: a refused start leaves no trace."""
        with suppress(OSError):  # one of them holds something
            for place in self._made:
                place.rmdir()

    def finished(self) -> bool:
        """Whether the run has used its budget, and was not interrupted before; by the log, unless the run said so."""
        if self.done is not None:
            return self.done
        ends = [entry["done"] for entry in self.read_log() if entry.get("kind") == "end"]
        return bool(ends and ends[-1])

    def write(self, target: Path, writer: Callable[[Path], object]) -> None:
        """Let ``writer`` fill a temporary file, then put it in place of ``target`` at once."""
        temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            writer(temporary)
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except (OSError, RuntimeError) as error:  # torch reports a full disk as RuntimeError
            temporary.unlink(missing_ok=True)
            kept = f"the previous {target.name} is untouched" if target.exists() else "nothing was written"
            raise OutputError(f"cannot write {target}: {error}; {kept}; free some space and use --resume") from error

    def write_json(self, target: Path, content: Any) -> None:
        """Write JSON, indented."""
        self.write(target, lambda path: _write_text(path, json.dumps(content, indent=1) + "\n"))

    def write_state(self, state: dict[str, Any]) -> None:
        """Write the resumable state."""
        self.write(self.state, lambda path: torch.save(state | {"version": STATE_VERSION}, path))

    def read_state(self) -> dict[str, Any]:
        """The resumable state; a damaged or foreign file is refused."""
        try:
            state = torch.load(self.state, map_location="cpu", weights_only=True)
        except FileNotFoundError:
            hint = self._hint()
            remedy = f"choose another --out without --resume{hint}" if hint else "start without --resume"
            raise CheckpointError(f"{self.path} holds no state.pt to resume from; {remedy}") from None
        except (OSError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
            raise CheckpointError(f"{self.state} is damaged or not a training state: {error}") from None
        if not isinstance(state, dict) or state.get("version") != STATE_VERSION:
            raise CheckpointError(f"{self.state} is not a training state of this version ({STATE_VERSION})")
        learner = state["learner"]
        if "optimiser" in learner:  # the key of runs that began before the American spelling
            learner["optimizer"] = learner.pop("optimiser")
        return state

    def read_config(self) -> dict[str, Any]:
        """The options the run was started with."""
        try:
            options = json.loads(self.config.read_text())
        except (FileNotFoundError, NotADirectoryError):
            what = "a file, not a run folder" if self.path.is_file() else "not a run folder: it has no config.json"
            raise CheckpointError(f"{self.path} is {what}; name the folder that `train --out` wrote") from None
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{self.config} cannot be read or is damaged: {error}") from None
        if not isinstance(options, dict):
            raise CheckpointError(f"{self.config} does not hold the options of a run")
        return options

    def append_log(self, entry: dict[str, Any]) -> None:
        """One more line of the log."""
        try:
            with open(self.log, "a") as file:
                file.write(json.dumps(entry) + "\n")
        except OSError as error:
            raise OutputError(f"cannot write {self.log}: {error}; the last checkpoint is safe, use --resume") from None
        for logger in self.loggers:
            logger(entry)

    def read_log(self) -> list[dict[str, Any]]:
        """All complete lines of the log; a line cut short by a crash is left out."""
        entries = []
        for line in self.log.read_text().splitlines() if self.log.exists() else []:
            try:
                entries.append(json.loads(line))
            except json.JSONDecodeError:
                continue
        return entries

    def trim_log(self, step: int) -> None:
        """Forget log lines after ``step``: a resumed run will write them again."""
        kept = [entry for entry in self.read_log() if entry.get("step", 0) <= step]
        self.write(self.log, lambda path: _write_text(path, "".join(json.dumps(entry) + "\n" for entry in kept)))


def _lock(folder: Path) -> int | None:
    """A lock on the folder that ends with this process at the latest; None where the system has no such locks."""
    try:
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):  # Windows
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise OutputError(f"another process is training in {folder}; wait for it, or choose another --out") from None
    except OSError:  # a file system without locks
        os.close(descriptor)
        return None
    return descriptor


def _write_text(path: Path, text: str) -> None:
    path.write_text(text)
