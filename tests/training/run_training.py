"""A program that tests start and kill: ``run_training.py OUT OPTIONS_JSON [--resume | --auto]`` on the small mixture.

With ``KILL_ONCE`` the second of several processes kills itself after some steps, unless that file exists already.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import standins

from foundcause.training.loop import train
from foundcause.training.run_config import train_config
from foundcause.training.run_folder import RunFolder

LATEST_STEP = 12


def kill_once(folder: RunFolder, marker: Path) -> None:
    while sum(entry["kind"] == "step" for entry in folder.read_log()) < LATEST_STEP:
        time.sleep(0.01)
    marker.write_text("")
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    standins.register()
    folder = RunFolder(Path(sys.argv[1]))
    marker = os.environ.get("KILL_ONCE")
    if marker and os.environ.get("RANK") == "1" and not Path(marker).exists():
        threading.Thread(target=kill_once, args=(folder, Path(marker)), daemon=True).start()
    resume = "--resume" in sys.argv or ("--auto" in sys.argv and folder.state.exists())
    train(train_config(json.loads(sys.argv[2])), folder.path, resume=resume)
