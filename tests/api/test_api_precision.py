"""Answers do not depend on what another package told torch to use by default."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch

import foundcause as fc
from foundcause.errors import FoundcauseError
from foundcause.features.precision import single_precision

ANSWER = """
import sys, numpy as np, torch
torch.set_default_dtype(getattr(torch, sys.argv[1]))
import foundcause as fc
rng = np.random.default_rng(0)
table = rng.normal(size=(200, 5)).cumsum(axis=1)
table[rng.random(table.shape) < 0.1] = np.nan
print(fc.discover(table, n_passes=2).probabilities.to_numpy().tobytes().hex(), torch.get_default_dtype())
"""


def test_a_process_set_to_64_bits_gives_the_same_answer_and_stays_as_it_was() -> None:
    outputs = [
        subprocess.run([sys.executable, "-c", ANSWER, kind], capture_output=True, text=True, check=True).stdout.split()
        for kind in ("float32", "float64")
    ]
    assert outputs[0][0] == outputs[1][0]
    assert [output[1] for output in outputs] == ["torch.float32", "torch.float64"]


def test_the_default_comes_back_after_an_error_too() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        with pytest.raises(FoundcauseError):
            fc.discover(np.zeros((3, 2)))
        with pytest.raises(ValueError), single_precision():
            assert torch.get_default_dtype() == torch.float32
            raise ValueError
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
