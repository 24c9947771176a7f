"""Stray quotation marks are refused with the line; honest cells of several lines are not."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from as_numbers import read_table
from foundcause.errors import TableError


def lines_of(rows: int, separator: str = ",") -> list[str]:
    cells = np.random.default_rng(0).normal(size=(rows, 2))
    body = [separator.join((f"{a:.3f}", f"{b:.3f}", "xy"[k % 2])) for k, (a, b) in enumerate(cells)]
    return [separator.join(("a", "b", "comment")), *body]


@pytest.mark.parametrize("stray", ['"pipe 5 inch', '"5"" pipe'])
@pytest.mark.parametrize("separator", [",", ";", " "])
@pytest.mark.parametrize("line", [2, 31, 500])
def test_a_quote_that_swallows_rows_is_refused_with_its_line(tmp_path, stray, separator, line):
    lines = lines_of(1000, separator)
    lines[line - 1] = lines[line - 1][:-1] + (stray.replace(" ", "_") if separator == " " else stray)
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(TableError, match=rf"mark in line {line} opens a cell that swallows {1001 - line} rows.*remove"):
        read_table(path)


def test_a_quote_in_any_column_of_a_compressed_file_below_comments(tmp_path):
    lines = ["# by hand", "# twice", "a,comment,b", *(f"{k * 37 % 101 / 10},ok,{k % 7}" for k in range(60))]
    lines[29] = '3,"5"" pipe,4'
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    with pytest.raises(TableError, match="in line 30 opens a cell that swallows 33 rows"):
        read_table(path)


def test_a_cell_that_two_strays_enclose_is_refused(tmp_path):
    lines = lines_of(100)
    lines[20], lines[40] = lines[20][:-1] + '"x', lines[40][:-1] + '"y'
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(TableError, match="in line 21 opens"):
        read_table(path)


def test_words_only_and_a_cell_without_end(tmp_path):
    path = tmp_path / "t.csv"
    words = ["c1,c2", *(f"{'uvw'[k % 3]},{'xyz'[k % 7 % 3]}" for k in range(100))]
    path.write_text("\n".join([*words[:50], 'u,"x', *words[50:]]))
    with pytest.raises(TableError, match="in line 51 opens"):
        read_table(path)
    path.write_text("\n".join([*lines_of(500), '0.1,0.2,"x', *["0.1,0.2," + 4000 * "x"] * 6000]))
    with pytest.raises(TableError, match="opens in line 502 never ends"):
        read_table(path)


@pytest.mark.parametrize(
    "comment",
    [
        "two\nlines",
        "Dear all, thanks\n\nbest, regards\nA, B",
        "1, 2 and 3\n4, 5, 6, 7\nno more",
        "dose:\n0.1,0.2,x\nas told\nby him",
    ],
)
def test_comments_of_several_lines_stay_cells(tmp_path, comment):
    path = tmp_path / "t.csv"
    body = [f'{line[:-1]}"{comment}"' if k % 3 else line for k, line in enumerate(lines_of(90)[1:])]
    path.write_text("\n".join(["a,b,comment", *body]))
    table = read_table(path)
    assert table.values.shape == (90, 3) and not any("skipped" in warning for warning in table.warnings)


def test_long_categories_are_shortened_in_every_message(tmp_path):
    rng = np.random.default_rng(0)
    essays = [letter * 5000 + "\nend" for letter in "uvw"]
    for words in (essays, essays[:2], essays[:1]):
        table = read_table({"essay": rng.choice(words, 60), "b": rng.normal(size=60)})
        assert max(map(len, table.warnings), default=0) < 400
        assert len(table.columns[0].encoding) < 200
