"""The settings of a mixture and their checks. The numbers are in ``mixture.py``."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from foundcause.errors import ConfigError
from foundcause.simulate.draws import Range, check_weights, pick_weighted
from foundcause.simulate.extension import component_named, corruptions

FIELDS_OF_EXCERPTS = (
    "signalling",
    "telemetry",
    "sensors",
    "surveys",
    "laws",
    "days",
    "regions",
    "bodies",
    "workshops",
    "flows",
    "markets",
    "studies",
)
"""Fields with continuous columns that are rich enough to show a direction. Expert networks are discrete."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """How large tasks are.

    variables: ranges of the number of observed variables with their weights.
    own_variables: the same of components that have sizes of their own.
    rows: range of the number of rows, in most tasks.
    few_rows: range of the number of rows in the others.
    few_rows_chance: share of these others.
    wide: tasks with more variables than this are wide.
    wide_rows: most rows of a wide task (kept in four of five wide tasks).
    very_wide, very_wide_rows: the same of tasks that are wider still, without an exception.
    """

    variables: tuple[tuple[float, Range], ...]
    rows: Range
    few_rows: Range = field(default_factory=lambda: Range(low=20, high=99, log=True))
    few_rows_chance: float = 0.0
    wide: int = 50
    wide_rows: int = 10**9
    very_wide: int = 10**9
    very_wide_rows: int = 10**9
    own_variables: Mapping[str, tuple[tuple[float, Range], ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        every = (self.variables, *self.own_variables.values())
        for ranges in every:
            check_weights({f"{r.low}..{r.high}": w for w, r in ranges}, "weights of sizes")
        smallest = min(r.low for ranges in every for _, r in ranges)
        if smallest < 2:
            raise ConfigError(f"a task cannot have {smallest:g} variables; start the range at 2 or more")
        fewest = min(self.rows.low, self.few_rows.low)
        if fewest < 20:
            raise ConfigError(f"a task cannot have {fewest:g} rows; start the range at 20 or more")

    def variables_of(self, component: str) -> tuple[tuple[float, Range], ...]:
        """Ranges of the number of variables of one component, with their weights."""
        return self.own_variables.get(component, self.variables)

    def draw(self, rng: np.random.Generator, component: str) -> tuple[int, int]:
        """(variables, rows) of one task."""
        chosen = pick_weighted(rng, self.variables_of(component))
        variables = chosen.draw_integer(rng)
        if self.few_rows_chance and rng.random() < self.few_rows_chance:
            return variables, self.few_rows.draw_integer(rng)
        rows = self.rows.draw_integer(rng)
        if variables > self.wide and rows > self.wide_rows and rng.random() < 0.8:
            rows = Range(low=self.rows.low, high=self.wide_rows, log=self.rows.log).draw_integer(rng)
        if variables > self.very_wide:
            rows = min(rows, self.very_wide_rows)
        return variables, rows


@dataclass(frozen=True, kw_only=True)
class Hiding:
    """How many variables are hidden, as a share of the observed ones.

    usual: range of the share.
    heavy: range in heavily confounded tasks.
    heavy_chance: share of heavily confounded tasks.
    circumstances: share of generic tasks with further hidden causes of many variables at once.
    """

    usual: Range
    heavy: Range = field(default_factory=lambda: Range(low=0.3, high=0.8))
    heavy_chance: float = 0.0
    circumstances: float = 0.0

    def draw(self, rng: np.random.Generator, variables: int) -> int:
        """Number of hidden nodes in addition to ``variables`` observed ones."""
        share = (self.heavy if rng.random() < self.heavy_chance else self.usual).draw(rng)
        return int(share * variables)

    def draw_circumstances(self, rng: np.random.Generator) -> bool:
        """Whether a task has them."""
        return self.circumstances > 0.0 and bool(rng.random() < self.circumstances)


@dataclass(frozen=True, kw_only=True)
class DoWhyPath:
    """The paper's DoWhy table.

    root_fraction: range of the share of nodes without parents.
    density: range of the probability that an earlier node is a parent.
    parents: the density is capped at this over (V - 1), V counting hidden nodes.
    mechanisms: weights of linear, additive MLP and non-additive MLP mechanisms.
    layers: range of the number of hidden layers.
    units: range of the units of a layer.
    weight_scale: the spectral norm of every weight matrix.
    output: outputs of networks are rescaled to [-output, output].
    calibration_rows: rows on which output ranges are recorded. 0 for the rows of the task itself, up to 1,000.
    noise: weights of the noise families.
    noise_scale: range of the noise scale.
    root_mixture: share of roots drawn from a Gaussian mixture.
    graph: ``dowhy`` draws graphs as DoWhy does (in-degree fixed by position, weakly connected). ``attachment`` picks
        every earlier node with probability ``density``.
    """

    root_fraction: Range
    density: Range
    parents: float
    mechanisms: Mapping[str, float]
    layers: Range
    units: Range
    weight_scale: float
    output: float
    calibration_rows: int
    noise: Mapping[str, float]
    noise_scale: Range
    root_mixture: float
    graph: str = "attachment"

    def __post_init__(self) -> None:
        if self.graph not in ("attachment", "dowhy"):
            raise ConfigError(f"graph is {self.graph!r}; choose 'attachment' or 'dowhy'")
        check_weights(self.mechanisms, "weights of DoWhy mechanisms")
        check_weights(self.noise, "weights of DoWhy noise")


@dataclass(frozen=True, kw_only=True)
class DiversePath:
    """The custom generator.

    topologies: weights of the graph families.
    degree: range of the expected number of neighbors.
    mechanisms: weights of the mechanism families.
    noise: weights of the noise families.
    noise_scale: range of the noise scale, in scales of the signal.
    one_noise: share of tasks whose nodes all have the same noise family.
    one_mechanism: share of tasks whose nodes all have the same mechanism family.
    heteroscedastic: share of tasks in which noise may grow with a parent.
    discrete_roots: share of roots that are binary, ordinal, categorical or counts, in mixed-type tasks.
    mixed_types: share of tasks with such roots and with more discrete mechanisms.
    """

    topologies: Mapping[str, float]
    degree: Range
    mechanisms: Mapping[str, float]
    noise: Mapping[str, float]
    noise_scale: Range
    one_noise: float = 0.3
    one_mechanism: float = 0.15
    heteroscedastic: float = 0.15
    discrete_roots: float = 0.5
    mixed_types: float = 0.0

    def __post_init__(self) -> None:
        check_weights(self.topologies, "weights of topologies")
        check_weights(self.mechanisms, "weights of mechanisms")
        check_weights(self.noise, "weights of noise")


@dataclass(frozen=True, kw_only=True)
class Missing:
    """Missing cells.

    chance: share of tasks with missing cells.
    cells: range of the share of missing cells in such a task.
    kinds: weights of MCAR, MAR and MNAR.
    """

    chance: float
    cells: Range
    kinds: Mapping[str, float] = field(default_factory=lambda: {"mcar": 1 / 3, "mar": 1 / 3, "mnar": 1 / 3})

    def __post_init__(self) -> None:
        check_weights(self.kinds, "weights of kinds of missingness")


@dataclass(frozen=True, kw_only=True)
class Artifacts:
    """Probabilities, per task, that an artifact touches some of its variables.

    autocorrelation: rows of a variable depend on the rows before.
    batch_effects: batches of rows are shifted and scaled.
    independent_noise: noise of one size is added.
    measurement_noise: noise of a size of its own is added to each variable.
    outliers: a few cells lie 3 to 8 standard deviations out.
    discretization: values fall into 5 to 100 bins.
    bounded_or_positive: variables are squeezed into an interval or made positive.
    monotone: log, square root, power, sigmoid or softplus of the values.
    zero_inflation_or_censoring: cells become zero, or values stop at a limit.
    rounding_share: range of the share of variables rounded in a task.
    scales: variables get random scales and signs.
    extreme_scales: variables are multiplied by 10 to a power in [-3, 3].
    correlated_noise: groups of variables share exogenous noise (labels follow).
    collinear_group: a hidden variable shows up as 3 to 6 noisy copies (labels follow).
    pair_warps: Tuebingen-like transforms of tasks with two variables.
    log_augmentation: all variables become positive and skewed.
    """

    autocorrelation: float
    batch_effects: float
    independent_noise: float
    measurement_noise: float
    outliers: float
    discretization: float
    bounded_or_positive: float
    monotone: float
    zero_inflation_or_censoring: float
    rounding_share: Range
    scales: float
    extreme_scales: float
    correlated_noise: float
    collinear_group: float
    pair_warps: float
    log_augmentation: float


@dataclass(frozen=True, kw_only=True)
class LightArtifacts:
    """What may still happen to tables of fields and pairs, which bring their own artifacts.

    scales: share of tasks whose continuous variables get random positive scales.
    rounding: share of tasks in which some continuous variables are rounded.
    """

    scales: float
    rounding: float


@dataclass(frozen=True, kw_only=True)
class Resolution:
    """How finely tables are written down (pairs and excerpts have their own rule, of which this is a part).

    rounding: share of tasks whose measurements are rounded, each to a unit of its own.
    floors: share of tasks with floors, below which values are cut.
    floor_share: share of the measurements of such a task that have one.
    """

    rounding: float = 0.0
    floors: float = 0.0
    floor_share: float = 0.25


@dataclass(frozen=True, kw_only=True)
class Specials:
    """Numbers of the special tasks.

    easy_pairs: share of bivariate tasks that are easy (an edge, little noise, no artifacts).
    fog_noise: range of the noise of correlation fog.
    sparse_density: range of the edge density of ultra-sparse graphs.
    conditions: range of the number of experimental conditions pooled.
    """

    easy_pairs: float
    fog_noise: Range
    sparse_density: Range
    conditions: Range


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """A distribution over tasks. A shipped one is never edited: a changed mixture gets another name.

    name: what it is called on the command line.
    weights: relative weights of the components.
    corruptions: share of the tasks that each corruption happens to, by its name.
    excerpt_sources, unrelated_sources: components whose scenes ``excerpts`` and ``unrelated`` take.
    sizes, hiding, dowhy, diverse, specials, artifacts, light_artifacts, missing, resolution: see their classes.
    """

    name: str
    weights: Mapping[str, float]
    sizes: Sizes
    hiding: Hiding
    dowhy: DoWhyPath
    diverse: DiversePath
    specials: Specials
    artifacts: Artifacts
    light_artifacts: LightArtifacts
    missing: Missing
    corruptions: Mapping[str, float] = field(default_factory=dict)
    resolution: Resolution = Resolution()
    excerpt_sources: tuple[str, ...] = ("dowhy", "diverse", "interventions", *FIELDS_OF_EXCERPTS)
    unrelated_sources: tuple[str, ...] = ("dowhy", "diverse", "discrete", "expert", *FIELDS_OF_EXCERPTS)

    def __post_init__(self) -> None:
        for name in (*self.weights, *self.excerpt_sources, *self.unrelated_sources):
            component_named(name)
        check_weights(self.weights, f"weights of mixture {self.name}")
        names = [one.name for one in corruptions() if not one.always]
        for name, share in self.corruptions.items():
            if name not in names:
                raise ConfigError(f"unknown corruption {name!r}; choose from {', '.join(names)}")
            if not 0.0 <= share <= 1.0:
                raise ConfigError(f"the share of {name!r} is {share}; use a number from 0 to 1")

    @property
    def shares(self) -> dict[str, float]:
        """Share of the tasks of each component."""
        total = math.fsum(self.weights.values())
        return {name: weight / total for name, weight in self.weights.items()}

    def drawn_from(self) -> set[str]:
        """Components that tasks come from, those that excerpts and unrelated columns are taken from included."""
        drawn = {name for name, weight in self.weights.items() if weight > 0}
        takers = (("excerpts", self.excerpt_sources), ("unrelated", self.unrelated_sources))
        borrowed = [sources for taker, sources in takers if taker in drawn and drawn.isdisjoint(sources)]
        return drawn.union(*borrowed)

    def unavailable(self) -> dict[str, str]:
        """Components with a weight whose data are not on this machine, and why."""
        reasons = {name: component_named(name).needs() for name, weight in self.weights.items() if weight > 0}
        return {name: reason for name, reason in reasons.items() if reason}

    def available(self) -> Mixture:
        """The mixture without components whose data are not on this machine. A warning names them."""
        reasons = self.unavailable()
        for name, reason in reasons.items():
            warnings.warn(f"mixture {self.name} goes on without {name!r}: {reason}", stacklevel=2)
        return self.without(*reasons) if reasons else self

    def with_weights(self, weights: Mapping[str, float]) -> Mixture:
        """The same distribution with other weights."""
        total = sum(weights.values())
        if total <= 0.0:
            raise ConfigError(f"mixture {self.name}: no component is left; give one a positive weight")
        return dataclasses.replace(self, weights={name: weight / total for name, weight in weights.items()})

    def with_corruptions(self, **shares: float) -> Mixture:
        """The same distribution with other shares of some corruptions."""
        return dataclasses.replace(self, corruptions={**self.corruptions, **shares})

    def shared(self, shares: Mapping[str, float]) -> Mixture:
        """The mixture of exactly these components in these shares."""
        for name, share in shares.items():
            component_named(name)
            if not (isinstance(share, int | float) and share >= 0.0):
                raise ConfigError(f"the share of {name!r} is {share!r}; it must be a number, not negative")
        return self.with_weights({name: float(share) for name, share in shares.items()})

    def without(self, *names: str) -> Mixture:
        """The mixture without some of its components, the other shares in proportion."""
        if absent := [name for name in names if name not in self.weights]:
            raise ConfigError(
                f"without {absent[0]!r}: there is no such component among those chosen from the mixture {self.name}; "
                f"name one of {', '.join(self.weights)}"
            )
        return self.with_weights({name: w for name, w in self.weights.items() if name not in names})

    def only(self, *names: str) -> Mixture:
        """The mixture of some components alone, in equal shares if they have none here."""
        for name in names:
            component_named(name)
        kept = {name: self.weights.get(name, 0.0) for name in names}
        return self.with_weights(kept if sum(kept.values()) > 0 else dict.fromkeys(names, 1.0))

    def clean(self) -> Mixture:
        """The mixture without added hidden variables, artifacts, corruptions and missing cells: models as they are.

        What is part of a field or of a pair (hidden traits, hosts, gaps of idle services) stays.
        """
        off = {f.name: 0.0 for f in dataclasses.fields(Artifacts) if f.name != "rounding_share"}
        never = Range(low=0.0, high=0.0)
        return dataclasses.replace(
            self,
            hiding=Hiding(usual=never, heavy=never, heavy_chance=0.0),
            artifacts=Artifacts(rounding_share=never, **off),
            light_artifacts=LightArtifacts(scales=0.0, rounding=0.0),
            missing=dataclasses.replace(self.missing, chance=0.0),
            corruptions={},
            resolution=Resolution(),
        )
