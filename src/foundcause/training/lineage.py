"""What a network learned from: the mixture of its run and, by ``--init`` and averages, those of the runs before it.

Checkpoints carry this in their header, so that nothing is called unseen that an ancestor saw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from foundcause.errors import ConfigError
from foundcause.model.checkpoint import describe
from foundcause.simulate.settings import PAIR_COMPONENTS, Mixture
from foundcause.training.config import TrainConfig
from foundcause.training.setup import mixture


def lineage(config: TrainConfig, init: Path | None = None) -> dict[str, Any]:
    """Header entries of a run, which may start from the checkpoint ``init``.

    mixture_weights: shares of the components in this run.
    init: file name of the checkpoint it started from, or None.
    trained_on: components that the run or an ancestor learned from; None when an ancestor does not say.
    trained_variables: most variables of a task among these; wider tables are extrapolation.
    """
    own = mixture(config)
    entries = {
        "mixture_weights": dict(own.weights),
        "init": init.name if init else None,
        "trained_on": sorted(components(own)),
        "trained_variables": widest(own),
    }
    return entries | united([entries, describe(init)["metadata"]]) if init else entries


def continued(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> dict[str, Any]:
    """Header entries of a run that goes on: the mixture may have grown since, what was seen stays seen."""
    if before is None:  # an older run: its own mixture is all that is known
        return dict(now)
    return {**before, "mixture_weights": now["mixture_weights"], **united([before, now])}


def united(ancestors: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a network learned from that has checkpoints with this metadata behind it."""
    seen = [trained_on(metadata) for metadata in ancestors]
    known = [names for names in seen if names is not None]
    found: dict[str, Any] = {"trained_on": sorted(set().union(*known)) if len(known) == len(seen) else None}
    sizes = [metadata["trained_variables"] for metadata in ancestors if "trained_variables" in metadata]
    return found | ({"trained_variables": max(sizes)} if sizes else {})


def trained_on(metadata: Mapping[str, Any]) -> list[str] | None:
    """Components behind a checkpoint; one without the entry is judged by its own options, None if it has none."""
    if "trained_on" in metadata:
        return metadata["trained_on"]
    options = metadata.get("training", {})
    told = {name: options[name] for name in ("mixture", "shares", "only", "without") if name in options}
    with suppress(ConfigError):  # a mixture of its own time
        return sorted(components(mixture(TrainConfig(steps=1, **told)))) if told else None
    return None


def components(tasks: Mixture) -> set[str]:
    """Components that a mixture draws from, those its excerpts and unrelated columns are taken from included."""
    from foundcause.simulate import excerpts, unrelated

    drawn = {name for name, weight in tasks.weights.items() if weight > 0}
    borrowed = {
        source
        for taker in (excerpts, unrelated)
        if taker.NAME in drawn and drawn.isdisjoint(taker.SOURCES)
        for source in taker.SOURCES
    }
    return drawn | borrowed


def widest(tasks: Mixture) -> int:
    """The largest number of variables that a task of a mixture may have."""
    drawn = [name for name, weight in tasks.weights.items() if weight > 0 and name not in PAIR_COMPONENTS]
    sizes = (size.high for name in drawn for weight, size in tasks.sizes.variables_of(name) if weight > 0)
    return int(max(sizes, default=2))
