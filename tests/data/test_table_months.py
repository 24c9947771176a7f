"""Dates with names of months, in several languages."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from foundcause.data.encode import encode_column

EPOCH = datetime.date(1970, 1, 1)
FULL = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "en": "January February March April May June July August September October November December",
}
SHORT = {  # as spreadsheets write them
    "de": "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "fr": "janv févr mars avr mai juin juil août sept oct nov déc",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
}


def encode(cells, **options):
    return encode_column("t", pd.Series(cells, dtype=object), **options)


def days(*dates: str) -> list[int]:
    return [(datetime.date.fromisoformat(date) - EPOCH).days for date in dates]


@pytest.mark.parametrize("names", [*FULL.values(), *SHORT.values()])
@pytest.mark.parametrize(
    "pattern", ["{d} {m} {y}", "{d}. {m} {y}", "{d:02d}-{m}-{y}", "{d} de {m} de {y}", "{d} {m}. {y}"]
)
def test_names_of_months_in_dates(names, pattern):
    cells = [pattern.format(d=k + 2, m=month, y=2019) for k, month in enumerate(names.split())]
    encoded = encode(cells * 3)
    expected = days(*(f"2019-{k + 1:02d}-{k + 2:02d}" for k in range(12)))
    assert encoded.kind == "date" and encoded.values.tolist() == expected * 3 and not encoded.notes
    assert encode(cells[8:9], reading=encoded.reading).values.tolist() == expected[8:9]


@pytest.mark.parametrize("names", [*FULL.values(), *SHORT.values()])
@pytest.mark.parametrize("pattern", ["{m} {y}", "{m}-{y}", "{m}. {y}", "{m}/{y}", "{y} {m}"])
def test_names_of_months_before_years(names, pattern):
    cells = [pattern.format(m=month, y=2019) for month in names.split()]
    encoded = encode(cells * 3)
    expected = days(*(f"2019-{k + 1:02d}-01" for k in range(12)))
    assert encoded.kind == "date" and encoded.values.tolist() == expected * 3 and not encoded.notes
    assert encode(cells[8:9], reading=encoded.reading).values.tolist() == expected[8:9]


def test_years_of_two_digits_are_told_as_they_are_written():
    encoded = encode([f"{month}.-20" for month in SHORT["fr"].split()] * 3)
    assert encoded.kind == "date" and encoded.values[:2].tolist() == days("2020-01-01", "2020-02-01")
    assert "'août.-20' is read as a month and a year" in encoded.notes[0]


@pytest.mark.parametrize(
    ("cells", "dates"),
    [
        (["Montag, 4. Mai 2020", "Di., 5. Mai 2020", "Sonntag, den 10. Mai 2020"],
         ["2020-05-04", "2020-05-05", "2020-05-10"]),
        (["lundi 4 mai 2020", "mar. 5 mai 2020", "1er juin 2020"], ["2020-05-04", "2020-05-05", "2020-06-01"]),
        (["lunes, 4 de mayo de 2020", "domingo, 10 de mayo del 2020"], ["2020-05-04", "2020-05-10"]),
        (["Mo, 04.05.2020", "So, 24.05.2020"], ["2020-05-04", "2020-05-24"]),
        (["2020-Mai-04", "2020-Dez-10"], ["2020-05-04", "2020-12-10"]),
    ],
)  # fmt: skip
def test_weekdays_and_other_words_of_dates(cells, dates):
    encoded = encode(cells * 5)
    assert encoded.kind == "date" and encoded.values.tolist() == days(*dates) * 5


@pytest.mark.parametrize(
    "cell",
    [
        "4. Mai 2020 14:30",
        "4. Mai 2020, 14:30 Uhr",
        "Montag, 4. Mai 2020 um 14:30:00 Uhr",
        "4 mai 2020 à 14h30",
        "4 maggio 2020 alle ore 14:30",
        "4 de mayo de 2020 a las 14:30",
        "04.05.2020 14:30 Uhr",
    ],
)
def test_times_behind_such_dates(cell):
    encoded = encode([cell, cell.replace("2020", "2021")] * 5)
    np.testing.assert_allclose(encoded.values[:2], [day + 14.5 / 24 for day in days("2020-05-04", "2021-05-04")])


@pytest.mark.parametrize(
    "cells",
    [
        ["AVR-10", "AVR-12", "AVR-15"],
        ["gen-10", "gen-11", "gen-12"],
        ["Mars 2020", "Mars 2021", "Mars 2022"],
        ["12SET10", "14SET10", "15OUT20"],
        ["5 mag 10", "6 kg 20", "7 mol 30"],
        ["3 mars bars", "4 mars bars", "5 mars bars"],
        ["Mai", "Marco", "Mars"],
        ["10 de 2020", "11 de 2020", "12 de 2021"],
        ["30 Mai Tai 2020", "31 Mai Tai 2020", "32 Mai Tai 2020"],
    ],
)
def test_what_is_no_date_stays_words(cells):
    assert encode(cells * 5).kind == "nominal"
