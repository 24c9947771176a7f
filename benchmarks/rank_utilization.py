"""How evenly 8 processes work: tasks of PAPER dealt by cost, against each process gathering batches of its own.

    python benchmarks/rank_utilization.py --preset BASE --tasks 1600 --ranks 8 --memory 40G

No task is made. Sizes are drawn as in training, costs are operations measured on the network, and nothing runs on a
GPU. Utilization is the mean work of a process, padding included, over that of the slowest, summed over steps. The
largest step is that of one process, with its batch split and recomputed as training would do it.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch

from foundcause.model.architectures import build_network
from foundcause.training.run_config import TrainConfig
from foundcause.training.setup import model_config, recipe
from foundcause.training.step_costs import StepCosts, deal, measure_costs, padded_work, split_batch
from foundcause.training.task_stream import BatchPlan, Buckets


def dealt_steps(plan: BatchPlan, tasks: int, ranks: int, costs: StepCosts) -> list[list[list[int]]]:
    """Indices by step and rank of about as many tasks, dealt by cost."""
    steps: list[list[list[int]]] = []
    for batch in plan:
        shares = deal([plan.shape(index) for index in batch.indices], costs.work, ranks)
        steps.append([[batch.indices[k] for k in share] for share in shares])
        tasks -= len(batch.indices)
        if tasks <= 0:
            return steps
    raise AssertionError("the plan ended")


def own_steps(plan: BatchPlan, tasks: int, ranks: int, size: int) -> list[list[list[int]]]:
    """The same where rank r gathers batches of its own from the tasks r, r + ranks, ..., as at commit 3278b04."""
    batches: list[list[list[int]]] = []
    buckets: Buckets = plan.buckets
    for rank in range(ranks):
        waiting: dict[int, list[int]] = {}
        mine: list[list[int]] = []
        for index in range(rank, tasks, ranks):
            bucket = buckets.of(plan.shape(index)[1])
            waiting.setdefault(bucket, []).append(index)
            if len(waiting[bucket]) == size:
                mine.append(waiting.pop(bucket))
        batches.append(mine)
    return [list(step) for step in zip(*batches, strict=False)]


def utilization(steps: list[list[list[int]]], plan: BatchPlan, costs: StepCosts, *, split: bool) -> list[float]:
    """[mean work over that of the slowest, slowest over mean in the worst tenth of steps, share of padding]."""
    loads = np.array([[_load(share, plan, costs, split) for share in step] for step in steps])
    needed = sum(costs.work(*plan.shape(index)) for step in steps for share in step for index in share)
    worst = np.quantile(loads.max(1) / loads.mean(1), 0.9)
    return [float(loads.mean(1).sum() / loads.max(1).sum()), float(worst), float(1 - needed / loads.sum())]


def _load(share: list[int], plan: BatchPlan, costs: StepCosts, split: bool) -> float:
    shapes = [plan.shape(index) for index in share]
    parts = split_batch(shapes, costs, None).parts if split else [list(range(len(shapes)))]
    return sum(padded_work([shapes[k] for k in part], costs.work) for part in parts)


def largest_step(steps: list[list[list[int]]], plan: BatchPlan, costs: StepCosts, limit: float | None) -> float:
    """Bytes of the largest step of a rank."""
    largest = 0.0
    for share in (share for step in steps for share in step):
        shapes = [plan.shape(index) for index in share]
        split = split_batch(shapes, costs, limit)
        parts = [
            costs.memory([shapes[k] for k in part], recompute_blocks=split.recompute_blocks) for part in split.parts
        ]
        largest = max(largest, max(parts) if split.recompute_parts else sum(parts))
    return costs.fixed + largest


def main() -> None:
    """Parse, simulate both ways of dealing, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="BASE")
    parser.add_argument("--mixture", default="PAPER")
    parser.add_argument("--tasks", type=int, default=1600)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--batch", type=int, default=24, help="tasks of a batch over all ranks")
    parser.add_argument("--memory", default="40G")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    config = TrainConfig(
        steps=1, preset=arguments.preset, mixture=arguments.mixture, objective="paper", replay=0.0,
        batch_smallest=arguments.batch, batch_largest=arguments.batch, memory=arguments.memory,
    )  # fmt: skip
    model = model_config(config)
    costs = measure_costs(build_network(model))
    plan = BatchPlan(recipe(config, model), config)
    before = own_steps(plan, arguments.tasks, arguments.ranks, arguments.batch // arguments.ranks)
    now = dealt_steps(plan, arguments.tasks, arguments.ranks, costs)
    print(f"{arguments.preset} on {arguments.mixture}, {arguments.tasks} tasks, {arguments.ranks} ranks")
    for name, steps, split in (("batches of their own", before, False), ("dealt by cost", now, True)):
        share, worst, padding = utilization(steps, plan, costs, split=split)
        print(
            f"  {name:<21} utilization {share:.1%}, slowest over mean {1 / share:.2f} ({worst:.2f} in a tenth), "
            f"padding {padding:.1%} of the work"
        )
    for limit in (None, config.memory_limit):
        said = "no limit" if limit is None else f"--memory {arguments.memory}"
        print(f"  largest step, {said:<14} {largest_step(now, plan, costs, limit) / 1e9:.1f} GB")


if __name__ == "__main__":
    main()
