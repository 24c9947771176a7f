"""Every option of a training run, with its default and meaning; read from TOML, written with the run."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib import resources
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from foundcause.errors import ConfigError
from foundcause.training.run_folder import RunFolder

OBJECTIVES = ("shipped", "paper")
OPTIMIZERS = ("schedule-free", "adamw", "muon")
JUDGES = ("loss", "skeleton_f1")
RESERVED_SEEDS = {
    "scaling": 2_000_000_011,
    "validation": 2_000_000_033,
    "calibration": 2_000_000_087,
    "benchmark": 2_000_000_141,  # of foundcause.bench.datasets.dowhy, which this package must not import
}

_BY_THE_OBJECTIVE: Any = None
# What the two objectives were made for; an option left at None takes its value from here.
_BY_OBJECTIVE: dict[str, dict[str, float]] = {
    "shipped": {"lr": 2e-3, "min_lr": 1e-5, "beta2": 0.99, "weight_decay": 1e-2, "replay": 0.0, "thinning": 1.0,
                "reuse": 1, "batch_smallest": 2, "batch_largest": 64, "batch_reference": 110.0},
    "paper": {"lr": 4e-4, "min_lr": 1e-5, "beta2": 0.99, "weight_decay": 1e-4, "replay": 0.05, "thinning": 0.0,
              "reuse": 2, "batch_smallest": 4, "batch_largest": 32, "batch_reference": 0.0},
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Options of a run. Those without a default here (``lr``, ``replay``, ...) follow the objective unless given.

    preset: model preset, ``SMALL``, ``TINY``, ``BASE`` or ``PAPER_SMALL``.
    model: fields of the model configuration that replace those of the preset.
    mixture: task distribution, ``SHIPPED`` or ``PAPER``.
    shares: shares of components that replace those of the mixture (a table in TOML); any positive sum.
    only: components of the mixture that are trained on; empty for all.
    without: components or worlds of the mixture that are left out of training (and stay in validation).
    objective: ``shipped`` (factored likelihood) or ``paper`` (ten terms).
    loss_weights: weights of the objective that replace its defaults.
    seed: seed of the initial weights, the tasks and every draw of the run.
    minutes: wall time after which the run ends, over all resumes; validation and saving count, the
        preparation before the first step and the calibration after the last do not.
    steps: number of optimizer steps after which the run ends; exactly one of ``minutes`` and ``steps`` is given.
    optimizer: ``adamw`` or ``muon`` (both with an exponential average of the weights), or ``schedule-free``.
    lr: peak learning rate.
    min_lr: learning rate at the end of the cosine envelope.
    warmup_steps: steps of linear warm-up.
    flat_share: share of the budget at the peak rate before the cosine decay starts.
    decay_share: share of the budget after which ``min_lr`` is reached; 0 keeps the rate constant.
    beta1, beta2: momentum parameters.
    weight_decay: decay of weight matrices (never of biases, gains and scalars).
    clip: largest global norm of the gradient.
    ema_decay: decay of the exponential average of the weights (not of ``schedule-free``).
    batch_budget: sum of D squared over the tasks of a batch, about constant.
    batch_smallest, batch_largest: bounds of the number of tasks in a batch.
    batch_reference: a batch weighs its number of tasks (with ``thinning``, the sum of their weights) over this one, so
        that a task counts the same whatever its size (batches of small tasks hold many); 0 weighs all batches the
        same, which forgets pairs.
    bucket_ratio: ratio of the largest to the smallest D that share a batch.
    thinning: exponent e by which large tasks are thinned out: one of D variables is drawn (2 / D) ** e as often as the
        mixture says and weighs the inverse, which is the same objective with less noise for the time; 0 keeps all.
    reuse: how often each task is used.
    views: row subsamples of a task with statistics of their own; uses beyond them take turns among these.
    reuse_delay: tasks that pass between two uses of one task.
    permute: shuffle the columns of a task at each use.
    feature_dropout: rate at which direction and collider features are hidden, per graph and feature; ``None`` keeps
        that of the preset.
    replay: share of the slots of a batch that go to hard tasks seen before.
    replay_reservoir: hard tasks kept per size bucket.
    workers: simulating processes; 0 simulates in the training process.
    threads: torch threads of the training process; 0 leaves torch's choice.
    task_folder: where prepared tasks are kept, so that runs with the same tasks and features share them (about half a
        megabyte each); ``None`` prepares anew.
    ahead: tasks prepared or under way beyond the one needed next.
    scaling_tasks: tasks from which feature means and deviations are estimated before the first step.
    checkpoint_minutes: time between two checkpoints, which is also the most that a crash can lose.
    validate_minutes: time between two validations, with one more at the end; 0 never validates, so that the last
        checkpoint is the one that is calibrated.
    validate_steps: steps between two validations, in place of ``validate_minutes``; 0 goes by the time.
    keep_validated: keep the averaged weights of every validation, as ``step-N.safetensors``.
    best_by: what makes a checkpoint the best, the lowest ``loss`` or the highest ``skeleton_f1`` (the paper's way).
    validation_tasks: tasks of each validation family (of pairs and excerpts, four times as many).
    validation_families: families that are validated; empty for all.
    calibration_tasks: tasks on which calibration is fitted at the end; 0 leaves it out.
    log_every: steps between two lines of the log.
    nonfinite_limit: consecutive steps with a non-finite loss or gradient after which the run stops.
    device: ``cpu``, ``cuda`` or ``auto``.
    compile: pass the network through ``torch.compile``.
    tensorboard: also write TensorBoard events.
    """

    preset: str = "SMALL"
    model: Mapping[str, Any] = field(default_factory=dict)
    mixture: str = "SHIPPED"
    shares: Mapping[str, float] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    objective: str = "shipped"
    loss_weights: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    minutes: float | None = None
    steps: int | None = None
    optimizer: str = "adamw"
    lr: float = _BY_THE_OBJECTIVE
    min_lr: float = _BY_THE_OBJECTIVE
    warmup_steps: int = 200
    flat_share: float = 0.0
    decay_share: float = 1.0
    beta1: float = 0.9
    beta2: float = _BY_THE_OBJECTIVE
    weight_decay: float = _BY_THE_OBJECTIVE
    clip: float = 1.0
    ema_decay: float = 0.998
    batch_budget: float = 8000.0
    batch_smallest: int = _BY_THE_OBJECTIVE
    batch_largest: int = _BY_THE_OBJECTIVE
    batch_reference: float = _BY_THE_OBJECTIVE
    bucket_ratio: float = 1.35
    thinning: float = _BY_THE_OBJECTIVE
    reuse: int = _BY_THE_OBJECTIVE
    views: int = 1
    reuse_delay: int = 64
    permute: bool = True
    feature_dropout: float | None = None
    replay: float = _BY_THE_OBJECTIVE
    replay_reservoir: int = 32
    workers: int = 1
    threads: int = 1
    task_folder: str | None = None
    ahead: int = 192
    scaling_tasks: int = 256
    checkpoint_minutes: float = 3.0
    validate_minutes: float = 10.0
    validate_steps: int = 0
    keep_validated: bool = False
    best_by: str = "loss"
    validation_tasks: int = 40
    validation_families: tuple[str, ...] = ()
    calibration_tasks: int = 600
    log_every: int = 20
    nonfinite_limit: int = 25
    device: str = "cpu"
    compile: bool = False
    tensorboard: bool = False

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if not (value is None and option.default is None):
                _check_kind(option.name, str(option.type).removesuffix(" | None"), value)
        object.__setattr__(self, "model", dict(self.model))
        object.__setattr__(self, "loss_weights", dict(self.loss_weights))
        object.__setattr__(self, "shares", dict(self.shares))
        for name in ("only", "without", "validation_families"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.objective not in OBJECTIVES:
            raise ConfigError(f"unknown objective {self.objective!r}; choose one of {', '.join(OBJECTIVES)}")
        if self.optimizer not in OPTIMIZERS:
            raise ConfigError(f"unknown optimizer {self.optimizer!r}; choose one of {', '.join(OPTIMIZERS)}")
        if self.best_by not in JUDGES:
            raise ConfigError(f"unknown best_by {self.best_by!r}; choose one of {', '.join(JUDGES)}")
        if (self.minutes is None) == (self.steps is None):
            raise ConfigError("give the budget of the run as either minutes or steps (--minutes 150 or --steps 10000)")
        if self.seed in RESERVED_SEEDS.values() or self.seed < 0:
            raise ConfigError(f"seed {self.seed} is negative or reserved for validation; choose another one")
        for name, value in _BY_OBJECTIVE[self.objective].items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        self._check_numbers()

    def _check_numbers(self) -> None:
        positive = (
            "minutes",
            "steps",
            "lr",
            "clip",
            "batch_budget",
            "batch_smallest",
            "reuse",
            "views",
            "ahead",
            "log_every",
            "scaling_tasks",
            "checkpoint_minutes",
            "nonfinite_limit",
            "validation_tasks",
        )
        for name in positive:
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ConfigError(f"option {name} is {value}; it must be positive")
        shares = ("beta1", "beta2", "ema_decay", "replay", "flat_share")
        for name in shares:
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"option {name} is {getattr(self, name)}; it must be at least 0 and below 1")
        not_negative = ("workers", "threads", "weight_decay", "warmup_steps", "validate_minutes", "validate_steps",
                        "decay_share", "reuse_delay", "replay_reservoir", "batch_reference", "calibration_tasks",
                        "thinning")  # fmt: skip
        for name in not_negative:
            if getattr(self, name) < 0:
                raise ConfigError(f"option {name} is {getattr(self, name)}; it must not be negative")
        if self.batch_largest < self.batch_smallest:
            raise ConfigError(f"batch_largest {self.batch_largest} is below batch_smallest {self.batch_smallest}")
        if self.views > self.reuse:
            raise ConfigError(f"views {self.views} exceed the {self.reuse} uses of a task; raise reuse or lower views")
        if self.bucket_ratio < 1:
            raise ConfigError(f"bucket_ratio is {self.bucket_ratio}; it must be at least 1")

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def train_config(options: Mapping[str, Any]) -> TrainConfig:
    """A configuration from plain options; unknown names and wrong kinds of values are refused by name."""
    known = {f.name: f for f in fields(TrainConfig)}
    lists = {name for name, option in known.items() if str(option.type).startswith("tuple")}
    options = {k: (v,) if k in lists and isinstance(v, str) else v for k, v in options.items()}  # one name is a list
    if isinstance(options.get("mixture"), Mapping):
        raise ConfigError("the mixture is a name, SHIPPED or PAPER; give shares of your own as the table shares")
    for name in options:
        if name not in known:
            raise ConfigError(f"unknown training option {name!r}; known: {', '.join(sorted(known))}")
    return TrainConfig(**options)


