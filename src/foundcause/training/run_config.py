"""Every option of a training run, with its default and meaning, and which of them a resumed run may change."""

from __future__ import annotations

import hashlib
import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from importlib import resources
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from foundcause.errors import ConfigError

OBJECTIVES = ("shipped", "paper")
OPTIMIZERS = ("schedule-free", "adamw", "muon")
JUDGES = ("loss", "skeleton_f1")
RESERVED_SEEDS = {
    "scaling": 2_000_000_011,
    "validation": 2_000_000_033,
    "calibration": 2_000_000_087,
    "benchmark": 2_000_000_141,  # of foundcause.bench.datasets.dowhy, which this package must not import
}
MAY_CHANGE = frozenset(
    ("minutes", "steps", "workers", "threads", "ahead", "checkpoint_minutes", "validate_minutes", "validate_steps",
     "keep_validated", "validation_tasks", "validation_suites", "calibration_tasks", "calibration_passes", "log_every",
     "nonfinite_limit", "device", "memory", "shards", "tensorboard", "lr", "min_lr")
)  # fmt: skip

_BY_THE_OBJECTIVE: Any = None
# What the two objectives were made for; an option left at None takes its value from here.
_BY_OBJECTIVE: dict[str, dict[str, float]] = {
    "shipped": {"lr": 2e-3, "min_lr": 1e-5, "beta2": 0.99, "weight_decay": 1e-2, "replay": 0.0, "thinning": 1.0,
                "batch_smallest": 2, "batch_largest": 64, "batch_reference": 110.0},
    "paper": {"lr": 4e-4, "min_lr": 1e-5, "beta2": 0.99, "weight_decay": 1e-4, "replay": 0.05, "thinning": 0.0,
              "batch_smallest": 4, "batch_largest": 32, "batch_reference": 0.0},
}  # fmt: skip
_OLD_NAMES = {"validation_families": "validation_suites"}
# Options that are gone, and the values with which a run or a checkpoint can still be read.
_GONE: dict[str, tuple[Any, ...]] = {
    "reuse": (1,), "views": (1,), "reuse_delay": (), "task_folder": (), "compile": (), "ema": (),
}  # fmt: skip
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "KI": 2**10, "MI": 2**20, "GI": 2**30}
_BEFORE = {"thinning": 0.0}  # what runs meant that began before the option existed


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Options of a run. Those without a default here (``lr``, ``replay``, ...) follow the objective unless given.

    recipe: name and digest of the recipe that the options come from, if any.
    preset: model preset, ``SMALL``, ``TINY``, ``BASE`` or ``PAPER_SMALL``.
    model: fields of the model configuration that replace those of the preset.
    mixture: task distribution, ``SHIPPED`` or ``PAPER``.
    shares: shares of components that replace those of the mixture (a table in TOML); any positive sum.
    only: components of the mixture that are trained on; empty for all.
    without: components of the mixture that are left out of training (and stay in validation).
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
    batch_budget: sum of D squared over the tasks of a batch, about constant; a batch is that of all processes.
    batch_smallest, batch_largest: bounds of the number of tasks in a batch.
    batch_reference: a batch weighs its number of tasks (with ``thinning``, the sum of their weights) over this one, so
        that a task counts the same whatever its size; 0 weighs all batches the same, which neglects pairs.
    bucket_ratio: ratio of the largest to the smallest D that share a batch.
    thinning: exponent e by which large tasks are thinned out: one of D variables is drawn (2 / D) ** e as often as the
        mixture says and weighs the inverse. The objective stays the same, with less noise for the time; 0 keeps all.
    permute: shuffle the columns of a task at each use.
    feature_dropout: rate at which direction and collider features are hidden, per graph and feature; ``None`` keeps
        that of the preset.
    replay: share of the slots of a batch that go to hard tasks seen before.
    replay_reservoir: hard tasks kept per size bucket.
    shards: folder of tasks that ``foundcause simulate`` wrote for the mixture and the seed of the run; they are read
        instead of simulated, and what the folder lacks is simulated.
    workers: simulating processes; 0 simulates in the training process.
    threads: torch threads of the training process; 0 leaves torch's choice.
    ahead: tasks prepared or under way beyond the one needed next.
    scaling_tasks: tasks from which feature means and deviations are estimated before the first step.
    checkpoint_minutes: time between two checkpoints, which is also the most that a crash can lose.
    validate_minutes: time between two validations, with one more at the end; 0 never validates, so that the last
        checkpoint is the one that is calibrated.
    validate_steps: steps between two validations, in place of ``validate_minutes``; 0 goes by the time.
    keep_validated: keep the averaged weights of every validation, as ``step-N.safetensors``.
    best_by: what makes a checkpoint the best, the lowest ``loss`` or the highest ``skeleton_f1`` (the paper's way).
    validation_tasks: tasks of each validation suite (of pairs and excerpts, four times as many).
    validation_suites: suites that are validated; empty for all.
    calibration_tasks: tasks on which calibration is fitted at the end; 0 leaves it out.
    calibration_passes: passes averaged for each of them; 10 is what ``discover`` averages, 1 is quick.
    log_every: steps between two lines of the log.
    nonfinite_limit: consecutive steps with a non-finite loss or gradient after which the run stops.
    device: ``cpu``, ``cuda`` or ``auto``.
    memory: limit of a step's memory, such as ``40G``: batches are split and parts of the network recomputed to stay
        within it; empty for none.
    tensorboard: also write TensorBoard events.
    """

    recipe: str = ""
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
    permute: bool = True
    feature_dropout: float | None = None
    replay: float = _BY_THE_OBJECTIVE
    replay_reservoir: int = 32
    shards: str = ""
    workers: int = 1
    threads: int = 1
    ahead: int = 192
    scaling_tasks: int = 256
    checkpoint_minutes: float = 3.0
    validate_minutes: float = 10.0
    validate_steps: int = 0
    keep_validated: bool = False
    best_by: str = "loss"
    validation_tasks: int = 40
    validation_suites: tuple[str, ...] = ()
    calibration_tasks: int = 600
    calibration_passes: int = 1
    log_every: int = 20
    nonfinite_limit: int = 25
    device: str = "cpu"
    memory: str = ""
    tensorboard: bool = False

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if not (value is None and option.default is None):
                _check_kind(option.name, str(option.type).removesuffix(" | None"), value)
        object.__setattr__(self, "model", dict(self.model))
        object.__setattr__(self, "loss_weights", dict(self.loss_weights))
        object.__setattr__(self, "shares", dict(self.shares))
        for name in ("only", "without", "validation_suites"):
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
            "ahead",
            "log_every",
            "scaling_tasks",
            "checkpoint_minutes",
            "nonfinite_limit",
            "validation_tasks",
            "calibration_passes",
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
                        "decay_share", "replay_reservoir", "batch_reference", "calibration_tasks",
                        "thinning")  # fmt: skip
        for name in not_negative:
            if getattr(self, name) < 0:
                raise ConfigError(f"option {name} is {getattr(self, name)}; it must not be negative")
        if self.batch_largest < self.batch_smallest:
            raise ConfigError(f"batch_largest {self.batch_largest} is below batch_smallest {self.batch_smallest}")
        if self.bucket_ratio < 1:
            raise ConfigError(f"bucket_ratio is {self.bucket_ratio}; it must be at least 1")
        if self.memory:
            parse_bytes(self.memory)

    @property
    def memory_limit(self) -> float | None:
        """Bytes that a step may take, None without a limit."""
        return parse_bytes(self.memory) if self.memory else None

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def train_config(options: Mapping[str, Any]) -> TrainConfig:
    """Check plain options and make a configuration of them; unknown names and wrong kinds of values are refused."""
    known = {f.name: f for f in fields(TrainConfig)}
    lists = {name for name, option in known.items() if str(option.type).startswith("tuple")}
    options = {k: (v,) if k in lists and isinstance(v, str) else v for k, v in options.items()}  # one name is a list
    if isinstance(options.get("mixture"), Mapping):
        raise ConfigError("the mixture is a name, SHIPPED or PAPER; give shares of your own as the table shares")
    for name in options:
        if name not in known:
            raise ConfigError(f"unknown training option {name!r}; known: {', '.join(sorted(known))}")
    return TrainConfig(**options)


def stored_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the options of an older run or checkpoint to the names of today; options that are gone are left out."""
    renamed = {_OLD_NAMES.get(name, name): value for name, value in options.items()}
    return {**_BEFORE, **{name: value for name, value in renamed.items() if name not in _GONE}}


def resumed(before: Mapping[str, Any], given: Mapping[str, Any]) -> TrainConfig:
    """Join the stored options of a run with those given now.

    Parameters
    ----------
    before : mapping
        What the run's folder says.
    given : mapping
        Options of this start; what would make it another run is refused.

    Returns
    -------
    TrainConfig
    """
    for name, allowed in _GONE.items():
        if allowed and before.get(name, allowed[0]) not in allowed:
            raise ConfigError(
                f"the run was started with {name} = {before[name]!r}, which is no longer an option; "
                "resume it with the version of foundcause that began it"
            )
    before = stored_options(before)
    usual = TrainConfig(steps=1).as_dict()  # an older run does not name options that came later
    for name, value in given.items():
        if name in MAY_CHANGE or name not in usual:
            continue
        started = before.get(name, usual[name])
        if _plain(value) != _plain(started):
            raise ConfigError(
                f"the run was started with {name} = {started!r}, not {value!r}; "
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


def read_toml(path: Path) -> dict[str, Any]:
    """Read the options in a TOML file: top-level keys are options; model, loss_weights and shares are tables."""
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"cannot read the training configuration {path}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def recipes() -> list[str]:
    """List the names of the recipes that come with the package."""
    folder = resources.files(__package__) / "recipes"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def read_recipe(name: str) -> dict[str, Any]:
    """Read the options of a recipe: preset, mixture, objective, optimizer, schedule and budget of one kind of run.

    Its name and the digest of its file are among them, and from there get into the header of the weights.
    """
    if name not in recipes():
        raise ConfigError(f"unknown recipe {name!r}; choose one of {', '.join(recipes())}, or give a file to --config")
    content = (resources.files(__package__) / "recipes" / f"{name}.toml").read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:12]
    return {"recipe": f"{name} {digest}", **tomllib.loads(content.decode())}


def parse_bytes(text: str) -> float:
    """Read a number of bytes such as ``40G``, ``512M`` or ``16GiB``."""
    number = text.strip().upper().removesuffix("B")
    digits = number.rstrip("KMGI")
    try:
        amount = float(digits) * _UNITS[number[len(digits) :]]
    except (ValueError, KeyError):
        raise ConfigError(f"memory {text!r} is not a size; give one such as 40G or 512M") from None
    if not amount > 0:
        raise ConfigError(f"memory {text!r} must be positive")
    return amount


def _plain(value: Any) -> Any:
    """Values as they are compared: one name is a list of one, letter case does not matter."""
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if isinstance(value, tuple):
        return list(value)
    return value.upper() if isinstance(value, str) else value


def _check_kind(name: str, kind: str, value: Any) -> None:
    """Refuse a value that is not of the kind of its field, NaN and infinity among the numbers."""
    if kind.startswith("Mapping"):
        if not isinstance(value, Mapping):
            raise ConfigError(f"option {name} is {value!r}; it must be a table of names and values")
        for key, number in value.items() if kind.endswith("float]") else ():
            _check_kind(f"{name}.{key}", "float", number)
        return
    names = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    right, needed = {
        "bool": (isinstance(value, bool), "true or false"),
        "int": (isinstance(value, Integral) and not isinstance(value, bool), "a whole number"),
        "float": (isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value), "a finite number"),
        "str": (isinstance(value, str), "text"),
        "tuple[str, ...]": (names, "a list of names"),
    }[kind]
    if not right:
        raise ConfigError(f"option {name} is {value!r}; it must be {needed}")
