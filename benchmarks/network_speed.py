"""How fast the networks are: `python benchmarks/network_speed.py` (add `--base` for the 139M network).

Times are minima over repeats. SMALL's forward includes its statistics. Training passes are one forward and backward of
a batch of 16 tasks with statistics given, on one thread.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

RELEASED_BASE_SECONDS = 185.0  # the released code, one pass at 600 x 40 on two cores
SMALL_BUDGET_SECONDS = 0.35
BASE_BUDGET_SECONDS = RELEASED_BASE_SECONDS / 1.5
BASE_BUDGET_GIGABYTES = 2.0


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", action="store_true", help="also run the BASE network (about a minute)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    results: dict[str, Any] = {
        "small_forward": alone(small_forward, options.threads, options.repeats),
        "small_load": alone(small_load, options.threads, options.repeats),
        "training": alone(training_passes, 1, options.repeats),
    }
    if options.base:
        results["base_forward"] = alone(base_forward, options.threads, 1)
    print(json.dumps(results, indent=2))


def alone(measure: Callable[[int], dict[str, Any]], threads: int, repeats: int) -> dict[str, Any]:
    """Run a measurement in a fresh process, so that its peak memory is its own."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_threaded, (measure, threads, repeats))


def small_forward(repeats: int) -> dict[str, Any]:
    """One SMALL pass over a 600 x 40 table, statistics included."""
    import torch

    from foundcause.features import compute
    from foundcause.model.config import SMALL
    from foundcause.model.network import FoundCause

    network, values = FoundCause(SMALL).eval(), _table(600, 40)
    features = compute(values, features=SMALL.features)
    with torch.no_grad():
        whole = _best(lambda: network(values), repeats)
        network_only = _best(lambda: network(values, statistics=features), repeats)
    return {
        "seconds": whole,
        "network_only_seconds": network_only,
        "budget_seconds": SMALL_BUDGET_SECONDS,
        "parameters": network.parameter_count,
    }


def small_load(repeats: int) -> dict[str, Any]:
    """Loading a SMALL checkpoint."""
    import tempfile
    from pathlib import Path

    from foundcause.model.checkpoints import load, save
    from foundcause.model.config import SMALL
    from foundcause.model.network import FoundCause

    with tempfile.TemporaryDirectory() as folder:
        path = save(Path(folder) / "small.safetensors", FoundCause(SMALL), metadata={})
        return {"seconds": _best(lambda: load(path), repeats), "megabytes": path.stat().st_size / 1e6}


def training_passes(repeats: int) -> dict[str, Any]:
    """Task passes a second, forward and backward, by the number of variables."""
    import torch

    from foundcause.model.config import SMALL
    from foundcause.model.network import FoundCause

    found: dict[str, Any] = {}
    network = FoundCause(SMALL).train()
    for variables in (5, 12, 24, 40):
        features = torch.randn(16, variables, variables, network.features.count)

        def step(features: Any = features) -> None:
            prediction = network(None, statistics=features)
            (prediction.edge_logits.mean() + prediction.confounding_logits.mean()).backward()

        found[f"D={variables}"] = round(16 / _best(step, repeats), 1)
    return {"small": found}


def base_forward(repeats: int) -> dict[str, Any]:
    """One BASE pass over a 600 x 40 table and its peak memory; the weights are random, their values do not matter."""
    import torch

    from foundcause.features import compute
    from foundcause.paper.config import BASE
    from foundcause.paper.paper_network import PaperNetwork

    network, values = PaperNetwork(BASE).eval(), _table(600, 40)
    started = time.perf_counter()
    features = compute(values, features=BASE.features)
    statistics_seconds = time.perf_counter() - started
    with torch.no_grad():
        seconds = _best(lambda: network(values, statistics=features), repeats, warm=False)
    return {
        "network_seconds": seconds,
        "statistics_seconds": statistics_seconds,
        "budget_seconds": BASE_BUDGET_SECONDS,
        "times_faster_than_released": RELEASED_BASE_SECONDS / (seconds + statistics_seconds),
        "peak_gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "budget_gigabytes": BASE_BUDGET_GIGABYTES,
        "parameters": network.parameter_count,
    }


def _threaded(measure: Callable[[int], dict[str, Any]], threads: int, repeats: int) -> dict[str, Any]:
    import torch

    torch.set_num_threads(threads)
    return {"threads": threads, **measure(repeats)}


def _table(rows: int, variables: int) -> Any:
    import torch

    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(1, rows, variables, generator=generator)
    return noise + 0.5 * noise.roll(1, dims=2).square()


def _best(work: Callable[[], Any], repeats: int, *, warm: bool = True) -> float:
    if warm:
        work()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


if __name__ == "__main__":
    main()