def _check_kind(name: str, kind: str, value: Any) -> None:
    """Refuse a value that is not of the kind of its field, NaN and infinity among the numbers."""
    if kind.startswith("Mapping"):
        if not isinstance(value, Mapping):
            raise ConfigError(f"option {name} is {value!r}; it must be a table of names and values")
        for key, number in value.items() if kind.endswith("float]") else ():
            _check_kind(f"{name}.{key}", "float", number)
        return
    right, words = {
        "bool": (isinstance(value, bool), "true or false"),
        "int": (isinstance(value, Integral) and not isinstance(value, bool), "a whole number"),
        "float": (isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value), "a finite number"),
        "str": (isinstance(value, str), "text"),
        "tuple[str, ...]": (
            isinstance(value, list | tuple) and all(isinstance(item, str) for item in value),
            "a list of names",
        ),
    }[kind]
    if not right:
        raise ConfigError(f"option {name} is {value!r}; it must be {words}")


def read_toml(path: Path) -> dict[str, Any]:
    """The options in a TOML file: top-level keys are options; model, loss_weights and shares are tables."""
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"cannot read the training configuration {path}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def recipes() -> list[str]:
    """Names of the recipes that come with the package."""
    folder = resources.files(__package__) / "recipes"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def read_recipe(name: str) -> dict[str, Any]:
    """The options of a recipe: preset, mixture, objective, optimizer, schedule and budget of one kind of run."""
    if name not in recipes():
        raise ConfigError(f"unknown recipe {name!r}; choose one of {', '.join(recipes())}, or give a file to --config")
    return tomllib.loads((resources.files(__package__) / "recipes" / f"{name}.toml").read_text())


