"""Wide tables: the same columns for each grade of a school, most cells missing, and surveys of many items."""

from __future__ import annotations

import numpy as np
import pandas as pd

from as_numbers import read_table
from foundcause.data.together import joined
from foundcause.diagnostics import diagnose_table

ROWS = 1500


def project_star(seed: int = 0) -> pd.DataFrame:
    """Pupils who enter and leave in any of four grades; what is known of each grade stands in columns of its own."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"gender": rng.choice(["male", "female"], ROWS)})
    frame["birth"] = [f"19{79 + year} Q{quarter}" for year, quarter in rng.integers(1, 4, (ROWS, 2))]
    ability, school = rng.normal(size=ROWS), rng.integers(1, 61, ROWS)
    area = rng.choice(["inner-city", "suburban", "rural", "urban"], 61)
    enters = rng.choice(4, ROWS, p=[0.55, 0.2, 0.13, 0.12])
    leaves = enters + rng.choice(4, ROWS, p=[0.35, 0.2, 0.15, 0.3])
    grades = {}
    for grade, letter in enumerate("k123"):
        arm = rng.choice(["regular", "small", "regular+aide"], ROWS)
        columns = {
            "star": arm,
            "read": np.round(430 + 50 * grade + 25 * ability + 6 * (arm == "small") + 15 * rng.normal(size=ROWS)),
            "math": np.round(480 + 45 * grade + 30 * ability + 20 * rng.normal(size=ROWS)),
            "lunch": rng.choice(["free", "non-free"], ROWS),
            "school": area[school],
            "degree": rng.choice(["bachelor", "master", "phd", "specialist"], ROWS, p=[0.6, 0.35, 0.02, 0.03]),
            "ladder": rng.choice(["level1", "apprentice", "probation", "notladder"], ROWS),
            "experience": rng.integers(0, 30, ROWS),
            "schoolid": school,
        }
        here = (enters <= grade) & (grade <= leaves)
        for name, cells in columns.items():
            grades[name, grade] = (name + letter, pd.Series(cells).where(here & (rng.random(ROWS) > 0.03)))
    return frame.assign(**dict(grades[name, grade] for name in columns for grade in range(4)))


def test_a_wide_table_is_read_with_a_handful_of_warnings() -> None:
    table = read_table(project_star())
    part = np.flatnonzero(table.active)
    assert len(part) == 38 and np.isnan(table.values).mean() > 0.4
    findings = diagnose_table(table)
    assert len(table.warnings) + len(findings) <= 6, (table.warnings, findings)
    (degrees,) = (note for note in table.warnings if "degree" in note and "scale" in note)
    assert degrees.startswith("columns 'degreek', 'degree1', 'degree2', 'degree3': ")
    assert degrees.endswith(" cells do not belong to the scale ('specialist') and are treated as missing")


def test_codes_for_missing_in_many_columns_are_one_warning_and_no_far_cells() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(50, 9, (300, 5)).round(1), columns=[f"item{k}" for k in range(5)])
    for k in range(5):
        frame.loc[rng.permutation(300)[:2], f"item{k}"] = -999
    table = read_table(frame)
    (said,) = table.warnings
    assert said.startswith("columns 'item0', 'item1', 'item2', 'item3', 'item4' hold -999 in 10 cells, far from all")
    assert diagnose_table(table) == []
    assert len(read_table(frame[["item0", "item1", "item2"]]).warnings) == 3  # each with its number of rows


def test_notes_that_say_the_same_are_joined() -> None:
    def note(name: str, rest: str) -> tuple[str, str]:
        return name, f"column {name!r}{rest}"

    one = note("a", ": 1 cell (0%) is no number ('x') and is treated as missing")
    more = [
        note(name, f": {k} cells (3%) are no number ('x') and are treated as missing")
        for k, name in enumerate("bcd", 2)
    ]
    other = note("e", ": 4 cells (3%) are no number ('y') and are treated as missing")
    assert joined([one, *more, other], most=3) == [
        "columns 'a', 'b', 'c', 'd': 10 cells are no number ('x') and are treated as missing",
        other[1],
    ]
    assert joined([one, *more[:2], other], most=3) == [text for _, text in (one, *more[:2], other)]
    whole = [note(name, " is taken for something else") for name in "abcde"]  # cannot be said of several
    assert joined(whole, most=3) == [text for _, text in whole]
    assert joined([(name, one[1].replace("'a'", repr(name))) for name in "abcd"], most=3) == [
        "columns 'a', 'b', 'c', 'd': 4 cells are no number ('x') and are treated as missing"
    ]
    lists = ": a cell such as '1,3' lists several answers; make a column of each answer"
    assert joined([note(name, lists) for name in "abcd"], most=3) == [f"columns 'a', 'b', 'c', 'd'{lists}"]
    infinite = [note(name, f": {k} infinite cells are treated as missing") for k, name in enumerate("abcd", 2)]
    assert joined(infinite, most=3) == ["columns 'a', 'b', 'c', 'd': 14 infinite cells are treated as missing"]
    unknown = [
        note(name, ": 'unknown' (1 cell) is taken for missing; if that is a value, rename it") for name in "abcd"
    ]
    assert joined(unknown, most=3)[0].endswith(
        ": 'unknown' (4 cells) is taken for missing; if that is a value, rename it"
    )
