"""Time and peak memory of the pairwise statistics: ``python benchmarks/statistics_speed.py --threads 2``.

Every line is measured in a process of its own, so that peak memory is that of one size; the memory of the libraries
themselves is measured by an empty process and shown beside it. Processor seconds (summed over threads) tell more than
seconds on a machine that is busy with other work.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

SHIPPED = "extended+peeled+sparsest+lagged"
CASES = (
    ("release", 600, 40, 0.0),
    ("release", 2000, 40, 0.0),
    ("release", 600, 40, 0.1),
    ("paper", 100, 5, 0.0),
    ("paper", 600, 40, 0.0),
    ("paper", 600, 40, 0.1),
    ("paper", 5000, 100, 0.0),
    ("extended", 600, 40, 0.0),
    ("paper+extended", 100, 5, 0.0),
    ("paper+extended", 600, 40, 0.0),
    ("paper+extended", 600, 40, 0.1),
    ("paper+extended", 5000, 100, 0.0),
    (SHIPPED, 500, 2, 0.0),
    (SHIPPED, 700, 28, 0.0),
    (SHIPPED, 600, 40, 0.0),
    (SHIPPED, 600, 40, 0.1),
    (SHIPPED, 1000, 100, 0.0),
)


def measure(
    features: str, rows: int, variables: int, missing: float, threads: int, repeats: int, compiled: bool
) -> None:
    """Prints seconds and peak bytes of one case as JSON; zero rows measure the libraries alone."""
    import torch

    from foundcause.features import compute

    torch.set_num_threads(threads)
    seconds, processor = [], []
    if rows:
        generator = torch.Generator().manual_seed(0)
        noise = torch.randn(rows, variables, generator=generator)
        values = (noise + 0.5 * torch.tanh(noise.roll(1, dims=1))).cumsum(dim=1)
        observed = torch.rand(rows, variables, generator=generator) >= missing
        if compiled:
            compute(values[:50], observed[:50], features=features, compiled=True)  # load the kernels
        for _ in range(repeats):
            start, busy = time.perf_counter(), time.process_time()
            compute(values, observed, features=features, compiled=compiled)
            seconds.append(time.perf_counter() - start)
            processor.append(time.process_time() - busy)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    least = {"seconds": min(seconds, default=0.0), "processor": min(processor, default=0.0)}
    print(json.dumps(least | {"peak": peak}))


def in_own_process(*arguments: object) -> dict[str, float]:
    """The numbers of one case from a fresh interpreter."""
    command = [sys.executable, __file__, "--one", *(str(argument) for argument in arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5, help="the least time of so many runs is shown")
    parser.add_argument("--one", nargs=7, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        features, rows, variables, missing, threads, repeats, compiled = options.one
        sizes = int(rows), int(variables), float(missing), int(threads), int(repeats)
        measure(features, *sizes, compiled == "True")
        return
    libraries = in_own_process("paper", 0, 0, 0.0, options.threads, 1, False)["peak"]
    print(f"{options.threads} thread(s), least of {options.repeats} runs; libraries alone {libraries / 2**20:.0f} MB\n")
    print("| features | rows | variables | missing | seconds | processor seconds | torch / compiled | peak memory |")
    print("|---|---|---|---|---|---|---|---|")
    for features, rows, variables, missing in CASES:
        case = features, rows, variables, missing, options.threads, options.repeats
        found, plain = (in_own_process(*case, compiled) for compiled in (True, False))
        ratio, peak = plain["processor"] / found["processor"], found["peak"] / 2**20
        print(
            f"| {features} | {rows} | {variables} | {missing:.0%} | {found['seconds']:.3f} | "
            f"{found['processor']:.3f} | {ratio:.2f} | {peak:.0f} MB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