MAY_CHANGE = frozenset(
    ("minutes", "steps", "workers", "threads", "ahead", "checkpoint_minutes", "validate_minutes", "validate_steps",
     "keep_validated", "validation_tasks", "validation_families", "calibration_tasks", "log_every", "nonfinite_limit",
     "device", "compile", "tensorboard", "lr", "min_lr")
)  # fmt: skip


_MEANT_BEFORE = {"thinning": 0.0}  # of runs from before an option, where its default would make another run of them


def resumed(out: Path, given: Mapping[str, Any]) -> TrainConfig:
    """The options of the run in ``out`` with those given now; what would make it another run is refused."""
    before = _MEANT_BEFORE | RunFolder(out).read_config()
    usual = TrainConfig(steps=1).as_dict()  # an older run does not name options that came later
    for name, value in given.items():
        if name in MAY_CHANGE or name not in usual:
            continue
        started = before.get(name, usual[name])
        if _plain(value) != _plain(started):
            raise ConfigError(
                f"the run in {out} was started with {name} = {started!r}, not {value!r}; "
                f"leave it out to resume, or choose another --out"
            )
    options = before | dict(given)
    if "minutes" in given and "steps" in given:
        raise ConfigError("give the budget of the run as either minutes or steps, not as both")
    if "minutes" in given:
        options["steps"] = None
    elif "steps" in given:
        options["minutes"] = None
    return train_config(options)


def _plain(value: Any) -> Any:
    """Values as they are compared: one name is a list of one, letter case does not matter."""
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if isinstance(value, tuple):
        return list(value)
    return value.upper() if isinstance(value, str) else value
