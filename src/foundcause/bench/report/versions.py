"""One row per method, or one per version of it where several meet: no mean is over two networks.

All our methods share their weights, so they count as one; a method of a plug-in has the text of its file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from foundcause.bench.baselines import METHODS
from foundcause.bench.baselines.method import Method
from foundcause.bench.datasets import DATASETS
from foundcause.bench.experiments import EXPERIMENTS
from foundcause.bench.results import Record, Store
from foundcause.bench.run import identity_with
from foundcause.bench.version import UNKNOWN, Version, recorded

OURS = "foundcause"


def method_of(row: str) -> str:
    """The method's own name: that of ``foundcause [a.safetensors 0f1e]`` is ``foundcause``."""
    return row.split(" [", 1)[0]


def entry(row: str) -> Method:
    """The method of a row; its label says the version where the row does."""
    found = METHODS[method_of(row)]
    return replace(found, label=found.label + row.removeprefix(found.name))


def by_version(folder: Path, found: list[Record]) -> list[Record]:
    """The records, their method named with its version where the folder has several of it."""
    census = _census(folder)

    def renamed(record: Record) -> Record:
        if len(census.results.get(_family(record), ())) < 2:
            return record
        return {**record, "method": f"{record['method']} [{census.version(record)}]"}

    return [renamed(record) for record in found]


def made_with(folder: Path) -> str | None:
    """The weights and plug-ins behind the results, in a line; None when there are only baselines."""
    parts = [f"{name}: {' and '.join(map(str, seen))}" for name, seen in _census(folder).results.items()]
    return f"Weights and plug-ins (file, start of its sha256): {'; '.join(parts)}." if parts else None


def warnings(folder: Path) -> list[str]:
    """What a reader must know before comparing rows."""
    census = _census(folder)
    texts = []
    for name, seen in census.results.items():
        if len(seen) > 1:
            what = "weights" if name == OURS else "versions of its plug-in"
            each = "; ".join(f"{version} ({_counts(number)})" for version, number in seen.items())
            texts.append(
                f"results of {name} come from different {what} and stand in separate rows: {each}. Run all of them "
                "with one, or give each a folder of its own with --results"
            )
    if census.strangers:
        names = ", ".join(sorted(census.strangers))
        texts.append(f"results of {names} are left out: no such method here; name its file with --plugin")
    return texts


def _counts(number: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in number.items())


def _family(record: Record) -> str:
    return OURS if METHODS[record["method"]].ours else record["method"]


@dataclass(frozen=True)
class _Census:
    known: dict[str, Version]
    """Versions that results name, by digest: one name per content."""
    results: dict[str, dict[Version, Counter[str]]]
    """Whose results, by version: how many in which experiment."""
    strangers: frozenset[str]
    """Methods that the registry does not have."""

    def version(self, record: Record) -> Version:
        noted = recorded(record)
        if noted is not UNKNOWN:
            return self.known[noted.sha256]
        if record["dataset"] in DATASETS:  # an older result: its identity tells whether it was one of those known
            for version in self.known.values():
                if record.get("identity") == identity_with(version.sha256, record["method"], record["dataset"]):
                    return version
        return UNKNOWN


def _census(folder: Path) -> _Census:
    stamps = tuple(
        (name, path, path.stat().st_mtime_ns, path.stat().st_size)
        for name in EXPERIMENTS
        for path in Store(folder / f"{name}.jsonl").files()
    )
    return _counted(stamps, frozenset(METHODS))


@lru_cache(maxsize=4)
def _counted(stamps: tuple[tuple[str, Path, int, int], ...], methods: frozenset[str]) -> _Census:
    """Read all results once, not for every table."""
    stores = {name: Store(path.with_name(f"{name}.jsonl")) for name, path, _, _ in stamps}
    stored = [(name, record) for name, store in stores.items() for record in store.cells().values()]
    census = _Census(dict(_known(stored)), {}, frozenset(r["method"] for _, r in stored) - methods)
    for experiment, record in stored:
        if record["method"] in methods and ("version" in record or METHODS[record["method"]].ours):
            seen = census.results.setdefault(_family(record), {})
            seen.setdefault(census.version(record), Counter())[experiment] += 1
    return census


def _known(stored: list[tuple[str, Record]]) -> Iterator[tuple[str, Version]]:
    for _, record in reversed(stored):  # the first name that a content had stays
        if "version" in record:
            version = recorded(record)
            yield version.sha256, version
