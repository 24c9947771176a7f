"""Time and peak memory of the whole call ``foundcause.discover``, each case in a process of its own.

    python benchmarks/discover_speed.py                   # three sizes, K = 10, minimum over repeats, and a 0.2 GB CSV
    python benchmarks/discover_speed.py --csv-gb 2        # the large file at full size
    python benchmarks/discover_speed.py --out results.json

Targets: 600 x 40 within 1.5 s, 10,000 x 20 within 3 s, 1,000 x 100 within 10 s, each below 1.5 GB; a 2 GB CSV below
1.5 GB. Without trained weights, untrained ones of the shipped size are used: the work is the same.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CASES = {"600 x 40": (600, 40, 1.5), "10000 x 20": (10_000, 20, 3.0), "1000 x 100": (1000, 100, 10.0)}
MEMORY_TARGET_GB = 1.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv-gb", type=float, default=0.2, help="size of the large CSV file; 0 leaves it out")
    parser.add_argument("--repeats", type=int, default=3, help="calls per case; the quickest counts")
    parser.add_argument("--runs", type=int, default=10, help="passes per call")
    parser.add_argument("--preset", default="small", help="network size when no trained weights are at hand")
    parser.add_argument("--checkpoint", default=None, help="weights to measure with")
    parser.add_argument("--out", type=Path, default=None, help="also write the figures as JSON")
    parser.add_argument("--case", default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case is not None:
        print(json.dumps(measure(options)))
        return
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = options.checkpoint or str(make_checkpoint(Path(folder), options.preset))
        found = []
        for name, (_, _, target) in CASES.items():
            found.append({"case": name, "target_s": target, **in_own_process(options, name, checkpoint)})
        if options.csv_gb > 0:
            path = Path(folder) / "large.csv"
            rows = write_large_csv(path, options.csv_gb)
            name = f"csv {path.stat().st_size / 1e9:.2f} GB ({rows:,} rows)"
            found.append({"case": name, "target_s": None, **in_own_process(options, str(path), checkpoint)})
    print(f"{'case':<34}{'first s':>9}{'best s':>9}{'target':>8}{'peak GB':>9}")
    for row in found:
        target = "" if row["target_s"] is None else f"{row['target_s']:.1f}"
        print(f"{row['case']:<34}{row['first_s']:>9.2f}{row['best_s']:>9.2f}{target:>8}{row['peak_gb']:>9.2f}")
    if options.out is not None:
        options.out.write_text(json.dumps(found, indent=2) + "\n")


def in_own_process(options: argparse.Namespace, case: str, checkpoint: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--case", case, "--checkpoint", checkpoint]
    command += ["--runs", str(options.runs), "--repeats", str(options.repeats)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(options: argparse.Namespace) -> dict[str, float]:
    """Seconds of the first and of the quickest call after import, and the peak resident memory of the process."""
    import torch  # noqa: F401 - importing is not what is measured

    import foundcause as fc
    from foundcause import api  # noqa: F401
    from foundcause.model import checkpoints  # noqa: F401

    if options.case in CASES:
        rows, columns, _ = CASES[options.case]
        source: object = mixed_table(rows, columns)
        repeats = options.repeats
    else:
        source, repeats = options.case, 1
    seconds = []
    for _ in range(max(repeats, 1)):
        start = time.perf_counter()
        result = fc.discover(source, checkpoint=options.checkpoint, n_passes=options.runs)
        seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    return {"first_s": seconds[0], "best_s": min(seconds), "peak_gb": peak, "timing": result.timing}


def mixed_table(rows: int, columns: int) -> np.ndarray:
    """Linear and bent effects, a third of the columns rounded to few levels, two in a hundred cells missing."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, columns))
    for j in range(1, columns):
        for i in rng.choice(j, size=min(j, 2), replace=False):
            values[:, j] += 0.8 * (values[:, i] if rng.random() < 0.5 else np.tanh(2 * values[:, i]))
    values[:, ::3] = np.round(values[:, ::3])
    values[rng.random(values.shape) < 0.02] = np.nan
    return values


def write_large_csv(path: Path, gigabytes: float) -> int:
    """A CSV file of about that size, with numbers, words and blanks; returns its rows."""
    rng = np.random.default_rng(0)
    words = np.array(["low", "medium", "high", "NA"])
    block: list[str] = []
    for _ in range(20_000):
        numbers = rng.normal(size=16)
        numbers[1:] += numbers[:-1]
        block.append(",".join([*(f"{x:.6f}" for x in numbers), words[int(rng.integers(4))], str(rng.integers(9)), ""]))
    text = "\n".join(block) + "\n"
    copies = max(1, round(gigabytes * 1e9 / len(text)))
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join([*(f"x{k}" for k in range(16)), "level", "count", "nothing"]) + "\n")
        for _ in range(copies):
            file.write(text)
    return copies * len(block)


def make_checkpoint(folder: Path, name: str) -> Path:
    from foundcause.model import checkpoints
    from foundcause.model.architectures import build_network, preset
    from foundcause.weights import SHIPPED_CHECKPOINT

    if SHIPPED_CHECKPOINT.is_file():
        return SHIPPED_CHECKPOINT
    return checkpoints.save(folder / "untrained.safetensors", build_network(preset(name), seed=0), metadata={})


if __name__ == "__main__":
    main()
