"""What a task of each size costs and how noisy its gradient is; and what thinning and reuse make of that.

    python research/gradient_noise.py --tasks 40
    python research/gradient_noise.py --checkpoint runs/a/best.safetensors --mixture PAPER

Near the end of training a gradient is nearly all noise, so what counts is the variance of a weighted sum of gradients
for the processor time it took: (sum of share x variance x weight) x (sum of share x cost / weight), tasks of weight w
being drawn 1 / w as often. The last table gives it for several exponents of thinning, relative to none; the second use
of a task costs its learning again and brings no new noise to average, so it only counts as cost.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch

from foundcause.model.checkpoints import load_network
from foundcause.model.interface import Network
from foundcause.simulate.tasks import drawn_size
from foundcause.training.batches import Batch, collate
from foundcause.training.objectives import objective
from foundcause.training.preparation import Job, Prepared, Recipe, run
from foundcause.training.run_config import TrainConfig
from foundcause.training.setup import recipe
from foundcause.training.task_stream import Buckets
from foundcause.weights import SHIPPED_CHECKPOINT

CLASSES = ((2, 2), (3, 5), (6, 12), (13, 20), (21, 30), (31, 42), (43, 70), (71, 100))
EXPONENTS = (0.0, 0.5, 0.75, 1.0, 1.25, 1.5)
_SIZES_DRAWN = 20_000


def drawn(source: Recipe, tasks: int) -> tuple[dict[int, float], dict[int, list[int]]]:
    """Share of every class of sizes in the mixture, and the first indices of each."""
    indices: dict[int, list[int]] = defaultdict(list)
    for index in range(_SIZES_DRAWN):
        size = drawn_size(source.mixture, source.seed, index)
        indices[next(k for k, (low, high) in enumerate(CLASSES) if low <= size <= high)].append(index)
    shares = {k: len(found) / _SIZES_DRAWN for k, found in sorted(indices.items())}
    return shares, {k: found[:tasks] for k, found in indices.items()}


def learn(network: Network, batch: Batch) -> float:
    """Processor seconds of one forward and backward pass; gradients are left in the network."""
    network.zero_grad()
    started = time.process_time()
    loss, _, _ = objective("shipped")(network(None, None, batch.variables, batch.statistics), batch, {})
    loss.backward()  # type: ignore[no-untyped-call]
    return time.process_time() - started


def squared_norm(network: Network) -> float:
    """Of the gradient of all parameters."""
    return float(sum(p.grad.square().sum() for p in network.parameters() if p.grad is not None))


def measure(network: Network, items: list[Prepared], batch_size: int) -> tuple[float, float, float]:
    """(preparation, learning within a batch: processor seconds a task; mean squared norm of a task's gradient)."""
    norms = []
    for item in items:
        learn(network, collate([item]))
        norms.append(squared_norm(network))
    several = (items * batch_size)[:batch_size]
    learning = min(learn(network, collate(several)) for _ in range(2)) / len(several)
    return float(np.mean([sum(item.seconds) for item in items])), learning, float(np.mean(norms))


def main() -> None:
    """Parse, measure each class of sizes, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=SHIPPED_CHECKPOINT)
    parser.add_argument("--mixture", default="SHIPPED")
    parser.add_argument("--tasks", type=int, default=40, help="tasks of each class of sizes")
    parser.add_argument("--seed", type=int, default=4243)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    network = load_network(arguments.checkpoint)
    config = TrainConfig(steps=1, mixture=arguments.mixture, seed=arguments.seed, batch_smallest=2, batch_largest=64)
    source, buckets = recipe(config, network.config), Buckets(config)
    shares, chosen = drawn(source, arguments.tasks)

    print(f"{'columns':>9} {'share':>7} {'tasks':>6} {'preparing':>10} {'learning':>9} {'variance':>9}")
    rows = []
    for k, share in shares.items():
        items = [run(Job(source, index)) for index in chosen[k]]
        size = float(np.mean([item.record["variables"] for item in items]))
        preparing, learning, variance = measure(network, items, buckets.batch_size(buckets.of(round(size))))
        rows.append((share, size, preparing, learning, variance))
        name = "-".join(str(end) for end in sorted(set(CLASSES[k])))
        print(
            f"{name:>9} {share:>7.1%} {len(items):>6} {1e3 * preparing:>7.1f} ms {1e3 * learning:>6.1f} ms "
            f"{variance:>9.2f}",
            flush=True,
        )

    share, size, preparing, learning, variance = np.array(rows).T
    print("\nnoise for the time, relative to no thinning and one use:")
    print(f"{'exponent':>9} {'kept':>7} {'one use':>9} {'two uses':>9}")
    plain = np.sum(share * variance) * np.sum(share * (preparing + learning))
    for exponent in EXPONENTS:
        weight = (size / 2) ** exponent
        noise = np.sum(share * variance * weight)
        one, two = (np.sum(share * (preparing + uses * learning) / weight) for uses in (1, 2))
        print(f"{exponent:>9} {np.sum(share / weight):>7.1%} {noise * one / plain:>9.2f} {noise * two / plain:>9.2f}")


if __name__ == "__main__":
    main()
