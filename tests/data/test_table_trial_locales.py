"""Words and numbers as they are written in German, French, Spanish, Italian, Portuguese and Dutch."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foundcause.data.encode import encode_column


def encode(cells, **options):
    return encode_column("t", pd.Series(cells, dtype=object), **options)


@pytest.mark.parametrize(
    "scale",
    [
        "nie|selten|manchmal|oft|immer",
        "Sehr unzufrieden|unzufrieden|teils/teils|zufrieden|sehr zufrieden",
        "stimme überhaupt nicht zu|stimme eher nicht zu|teils-teils|stimme eher zu|stimme voll und ganz zu",
        "trifft nicht zu|trifft eher nicht zu|trifft eher zu|trifft zu",
        "gering|mittel|hoch",
        "klein|mittel|groß",
        "ungenügend|mangelhaft|ausreichend|befriedigend|gut|sehr gut",
        "Jamais|Rarement|Parfois|Souvent|Toujours",
        "Pas du tout d’accord|Plutôt pas d’accord|Plutôt d’accord|Tout à fait d’accord",
        "Pas du tout satisfait|Peu satisfait|Satisfait|Très satisfait",
        "faible|moyenne|élevée",
        "nunca|a veces|siempre",
        "totalmente en desacuerdo|en desacuerdo|de acuerdo|totalmente de acuerdo",
        "bajo|medio|alto",
        "mai|a volte|sempre",
        "nunca|às vezes|sempre",
        "discordo totalmente|discordo|concordo|concordo totalmente",
        "nooit|soms|vaak|altijd",
        "zeer ontevreden|ontevreden|neutraal|tevreden|zeer tevreden",
        "Januar|Februar|März|Dezember",
        "janv|févr|mars|avr|juil|août",
        "Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag",
        "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
        "segunda-feira|terça-feira|sábado|domingo",
        "Mo|Di|Mi|Do|Fr|Sa|So",
    ],
)
def test_scales_of_other_languages(scale):
    steps = scale.split("|")
    encoded = encode(steps[::-1] * 5)
    assert encoded.kind == "ordinal" and not encoded.notes
    assert encoded.values[: len(steps)].tolist() == list(range(len(steps)))[::-1]


@pytest.mark.parametrize("cells", [["MO", "MI", "FR"], ["FR", "SA", "DO", "DE"], ["mai", "rot", "grün"]])
def test_codes_are_no_weekdays_or_months(cells):
    assert encode(cells * 5).kind == "nominal"


@pytest.mark.parametrize(
    "pair",
    [
        *("falsch wahr", "faux vrai", "falso verdadero", "falso vero", "não sim", "no sì", "nee ja", "n j"),
        *("negativ positiv", "négatif positif", "negativo positivo"),
        *("weiblich männlich", "Frau Mann", "w m", "Femme Homme", "mujer hombre", "donna uomo", "vrouw man"),
    ],
)
def test_pairs_of_other_languages(pair):
    no, yes = pair.split()
    for cells in ([no, yes, yes], [yes, no, no]):
        encoded = encode(cells * 5)
        assert encoded.kind == "binary" and encoded.values.tolist() == [float(cell == yes) for cell in cells] * 5


@pytest.mark.parametrize("word", ["unbekannt", "k. A.", "Ne sait pas", "NS/NC", "onbekend", "–", "—", "---"])
def test_words_for_no_value(word):
    assert np.isnan(encode(["rot", "blau", "grün", word] * 5).values[3])
    assert np.isnan(encode(["ja", "nein", word] * 5).values[2])


@pytest.mark.parametrize("word", [":", ": c", ":u", "...", "…"])
def test_signs_of_offices_of_statistics_for_no_value(word):
    encoded = encode([*(f"{k / 10}" for k in range(20)), word])
    assert np.isnan(encoded.values[-1]) and not encoded.notes


@pytest.mark.parametrize(
    "bands",
    [
        "unter 18|18 bis 25|26 bis 64|über 64",
        "bis 20|21-30|ab 31",
        "18-25 Jahre|26-40 Jahre|41 Jahre und älter",
        "1|2|3|mehr als 3",
        "moins de 18 ans|18 à 24 ans|25 à 34 ans|35 ans et plus",
        "menos de 18 años|18 a 24 años|25 años o más",
        "meno di 18|18-25|oltre 25",
        "menos de 18|de 18 a 24|mais de 24",
        "onder 18|18 tot 24|25 en ouder",
    ],
)
def test_bands_of_other_languages(bands):
    steps = bands.split("|")
    encoded = encode(steps[::-1] * 5)
    assert encoded.kind == "ordinal" and encoded.values[: len(steps)].tolist() == list(range(len(steps)))[::-1]


@pytest.mark.parametrize("cells", [["AB12", "AB13", "AB14"], ["AB 12", "AB 13", "AB 14"], ["1A2", "3A4", "5A6"]])
def test_codes_are_no_bands(cells):
    assert encode(cells * 5).kind == "nominal"


@pytest.mark.parametrize(
    ("cells", "values", "encoding"),
    [
        (["77 J.", "80 J.", "12 J."], [77, 80, 12], "number of J"),
        (["5 Min.", "12 Min.", "3 Min"], [5, 12, 3], "number of Min"),
        (["22'524.—", "500.-", "12.50"], [22524, 500, 12.5], "number as written (separators and signs removed)"),
        (["Fr. 500.00", "Fr. 20.50", "Fr. 1'200.--"], [500, 20.5, 1200], "number of Fr."),
        (["5,-", "10,50", "-3,-"], [5, 10.5, -3], "number as written (separators and signs removed)"),
    ],
)
def test_numbers_of_other_countries(cells, values, encoding):
    encoded = encode(cells * 5)
    assert encoded.values.tolist() == values * 5 and encoded.encoding == encoding
    assert encode(cells[:1], reading=encoded.reading).values.tolist() == values[:1]


@pytest.mark.parametrize("cells", [["14:30 Uhr", "7:05 Uhr"], ["14h30", "7h05"], ["14:30 h", "7:05 h"]])
def test_times_of_day_of_other_languages(cells):
    encoded = encode(cells * 5)
    assert encoded.encoding == "minutes since midnight" and encoded.values[:2].tolist() == [870, 425]


def test_departments_of_france_are_codes():
    assert encode(["01", "13", "2A", "75"] * 5).kind == "nominal"
    assert encode(["1", "13", "75"] * 5).kind == "count"


def test_letters_for_notes_of_eurostat():
    numbers = [f"{k / 10:.1f}" for k in range(10, 30)]
    encoded = encode([*numbers, "3.3 b", "4.4 p", "5.5 bp", ":"])
    assert encoded.values[-4:-1].tolist() == [3.3, 4.4, 5.5] and encoded.kind == "continuous"
    assert "3 cells carry a mark" in encoded.notes[0]
    assert encode(["6.6 e"], reading=encoded.reading).values.tolist() == [6.6]
    seconds = encode([*numbers, "3.3 d", "4.4 s"])
    assert np.isnan(seconds.values[-2:]).all()
