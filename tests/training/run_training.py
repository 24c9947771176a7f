"""A program that tests start and kill: ``run_training.py OUT OPTIONS_JSON [--resume]`` on the small mixture."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import standins

from foundcause.training.loop import train
from foundcause.training.run_config import train_config

if __name__ == "__main__":
    standins.register()
    train(train_config(json.loads(sys.argv[2])), Path(sys.argv[1]), resume="--resume" in sys.argv)
