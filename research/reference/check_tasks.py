"""Compare 200 simulated tasks and the first tasks of every validation suite with the committed digests, byte for byte.

    python research/reference/check_tasks.py                          # exit code 1 if any byte changed
    python research/reference/check_tasks.py --write --mixture PAPER  # after a change of that mixture on purpose

Of each task the values, the observed mask, the graph and the confounded pairs have a digest of their own.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import adapter

DIGESTS = Path(__file__).with_name("tasks.json")
MIXTURES = ("SHIPPED", "PAPER", "SUITES")
PARTS = ("values", "observed", "graph", "confounded")
_HELD_OUT = {"SHIPPED": ("ecology", "genetics", "epidemics", "auctions"), "PAPER": ()}
_OF_THE_WHOLE_MIXTURE = {"SHIPPED": 76, "PAPER": 52}
_SEEDS = (0, 7, 2024, 10**6 + 3)
_OF_EACH_COMPONENT = 2
_OF_EACH_SUITE = 2


class Key(NamedTuple):
    """A task: of the whole mixture (no component), of one component alone, or of a validation suite."""

    component: str
    seed: int
    index: int

    def __str__(self) -> str:
        return f"{self.component or 'mixture'} {self.seed} {self.index}"


def keys(mixture: str) -> list[Key]:
    """Return the tasks of a mixture, or of all suites, that have digests."""
    if mixture == "SUITES":
        return [Key(name, seed, index) for name, seed in adapter.suites().items() for index in range(_OF_EACH_SUITE)]
    count = _OF_THE_WHOLE_MIXTURE[mixture]
    chosen = [Key("", _SEEDS[k % len(_SEEDS)], k // len(_SEEDS)) for k in range(count)]
    for component in sorted([*adapter.components(mixture), *_HELD_OUT[mixture]]):
        chosen += [Key(component, 11 + k, 3 * k) for k in range(_OF_EACH_COMPONENT)]
    return chosen


def digests(mixture: str, chosen: Iterable[Key]) -> dict[str, list[str]]:
    """Return the digests of the parts of each task, by the text of its key."""
    found = {}
    for key in chosen:
        if mixture == "SUITES":
            task = adapter.suite_task(key.component, key.seed, key.index)
        else:
            task = adapter.task(mixture, key.seed, key.index, key.component or None)
        found[str(key)] = [adapter.digest(task[part]) for part in PARTS]
    return found


def differences(old: dict[str, list[str]], new: dict[str, list[str]]) -> dict[str, str]:
    """Return what changed, by task: the parts whose bytes are others."""
    changes = {}
    for name in [*old, *(name for name in new if name not in old)]:
        if name not in new or name not in old:
            changes[name] = "no longer made" if name in old else "not in the reference"
        elif changed := [part for part, a, b in zip(PARTS, old[name], new[name], strict=True) if a != b]:
            changes[name] = ", ".join(changed)
    return changes


def load(path: Path = DIGESTS) -> dict[str, dict[str, dict[str, list[str]]]]:
    """Return the committed digests by mixture and task, with the ``environment`` of each mixture."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the check and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the digests anew (of the chosen mixtures)")
    parser.add_argument("--mixture", choices=MIXTURES, action="append", help="this mixture alone")
    options = parser.parse_args(arguments)

    reference, changed = load(), 0
    for mixture in options.mixture or MIXTURES:
        section = reference.get(mixture, {"environment": {}, "tasks": {}})
        found = digests(mixture, keys(mixture))
        changes = differences(section["tasks"], found)
        changed += len(changes)
        _report(mixture, changes, section["environment"], len(found))
        reference[mixture] = {"environment": adapter.environment(), "tasks": found}
    if options.write:
        _write(reference)
        return 0
    return 1 if changed else 0


def _report(mixture: str, changes: dict[str, str], environment: dict[str, str], tasks: int) -> None:
    for name, parts in changes.items():
        print(f"{mixture} {name}: {parts}")
    by_component = collections.Counter(name.split()[0] for name in changes)
    print(f"{mixture}: {len(changes)} of {tasks} tasks changed {dict(by_component) if changes else ''}".rstrip())
    if changes and environment and environment != adapter.environment():
        print(f"the digests were written in another environment, which moves last bits: {environment}")


def _write(content: dict[str, dict[str, dict[str, list[str]]]]) -> None:
    """Write the digests, one task a line, so that a change shows task by task."""
    sections = []
    for mixture, section in content.items():
        lines = [f"    {json.dumps(name)}: {json.dumps(parts)}" for name, parts in section["tasks"].items()]
        tasks = ",\n".join(lines)
        sections.append(
            f'{json.dumps(mixture)}: {{\n  "environment": {json.dumps(section["environment"])},\n'
            f'  "tasks": {{\n{tasks}\n  }}\n}}'
        )
    DIGESTS.write_text("{" + ",\n".join(sections) + "}\n", encoding="utf-8")
    print(f"wrote {DIGESTS.name}: {sum(len(section['tasks']) for section in content.values())} tasks")


if __name__ == "__main__":
    sys.exit(main())
