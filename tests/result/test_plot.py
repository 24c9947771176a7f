"""Pictures: everything drawn lies on the canvas, and letters without a font are said once."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch

from foundcause.result import Result
from made_answers import decoded


def _wide(columns: int) -> Result:
    """Many short chains side by side, and hidden common causes from one end to the other."""
    names = tuple(f"g{k}" for k in range(columns))
    edges, hidden = np.zeros((columns, columns)), np.zeros((columns, columns))
    for k in range(0, columns - 1, 2):
        edges[k, k + 1] = 0.9
    for i, j in [(0, columns - 2), (columns - 1, 1), (2, columns // 2), (3, 4)]:
        hidden[i, j] = hidden[j, i] = 0.8
    return Result(
        names=names,
        decoded=decoded(edges, confounding=hidden),
    )


@pytest.mark.parametrize("columns", [6, 24, 80])
def test_arcs_of_hidden_causes_stay_on_the_canvas(columns: int, tmp_path: Path) -> None:
    ax = _wide(columns).plot(tmp_path / "g.png")
    canvas = ax.get_window_extent()
    drawn = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert len(drawn) == columns // 2 + 4
    for patch in drawn:
        box = patch.get_path().get_extents(patch.get_transform())
        assert box.y0 >= canvas.y0 and box.y1 <= canvas.y1 and box.x0 >= canvas.x0 and box.x1 <= canvas.x1


def test_letters_without_a_font_are_boxes_with_one_warning(
    result: Result, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    unknown = "\U0010fffd"  # private use: no font has a picture for it
    named = replace(result, names=(f"{unknown}1", f"{unknown}2", "ä", "ж", "plain"), knowledge=None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ax = named.plot(tmp_path / "g.png")
        named.plot(tmp_path / "g.svg")
    assert len(caught) == 2, [str(warning.message) for warning in caught]
    assert all("no font on this machine has 1 of the letters" in str(warning.message) for warning in caught)
    assert {text.get_text() for text in ax.texts} == {"#1 □1", "#2 □2", "ä", "ж", "plain"}
    assert "no font" in ax.get_title(loc="left")
    assert not caplog.records, "matplotlib says of every font on the machine what it lacks"


def test_a_font_that_has_the_letters_is_found(result: Result, tmp_path: Path) -> None:
    """STIX has no Arabic, DejaVu has; both come with matplotlib."""
    named = replace(result, names=("عمر", "b", "c", "d", "e"), knowledge=None)
    with mpl.rc_context({"font.family": ["STIXGeneral"]}), warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = named.plot(tmp_path / "g.png")
    label = next(text for text in ax.texts if text.get_text() == "عمر")
    assert label.get_fontfamily()[0] == "STIXGeneral" and len(label.get_fontfamily()) == 2


def test_long_names_are_told_apart(result: Result, tmp_path: Path) -> None:
    stem = "systolic blood pressure"
    names = (f"{stem} before", f"{stem} after", f"{stem} {'very ' * 20}late", f"{stem} {'very ' * 20}soon", "plain")
    ax = replace(result, names=names, knowledge=None).plot(tmp_path / "g.png")
    shown = [text.get_text() for text in ax.texts]
    assert len(set(shown)) == len(names)
    assert "systolic blood\npressure before" in shown
    assert all(len(line) <= 18 for text in shown for line in text.split("\n"))
    assert all(text.count("\n") < 3 for text in shown)


def test_arrows_end_at_the_border_of_boxes(tmp_path: Path) -> None:
    """A head that lies below a wide box would tell no direction."""
    edges = np.zeros((12, 12))
    edges[0, 1:] = 0.9
    names = tuple(f"a column number {k:02d}" for k in range(12))
    ax = replace(_wide(12), names=names, decoded=decoded(edges)).plot(tmp_path / "g.png")
    ax.get_figure().canvas.draw()  # the file has another resolution than the figure
    boxes = [text.get_bbox_patch().get_window_extent() for text in ax.texts]
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == 11
    for arrow in arrows:
        line_and_head = arrow.get_transform().transform_path(arrow.get_path()).vertices
        for x, y in np.delete(line_and_head, 1, axis=0):  # the second only bends the line
            assert not any(box.x0 + 3 < x < box.x1 - 3 and box.y0 + 3 < y < box.y1 - 3 for box in boxes)
