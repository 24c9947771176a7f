"""The training run, top to bottom: prepare, learn until the budget is used, validate and save on the way."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from foundcause.errors import ConfigError
from foundcause.model.architectures import build_network, stored_config
from foundcause.model.checkpoints import describe, save, weights
from foundcause.model.grow import brings_scaling, start_as
from foundcause.simulate.extension import held_out_components
from foundcause.training.batches import collate
from foundcause.training.distributed import Team, team
from foundcause.training.objectives import objective
from foundcause.training.optimizers import Schedule, averaged
from foundcause.training.run_config import TrainConfig
from foundcause.training.run_folder import RunFolder
from foundcause.training.run_log import Logger, StepAverages, TensorBoardLogger
from foundcause.training.setup import check_start, continued, fit_scaling, lineage, model_config, recipe
from foundcause.training.step import Learner
from foundcause.training.step_costs import StepCosts, measure_costs, split_batch
from foundcause.training.task_stream import TaskStream
from foundcause.training.validation import Validation, validation
from foundcause.training.workers import Workers

Say = Callable[[str], None]


def train(
    config: TrainConfig,
    out: Path,
    *,
    resume: bool = False,
    init: Path | None = None,
    say: Say = print,
    loggers: Sequence[Logger] = (),
) -> RunFolder:
    """Train a network.

    Parameters
    ----------
    config : TrainConfig
        Options of the run.
    out : Path
        Folder of the run.
    resume : bool, default=False
        Continue the run in ``out``.
    init : Path, optional
        Checkpoint whose weights a new run starts from.
    say : callable
        Takes lines of text for the terminal.
    loggers : sequence of callables
        Each takes every entry of the log, a dict with the keys ``kind`` and ``step``.

    Returns
    -------
    RunFolder
    """
    check_start(config, resume=resume, init=init)
    if config.threads:
        torch.set_num_threads(config.threads)
    folder = RunFolder(out)
    with team(config.device) as members, ExitStack() as claims:
        if members.leads:
            folder.prepare()
            claims.enter_context(folder.claimed())
            if not resume:
                folder.check_unused()
            folder.loggers = [*loggers, *([TensorBoardLogger(folder.path)] if config.tensorboard else [])]
        try:
            with Workers(config.workers, ahead=config.ahead) as workers:
                run = Run(config, folder, members, workers, say if members.leads else _silent)
                run.prepare(resume=resume, init=init)
                run.learn()
                folder.done = run.finished
        except BaseException:
            folder.leave()
            raise
    if members.leads and run.finished and not run.learned:
        say("the budget of this run was used up before; give it more with --minutes or --steps")
    if members.leads and config.calibration_tasks and run.finished and (run.learned or not folder.model.exists()):
        from foundcause.training.calibrate import calibrate_run

        calibrate_run(folder, passes=config.calibration_passes, say=say)
    return folder


class Run:
    """One run in progress in one process."""

    def __init__(self, config: TrainConfig, folder: RunFolder, members: Team, workers: Workers, say: Say) -> None:
        self.config, self.folder, self.team, self.say = config, folder, members, say
        self.workers = workers
        self.model = model_config(config)
        self.schedule = Schedule(
            peak=config.lr, floor=config.min_lr, warmup_steps=config.warmup_steps,
            decay_share=config.decay_share, flat_share=config.flat_share,
        )  # fmt: skip
        self.network = build_network(self.model, seed=config.seed)
        self.costs: StepCosts | None = None
        self.step = 0
        self.passes = 0  # tasks learned from, over all processes
        self.elapsed = 0.0
        self.processor = {"learning": 0.0, "preparing": 0.0}  # seconds, without validation
        self.best = math.inf
        self.finished = False
        self.learned = False  # whether this call made a step
        self.suites: Validation | None = None
        self._interrupted = False

    def prepare(self, *, resume: bool, init: Path | None) -> None:
        """Set up a new run or the continuation of one: scaling, weights, position in the stream, suites."""
        self.lineage = lineage(self.config, init)
        if not resume:
            start = None if init is None else weights(init)
            if start is None or not brings_scaling(self.network, start[1]):
                fit_scaling(self.network, self.config, self.workers, say=self.say)
            if start is not None:
                start_as(self.network, *start)
        goal = objective(self.config.objective, self.config.loss_weights)
        self.learner = Learner(self.network, goal, self.config, self.team)
        if self.team.world > 1 or self.config.memory_limit:
            self.costs = self.team.broadcast(measure_costs(self.network) if self.team.leads else None)
        self.stream = TaskStream(
            recipe(self.config, self.model), self.config, self.workers, rank=self.team.rank, world=self.team.world,
            work=self.costs.work if self.costs else None,
        )  # fmt: skip
        if resume:
            self._restore(self.folder.read_state())
        if self.team.leads and self._validates:
            seen = self.lineage["trained_on"]
            self.suites = validation(self.config, self.model, self.workers, trained_on=seen, say=self.say)
        if resume and self.team.leads:
            self.best = self._best_so_far()
        if reserved := sorted(set(self.lineage["trained_on"] or ()) & set(held_out_components())):
            self.say(f"note: this run learns from {', '.join(reserved)}, which is kept for validation of transfer")
        if self.team.leads:
            if not resume:
                self.folder.trim_log(-1)  # of a start that was killed before its first checkpoint
            self.folder.write_json(self.folder.config, self.config.as_dict())
            self.folder.append_log(self._start_entry(resume, init))
        self.say(
            f"{'continuing' if resume else 'training'} {self.model.name} "
            f"({self.network.parameter_count:,} parameters) from step {self.step}, task {self.stream.plan.next_index}"
        )

    def learn(self) -> None:
        """Make steps until the budget is used or a signal asks to stop; the last state is always saved."""
        progress = StepAverages(self.config, self.folder, self.say, self.stream, self.workers)
        clock = time.perf_counter() - self.elapsed
        saved = validated = time.perf_counter()
        last_validation = -1
        before = self._listen()
        try:
            if not self.step:
                self.save()  # a run that is killed early can be resumed too
            while not self._done():
                self._one_step(progress)
                self.elapsed = self.team.agree(time.perf_counter() - clock)
                now = clock + self.elapsed
                if progress.due(self.step):
                    progress.report(self.step, self.passes, self.elapsed, self.learner)
                if self._validation_due(now - validated):
                    self._validate()
                    validated, last_validation = time.perf_counter(), self.step
                if now - saved > 60 * self.config.checkpoint_minutes:
                    self.save()
                    saved = clock + self.team.agree(time.perf_counter() - clock)
            self.finished = not self._interrupted
            progress.report(self.step, self.passes, self.elapsed, self.learner)
            if self.finished and self._validates and last_validation != self.step:
                self._validate()
            self.save()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self.team.leads:
            self.folder.append_log({"kind": "end", "step": self.step, "elapsed": self.elapsed, "done": self.finished})
        self.say("done" if self.finished else "interrupted; the state is saved, continue with --resume")

    def save(self) -> None:
        """Write the resumable state and the averaged weights."""
        streams = self.team.gather(self.stream.state())
        if not self.team.leads:
            return
        self.folder.write_state(
            {
                "config": self.config.as_dict(),
                "architecture": self.model.architecture,
                "model": self.model.to_dict(),
                "step": self.step,
                "passes": self.passes,
                "elapsed": self.elapsed,
                "processor": self.processor,
                "lineage": self.lineage,
                "streams": streams,
                "learner": self.learner.state(),
            }
        )
        self._save_weights(self.folder.last, {})

    @property
    def _validates(self) -> bool:
        return bool(self.config.validate_minutes or self.config.validate_steps)

    def _validation_due(self, seconds: float) -> bool:
        """Whether to validate after this step, ``seconds`` after the last time."""
        if self.config.validate_steps:
            return self.step % self.config.validate_steps == 0
        return self._validates and seconds > 60 * self.config.validate_minutes

    def _one_step(self, progress: StepAverages) -> None:
        processor, prepared = time.process_time(), self.stream.seconds.sum()
        gathered = self.stream.next(self.step)
        started = time.perf_counter()
        items = gathered.items
        shapes = [(len(item.values), item.variables) for item in items]
        split = split_batch(shapes, self.costs, self.config.memory_limit)
        ordered = [items[k] for part in split.parts for k in part]
        report = self.learner.step(
            [self._collated([items[k] for k in part]) for part in split.parts],
            number=self.step,
            rate=self.schedule.rate(self.step, self._progress()),
            tasks=[item.index for item in ordered],
            weight=gathered.weight,
            split=split,
        )
        assembled = time.perf_counter() - started - report.forward - report.backward
        self.stream.reservoir.offer(gathered.bucket, ordered, report.difficulty)
        tasks = int(self.team.total(torch.tensor([float(len(items))])).item())
        self.passes += tasks
        self.step += 1
        self.learned = True
        preparing = float(self.stream.seconds.sum() - prepared)
        self.processor["preparing"] += preparing
        self.processor["learning"] += time.process_time() - processor - (0 if self.config.workers else preparing)
        progress.note(report, gathered, assembled, tasks)

    def _collated(self, items: Sequence[Any]) -> Any:
        return collate(items, seed=self.config.seed, step=self.step, permute=self.config.permute)

    def _progress(self) -> float:
        if self.config.steps is not None:
            return self.step / self.config.steps
        assert self.config.minutes is not None
        return self.elapsed / (60 * self.config.minutes)

    def _done(self) -> bool:
        stop = self.team.total(torch.tensor([float(self._interrupted)])).item() > 0
        self._interrupted = stop
        return stop or self._progress() >= 1

    def _validate(self) -> None:
        if self.suites is None:
            return
        with averaged(self.learner.optimizer, self.network):
            result = self.suites.evaluate(self.network)
        self.folder.append_log(
            {
                "kind": "validation",
                "step": self.step,
                "passes": self.passes,
                "elapsed": self.elapsed,
                "processor": {name: round(seconds, 3) for name, seconds in self.processor.items()},
                **result.as_dict(),
            }
        )
        self.say(result.line())
        judged = {"validation": result.as_dict(), "judged_by": self._judges()}
        if self.config.keep_validated:
            self._save_weights(self.folder.validated(self.step), judged)
        if result.badness(self.config.best_by) < self.best:
            self.best = result.badness(self.config.best_by)
            self._save_weights(self.folder.best, judged)

    def _judges(self) -> dict[str, int]:
        """Number of tasks of each suite: losses compare only on the same ones."""
        return {} if self.suites is None else {name: len(items) for name, items in self.suites.suites.items()}

    def _best_so_far(self) -> float:
        """How bad the best checkpoint in the folder is, if the suites of today judged it."""
        if not self.folder.best.exists():
            return math.inf
        best = describe(self.folder.best)["metadata"]
        if best.get("judged_by") != self._judges():
            return math.inf
        result = best["validation"]
        return result["loss"] if self.config.best_by == "loss" else 1.0 - result["mean"][self.config.best_by]

    def _save_weights(self, target: Path, extra: dict[str, Any]) -> None:
        metadata = {
            "training": self.config.as_dict(),
            "step": self.step,
            "passes": self.passes,
            "elapsed_minutes": self.elapsed / 60,
            "processor_seconds": dict(self.processor),
            **self.lineage,
            **extra,
        }
        with averaged(self.learner.optimizer, self.network):
            self.folder.write(target, lambda path: save(path, self.network, metadata=metadata))

    def _restore(self, state: dict[str, Any]) -> None:
        begun = stored_config(state["model"], state.get("architecture")).to_dict()
        if differing := [key for key, value in self.model.to_dict().items() if begun.get(key) != value]:
            raise ConfigError(
                f"{self.folder.path} holds a run of model {begun['name']!r} that differs from today's in "
                f"{', '.join(differing[:5])}; resume it with the version of foundcause that began it, or go on "
                f"from its weights in another folder with --init {self.folder.last}"
            )
        self.step, self.passes, self.elapsed = state["step"], state["passes"], state["elapsed"]
        self.processor = state.get("processor", self.processor)
        self.lineage = continued(state.get("lineage"), self.lineage)
        self.learner.restore(state["learner"])
        self.stream.restore(state["streams"])
        if self.team.leads:
            self.folder.trim_log(self.step)

    def _start_entry(self, resume: bool, init: Path | None) -> dict[str, Any]:
        return {
            "kind": "start",
            "step": self.step,
            "resumed": resume,
            "init": str(init) if init else None,
            "config": self.config.as_dict(),
            "model": self.model.to_dict(),
            "parameters": self.network.parameter_count,
            "ranks": self.team.world,
        }

    def _listen(self) -> dict[int, Any]:
        """Turn the first interrupt or termination signal into a clean stop after the current step."""

        def stop(_number: int, _frame: FrameType | None) -> None:
            if self._interrupted:
                raise KeyboardInterrupt
            self._interrupted = True

        before: dict[int, Any] = {}
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                before[number] = signal.signal(number, stop)
            except ValueError:  # not the main thread
                break
        return before


def _silent(_text: str) -> None:
    return None
