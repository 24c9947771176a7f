"""Text files as programs and people write them: dialects, encodings, headers, footers, number and date formats."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import adapter
from tables import causal_frame, causal_values, clinic, example


def _write(folder: Path, lines: Iterable[str], *, name: str = "table.csv", encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes("\n".join(lines).encode(encoding) + "\n".encode(encoding.removesuffix("-sig")))
    return path


def _lines(frame: pd.DataFrame, separator: str = ",", *, header: bool = True) -> list[str]:
    rows = [separator.join(map(str, row)) for row in frame.itertuples(index=False)]
    return [separator.join(frame.columns), *rows] if header else rows


def _spoken(number: float, *, decimals: int, thousands: str, point: str) -> str:
    """Return a number as another country writes it."""
    return f"{number:,.{decimals}f}".replace(",", "_").replace(".", point).replace("_", thousands)


def _table(columns: dict[str, Sequence[object]], separator: str = ",") -> list[str]:
    return _lines(pd.DataFrame(columns), separator)


# ---- dialects and encodings ------------------------------------------------------------------------------------------


@example()
def csv_plain(folder: Path) -> Path:
    return _write(folder, _lines(clinic()))


@example(separator="|")
def csv_pipes_told(folder: Path) -> Path:
    return _write(folder, _lines(clinic(seed=20), "|"))


@example()
def tsv_latin_1(folder: Path) -> Path:
    frame = clinic(seed=21).rename(columns={"dose": "Döse", "response": "réponse"})
    return _write(folder, _lines(frame, "\t"), name="table.tsv", encoding="latin-1")


@example()
def csv_utf_16(folder: Path) -> Path:
    return _write(folder, _lines(clinic(seed=22).rename(columns={"age": "Alter (Jahre)"}), "\t"), encoding="utf-16")


@example()
def csv_of_excel_in_german(folder: Path) -> Path:
    frame = clinic(seed=23)
    columns = {
        "Alter": frame["age"].astype(int),
        "Gewicht [kg]": [f"{v:.1f}".replace(".", ",") for v in frame["weight"]],
        "Dosis": [f"{v:.2f}".replace(".", ",") for v in frame["dose"]],
        "Umsatz": [_spoken(v * 1000, decimals=2, thousands=".", point=",") for v in frame["response"].abs()],
    }
    return _write(folder, ["sep=;", *_table(columns, ";")], encoding="utf-8-sig")


@example()
def csv_gzipped(folder: Path) -> Path:
    path = folder / "table.csv.gz"
    path.write_bytes(gzip.compress("\n".join(_lines(clinic(seed=24))).encode(), mtime=0))
    return path


@example()
def txt_aligned_by_blanks(folder: Path) -> Path:
    frame = clinic(seed=25)
    return _write(folder, frame.to_string(index=False).split("\n"), name="table.txt")


@example(header=False)
def csv_without_a_header(folder: Path) -> Path:
    return _write(folder, _lines(causal_frame(200, 4, 80).round(3), header=False))


@example()
def csv_quoted_lines_and_ragged_rows(folder: Path) -> Path:
    lines = _lines(clinic(seed=26))
    lines = [f'{line},"note {k},\nsecond line"' if k else f"{line},note" for k, line in enumerate(lines)]
    lines[50] = "1,2"
    lines[60] += ",7,8"
    return _write(folder, lines)


@example()
def csv_trailing_separators(folder: Path) -> Path:
    return _write(folder, [line + "," for line in _lines(clinic(seed=27))])


# ---- above, below and beside the table -------------------------------------------------------------------------------


@example()
def csv_title_lines(folder: Path) -> Path:
    head = ["Clinic report 2023,,,,,", "all doses in mg,,,,,", ",,,,,"]
    return _write(folder, [*head, *_lines(clinic(seed=28))])


@example()
def csv_comments(folder: Path) -> Path:
    return _write(folder, ["# exported by hand", "# version 2", *_lines(clinic(seed=29))])


@example()
def csv_footer_of_totals(folder: Path) -> Path:
    frame = pd.DataFrame(np.abs(causal_values(60, 4, 81)).round(2) * 10, columns=["north", "south", "east", "west"])
    frame.insert(0, "shop", [f"shop {k % 20}" for k in range(60)])
    total = ",".join(["Total", *(f"{v:.2f}" for v in frame.iloc[:, 1:].sum())])
    return _write(folder, [*_lines(frame), total, "", "Source: our own books"])


@example()
def csv_units_below_the_header(folder: Path) -> Path:
    lines = _lines(clinic(seed=30).drop(columns="male"))
    return _write(folder, [lines[0], "years,kg,mg,mmHg,points", *lines[1:]])


@example()
def csv_two_headers_of_a_survey(folder: Path) -> Path:
    rng = np.random.default_rng(31)
    head = ["Respondent ID,How old are you?,What do you use?,,Score", ",Response,Phone,Tablet,"]
    ages = rng.choice(["18-24", "25-34", "35-44", "45+"], 120)
    phone, tablet = rng.choice(["Phone", ""], 120), rng.choice(["Tablet", ""], 120)
    rows = [f"11{k * k},{ages[k]},{phone[k]},{tablet[k]},{rng.normal():.2f}" for k in range(120)]
    return _write(folder, [*head, *rows])


@example()
def csv_row_names_without_a_name(folder: Path) -> Path:
    return _write(folder, clinic(seed=32).to_csv().strip().split("\n"))


@example()
def csv_names_twice_and_empty(folder: Path) -> Path:
    lines = _lines(causal_frame(200, 5, 82).round(3))
    return _write(folder, ["x,x,,y,", *lines[1:]])


@example()
def csv_of_the_world_bank(folder: Path) -> Path:
    values = causal_values(40, 3, 83).round(2) * 10 + 50
    head = ['"Data Source","World Development Indicators",', "", '"Last Updated Date","2023-07-25",', ""]
    names = '"Country Name","Country Code","2018","2019","2020",'
    rows = [f'"Land {k}","L{k:02d}",' + ",".join(f'"{v:.1f}"' for v in row) + "," for k, row in enumerate(values)]
    return _write(folder, [*head, names, *rows])


@example()
def csv_demo_survey(folder: Path) -> Path:
    return adapter.write_demo_survey(folder / "survey.csv", 600)


# ---- numbers ---------------------------------------------------------------------------------------------------------


@example()
def csv_thousands_in_quotes(folder: Path) -> Path:
    values = np.exp(causal_values(200, 3, 84) + 8)
    columns = {
        "income": [f'"{v:,.0f}"' for v in values[:, 0]],
        "rent": [f'"{v:,.2f}"' for v in values[:, 1]],
        "debt": [f'"({v:,.2f})"' if k % 9 == 0 else f'"{v:,.2f}"' for k, v in enumerate(values[:, 2])],
    }
    return _write(folder, _table(columns))


@example()
def csv_dots_between_thousands(folder: Path) -> Path:
    values = np.exp(causal_values(200, 3, 85) + 8)
    columns = {
        "Miete": [_spoken(v, decimals=2, thousands=".", point=",") for v in values[:, 0]],
        "Kredit": [_spoken(v, decimals=0, thousands=".", point=",") for v in values[:, 1]],
        "Anteil": [f"{v / 9000:.3f}".replace(".", ",") for v in values[:, 2]],
    }
    return _write(folder, _table(columns, ";"))


@example()
def csv_currencies(folder: Path) -> Path:
    values = np.exp(causal_values(200, 4, 86) + 6)
    columns = {
        "price": [f'"${v:,.2f}"' for v in values[:, 0]],
        "cost": [f'"€ {v:,.2f}"' for v in values[:, 1]],
        "fee": [f"{v:.2f} USD" for v in values[:, 2]],
        "tax": [f"£{v:.2f}" for v in values[:, 3]],
    }
    return _write(folder, _table(columns))


@example()
def csv_euros_after_the_number(folder: Path) -> Path:
    values = np.exp(causal_values(200, 3, 87) + 6)
    columns = {f"Betrag {k}": [_spoken(v, decimals=2, thousands=".", point=",") + " €" for v in values[:, k]]
               for k in range(3)}  # fmt: skip
    return _write(folder, _table(columns, ";"), encoding="cp1252")


@example()
def csv_percentages_and_signs(folder: Path) -> Path:
    values = causal_values(200, 4, 88)
    columns = {
        "share": [f"{v:.1f}%" for v in 50 + 10 * values[:, 0]],
        "change": [f"{v:+.2f} %" for v in values[:, 1]],
        "limit": [f"<{0.5}" if v < -1 else f"{v + 2:.2f}" for v in values[:, 2]],
        "minus": [f"{v:.2f}".replace("-", "−") for v in values[:, 3]],
    }
    return _write(folder, _table(columns))


@example()
def csv_units_in_cells_and_names(folder: Path) -> Path:
    frame = clinic(seed=33)
    columns = {
        "height (cm)": frame["pressure"],
        "weight": [f"{v} kg" for v in frame["weight"]],
        "dose": [f"{v * 1000:.0f} mg" if k % 4 else f"{v:.3f} g" for k, v in enumerate(frame["dose"])],
        "speed [km/h]": frame["response"],
        "rain_mm": frame["age"],
    }
    return _write(folder, _table(columns))


@example()
def csv_scientific_and_sizes(folder: Path) -> Path:
    values = np.exp(causal_values(200, 3, 89))
    columns = {
        "a": [f"{v:.3e}" for v in values[:, 0]],
        "b": [f"{v * 3:.1f}k" for v in values[:, 1]],
        "c": [f"{v * 2:.1f} MB" for v in values[:, 2]],
    }
    return _write(folder, _table(columns))


# ---- words -----------------------------------------------------------------------------------------------------------


@example()
def csv_missing_words(folder: Path) -> Path:
    frame = clinic(seed=34).astype(str)
    words = ["NA", "n/a", "", "-", "NULL", "unknown", "."]
    rng = np.random.default_rng(34)
    for name in frame.columns:
        gaps = np.flatnonzero(rng.random(240) < 0.12)
        frame.loc[gaps, name] = rng.choice(words, gaps.size)
    return _write(folder, _lines(frame))


@example()
def csv_answers_in_words(folder: Path) -> Path:
    values = causal_values(300, 5, 90)

    def worded(k: int, *words: str) -> list[str]:
        edges = np.quantile(values[:, k], np.linspace(0, 1, len(words) + 1)[1:-1])
        return [words[g] for g in np.searchsorted(edges, values[:, k])]

    columns = {
        "trust": worded(0, "Not at all", "A little", "Somewhat", "A lot"),
        "health": worded(1, "poor", "fair", "good", "very good", "excellent"),
        "consent": worded(2, "No", "Yes"),
        "age group": worded(3, "under 20", "20-39", "40-59", "60+"),
        "score": [f"{v:.2f}" for v in values[:, 4]],
    }
    return _write(folder, _table(columns))


@example()
def csv_ticked_boxes(folder: Path) -> Path:
    values = causal_values(250, 4, 91)
    columns = {f"option {k}": ["x" if v > 0.3 else "" for v in values[:, k]] for k in range(3)}
    return _write(folder, _table({**columns, "score": values[:, 3].round(3).tolist()}))


@example()
def csv_spellings_of_one_word(folder: Path) -> Path:
    frame = clinic(seed=35)
    rng = np.random.default_rng(35)
    frame["male"] = [rng.choice(["Male", "male", "MALE "] if m else ["Female", "female"]) for m in frame["male"]]
    frame["city"] = rng.choice(["Berlin", "berlin", "Köln", "Rome"], 240)
    return _write(folder, _lines(frame))


# ---- days and times --------------------------------------------------------------------------------------------------


def _dates(pattern: str, seed: int, *, freq: str = "D") -> list[str]:
    """Return 200 moments in random order."""
    moments = pd.date_range("2020-01-15 06:30", periods=200, freq=freq)
    order = np.random.default_rng(seed).permutation(200)
    return moments[order].strftime(pattern).tolist()


@example()
def csv_dates_of_many_countries(folder: Path) -> Path:
    values = causal_values(200, 2, 92).round(3)
    columns = {
        "iso": _dates("%Y-%m-%d", 1),
        "german": _dates("%d.%m.%Y", 2),
        "american": _dates("%m/%d/%Y", 3),
        "british": _dates("%d/%m/%y", 4),
        "written": _dates('"%B %d, %Y"', 5),
        "x": values[:, 0],
        "y": values[:, 1],
    }
    return _write(folder, _table(columns))


@example()
def csv_timestamps_and_clock_times(folder: Path) -> Path:
    values = causal_values(200, 2, 93).round(3)
    columns = {
        "stamp": _dates("%Y-%m-%dT%H:%M:%SZ", 6, freq="53min"),
        "clock": _dates("%H:%M", 7, freq="53min"),
        "noon": _dates("%I:%M %p", 8, freq="53min"),
        "length": [f"{int(abs(v) * 3)}:{int(abs(v) * 600) % 60:02d}:00" for v in values[:, 0]],
        "x": values[:, 0],
        "y": values[:, 1],
    }
    return _write(folder, _table(columns))


@example()
def csv_days_with_gaps_and_a_strange_one(folder: Path) -> Path:
    values = causal_values(200, 3, 94).round(3)
    days = _dates("%d-%b-%Y", 9)
    days[::17] = [""] * len(days[::17])
    days[5] = "soon"
    return _write(folder, _table({"seen": days, "x": values[:, 0], "y": values[:, 1], "z": values[:, 2]}))


@example()
def csv_months_weekdays_and_quarters(folder: Path) -> Path:
    moments = pd.date_range("2015-01-01", periods=200, freq="11D")
    values = causal_values(200, 2, 95).round(3)
    columns = {
        "month": moments.strftime("%B").tolist(),
        "weekday": moments.strftime("%a").tolist(),
        "quarter": [f"{moment.year}-Q{moment.quarter}" for moment in moments],
        "x": values[:, 0],
        "y": values[:, 1],
    }
    return _write(folder, _table(columns))


# ---- refused ---------------------------------------------------------------------------------------------------------


@example()
def csv_empty(folder: Path) -> Path:
    return _write(folder, [""])


@example()
def csv_of_a_web_page(folder: Path) -> Path:
    return _write(folder, ["<!DOCTYPE html>", "<html><body>", "<table><tr><td>1</td></tr></table>", "</body></html>"])


@example()
def csv_decimal_commas_not_quoted(folder: Path) -> Path:
    rng = np.random.default_rng(36)
    rows = [f"{rng.integers(18, 90)},{rng.integers(900, 3000)},{rng.integers(0, 100):02d}" for _ in range(90)]
    return _write(folder, ["age,income", *rows])
