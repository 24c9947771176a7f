"""Tasks per second of one process, and where the time goes.

    OMP_NUM_THREADS=1 python benchmarks/simulator_speed.py --tasks 1000

Processor time is measured, so other programs on the machine count little; the best of a few repeats is reported.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections import defaultdict

from foundcause.simulate.mixture import MIXTURES, make_task
from foundcause.simulate.settings import Mixture

PACKAGE = "foundcause/simulate/"


def measure(mixture: Mixture, tasks: int, seed: int) -> tuple[float, dict[str, list[float]]]:
    """Tasks per second of processor time, and seconds of each task by component."""
    spent: dict[str, list[float]] = defaultdict(list)
    for index in range(tasks):
        start = time.process_time()
        task = make_task(mixture, seed, index)
        spent[task.record["component"]].append(time.process_time() - start)
    return tasks / sum(sum(times) for times in spent.values()), spent


def profile(mixture: Mixture, tasks: int, seed: int) -> list[tuple[str, float]]:
    """Share of time spent inside each module of the simulator and in what it calls outside, largest first."""
    profiler = cProfile.Profile()
    profiler.enable()
    for index in range(tasks):
        make_task(mixture, seed, index)
    profiler.disable()
    own: dict[str, float] = defaultdict(float)
    stats = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    for (file, _, name), (_, _, inner, _, callers) in stats.items():
        if PACKAGE in file:
            own[f"{file.split(PACKAGE)[1]}:{name}"] += inner
            continue
        for (caller, _, function), numbers in callers.items():  # numpy's time goes to the function that asked for it
            if PACKAGE in caller:
                own[f"{caller.split(PACKAGE)[1]}:{function}"] += numbers[2]
    total = sum(own.values())
    return sorted(((name, value / total) for name, value in own.items()), key=lambda item: -item[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for mixture in MIXTURES.values():
        make_task(mixture, options.seed, 0)
        runs = [measure(mixture, options.tasks, options.seed) for _ in range(options.repeats)]
        speed, spent = max(runs, key=lambda run: run[0])
        print(f"\n{mixture.name}: {speed:.0f} tasks per second and core ({options.tasks} tasks)\n")
        print("| component | tasks | ms per task | share of time |\n|---|---:|---:|---:|")
        total = sum(sum(times) for times in spent.values())
        for name, times in sorted(spent.items(), key=lambda item: -sum(item[1])):
            print(f"| {name} | {len(times)} | {1000 * sum(times) / len(times):.1f} | {sum(times) / total:.0%} |")
        print("\n| function | share of time |\n|---|---:|")
        for name, share in profile(mixture, options.tasks // 2, options.seed)[:12]:
            print(f"| {name} | {share:.1%} |")


if __name__ == "__main__":
    main()
