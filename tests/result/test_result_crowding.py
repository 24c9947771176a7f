"""Hidden common causes that are too many: said, printed and drawn so that people can read them, and all kept."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch
from rich.console import Console

from foundcause.data.table import Column
from foundcause.diagnostics.graph import drawn_pairs
from foundcause.knowledge import Knowledge
from foundcause.report.terminal import print_result
from foundcause.result import Result
from made_answers import decoded, provenance


def crowd(columns: int, shown: int, seed: int = 0) -> Result:
    """A chain of columns, and hidden causes of the first ``shown`` pairs."""
    names = tuple(f"c{k}" for k in range(columns))
    edges, hidden = np.zeros((columns, columns)), np.zeros((columns, columns))
    edges[np.arange(columns - 1), np.arange(1, columns)] = 0.8
    first, second = (places[:shown] for places in np.triu_indices(columns, 1))
    hidden[first, second] = np.random.default_rng(seed).uniform(0.55, 0.95, size=shown)
    return Result(
        names=names,
        decoded=decoded(edges, confounding=hidden + hidden.T),
        provenance=provenance(rows=60),
    )


def _arcs(result: Result, path: Path) -> tuple[int, str]:
    """How many dashed arcs the picture has, and its note."""
    ax = result.plot(path)
    drawn = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    return len(drawn) - len(result.edges), "\n".join(ax.get_title(loc="left").split("\n")[1:])


def _printed(result: Result, folder: Path | None) -> str:
    text = io.StringIO()
    print_result(result, folder, Console(file=text, width=200))
    return text.getvalue()


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_dense_confounding_is_said_and_not_drawn(suffix: str, tmp_path: Path) -> None:
    result = crowd(12, 60)
    arcs, note = _arcs(result, tmp_path / f"g.{suffix}")
    assert arcs == 0 and "60" in note
    assert drawn_pairs(result) == []
    assert len(result.confounded_pairs) == 60, "nothing is hidden from the answer"


def test_a_picture_of_few_arcs_has_all_of_them_and_no_note(tmp_path: Path) -> None:
    assert _arcs(crowd(12, 11), tmp_path / "g.png") == (11, "")
    assert _arcs(crowd(12, 22), tmp_path / "g.png") == (22, ""), "22 of 66 pairs are a third, not more"


def test_a_wide_picture_has_no_more_arcs_than_an_eye_can_follow(tmp_path: Path) -> None:
    assert _arcs(crowd(40, 120), tmp_path / "g.png")[0] == 120
    arcs, note = _arcs(crowd(40, 121), tmp_path / "g.png")
    assert arcs == 40 and "of 121 pairs" in note


def test_columns_without_a_part_and_roots_do_not_count(tmp_path: Path) -> None:
    result = crowd(12, 22)
    idle = tuple(
        Column(name=name, kind="continuous", distinct=9, role="excluded" if name == "c11" else "variable")
        for name in result.names
    )
    assert len(drawn_pairs(result)) == 22
    assert drawn_pairs(replace(result, column_info=idle)) == [], "22 of 55 pairs are more than a third"
    assert drawn_pairs(replace(result, knowledge=Knowledge(roots=["c11"]))) == []


def test_both_notes_of_a_picture_are_read(tmp_path: Path) -> None:
    result = crowd(12, 60)
    named = replace(result, names=("\U0010fffd", *result.names[1:]))  # private use: no font has a picture for it
    with pytest.warns(UserWarning, match="no font"):
        note = _arcs(named, tmp_path / "g.png")[1]
    assert "no font" in note and "60" in note


def test_a_crowd_is_printed_as_its_number_and_the_most_probable_few(tmp_path: Path) -> None:
    result = crowd(19, 161)
    text = _printed(result, tmp_path)
    assert text.count("<->") == 10 and "161 of 171 pairs seem to share a hidden common cause" in text
    assert "151 more" in text and "confounded_pairs.csv" in text
    best = result.confounded_pairs.loc[0]
    assert next(line for line in text.splitlines() if "<->" in line).split()[:3] == [best.first, "<->", best.second]
    assert "result.confounded_pairs" in _printed(result, None)


def test_no_more_than_twenty_pairs_are_printed() -> None:
    text = _printed(crowd(40, 60), None)
    assert text.count("<->") == 20 and "... and 40 more pairs" in text and "of 780 pairs" not in text
    text = _printed(crowd(40, 20), None)
    assert text.count("<->") == 20 and "more pairs" not in text


def test_files_hold_every_pair(tmp_path: Path) -> None:
    result = crowd(12, 60)
    folder = result.save(tmp_path / "o")
    again = Result.from_json(folder / "result.json")
    assert again.confounded_pairs.equals(result.confounded_pairs)
    assert len((folder / "confounded_pairs.csv").read_text().splitlines()) == 61
    assert (folder / "graph.dot").read_text().count("dir=both") == 60
    assert (folder / "graph.mmd").read_text().count("<-.->") == 60
    assert (folder / "graph.gml").read_text().count("observed 0") == 60
