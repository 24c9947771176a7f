"""How fast training runs here: task passes per second end to end, where the time goes, and the cost as D doubles.

    python benchmarks/training_speed.py --seconds 60
    python benchmarks/training_speed.py --seconds 60 --against 3278b04   # in turns with another commit
    python benchmarks/training_speed.py --preset TINY --workers 1

The first part is a real run of the loop (simulation and statistics in worker processes, learning here). The second
part measures single tasks in processor seconds, which other work on the machine disturbs less than the clock.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

from foundcause.model.architectures import build_network
from foundcause.simulate.draws import uniform
from foundcause.training.batches import Batch, collate
from foundcause.training.distributed import Team
from foundcause.training.loop import train
from foundcause.training.objectives import objective
from foundcause.training.preparation import Job, Prepared, run
from foundcause.training.run_config import TrainConfig
from foundcause.training.setup import mixture, model_config, recipe
from foundcause.training.step import Learner


def end_to_end(config: TrainConfig) -> None:
    """Train for the budget and print passes per second and the shares of time."""
    with tempfile.TemporaryDirectory() as folder:
        entries = train(config, Path(folder) / "run", say=lambda _: None).read_log()
    steps = [e for e in entries if e["kind"] == "step"]
    settled = steps[len(steps) // 4 :] or steps  # the buckets fill during the first steps
    first = steps[len(steps) // 4 - 1] if len(steps) >= 4 else {"passes": 0, "elapsed": 0.0}
    seconds = settled[-1]["elapsed"] - first["elapsed"]
    passes = settled[-1]["passes"] - first["passes"]
    print(f"{config.preset} on {config.mixture}: {passes / seconds:.1f} task passes per second ({seconds:.0f} s)")
    print(f"mean variables per task {_mean([e['mean_variables'] for e in settled]):.1f}")
    print("share of the trainer's time:")
    for name in settled[0]["share"]:
        print(f"  {name:<12} {_mean([e['share'][name] for e in settled]):6.1%}")
    print(f"processor seconds of a worker per task ({config.workers} working):")
    for name in settled[0]["worker_seconds_per_task"]:
        print(f"  {name:<12} {_mean([e['worker_seconds_per_task'][name] for e in settled]):8.4f}")


def by_size(config: TrainConfig, sizes: list[int], repeats: int) -> None:
    """Print processor milliseconds per task for each part as D doubles (600 rows)."""
    model = model_config(config)
    team = Team(rank=0, world=1, device=torch.device("cpu"))
    learner = Learner(build_network(model), objective(config.objective), config, team)
    print("processor milliseconds per task at 600 rows, least of the repeats:")
    print(f"{'D':>5} {'simulation':>11} {'statistics':>11} {'learning':>9}")
    for size in sizes:
        whole = mixture(config).only("diverse")
        sizing = dataclasses.replace(whole.sizes, variables=((1.0, uniform(size, size)),), rows=uniform(600, 600))
        sized = dataclasses.replace(whole, sizes=sizing)
        source = recipe(config, model, tasks=sized)
        items: list[Prepared] = []
        for index in range(repeats):
            items.append(run(Job(source, index)))
        batch = collate(items[: max(2, min(repeats, int(config.batch_budget / size**2)))])
        learning = min(_processor_seconds(learner, batch, k) for k in range(4)) / batch.size
        simulation, statistics = (min(item.seconds[k] for item in items) for k in (0, 1))
        print(f"{size:>5} {1e3 * simulation:>11.1f} {1e3 * statistics:>11.1f} {1e3 * learning:>9.1f}", flush=True)


def _processor_seconds(learner: Learner, batch: Batch, number: int) -> float:
    started = time.process_time()
    learner.step([batch], number=number, rate=1e-4)
    return time.process_time() - started


def against(commit: str, arguments: list[str], turns: int) -> None:
    """Run this benchmark in turns with a commit, each in a process of its own, and print the ratio of the medians."""
    root = Path(__file__).resolve().parents[1]
    passes: dict[str, list[float]] = {commit: [], "now": []}
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--detach", str(tree), commit], cwd=root, check=True)
        try:
            for _ in range(turns):
                for name, place in ((commit, tree), ("now", root)):
                    found = _passes_per_second(place, arguments)
                    passes[name].append(found)
                    print(f"{name}: {found:.1f} passes per second", flush=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=root, check=True)
    now, before = (statistics.median(passes[name]) for name in ("now", commit))
    print(f"now over {commit}: {now / before:.2f} (medians of {turns} turns on {os.cpu_count()} cores)")


def _passes_per_second(place: Path, arguments: list[str]) -> float:
    command = [sys.executable, str(place / "benchmarks" / "training_speed.py"), *arguments, "--sizes"]
    environment = os.environ | {"PYTHONPATH": str(place / "src")}
    said = subprocess.run(command, env=environment, cwd=place, capture_output=True, text=True, check=True).stdout
    found = re.search(r"([\d.]+) task passes per second", said)
    assert found is not None, said
    return float(found[1])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def main() -> None:
    """Parse and run both parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="SMALL")
    parser.add_argument("--mixture", default="SHIPPED")
    parser.add_argument("--features", default=None, help="feature set instead of the preset's")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="*", default=[5, 10, 20, 40, 80])
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--against", default=None, metavar="COMMIT", help="compare with a commit of this repository")
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.against:
        same = ["--preset", arguments.preset, "--mixture", arguments.mixture, "--seconds", str(arguments.seconds)]
        against(arguments.against, [*same, "--workers", str(arguments.workers)], arguments.turns)
        return
    config = TrainConfig(
        preset=arguments.preset,
        mixture=arguments.mixture,
        model={"features": arguments.features} if arguments.features else {},
        minutes=arguments.seconds / 60,
        workers=arguments.workers,
        validate_minutes=0,
        calibration_tasks=0,
        scaling_tasks=32,
        log_every=5,
    )
    torch.set_num_threads(1)
    end_to_end(config)
    by_size(config, arguments.sizes, arguments.repeats)


if __name__ == "__main__":
    main()
