"""Times with zones, of servers and of clocks; durations and sizes in several units."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from foundcause.data.encode import encode_column

DAY = 86400.0


def encode(cells, **options):
    return encode_column("t", pd.Series(cells, dtype=object), **options)


def told(encoded, *words):
    return any(all(word in note for word in words) for note in encoded.notes)


@pytest.mark.parametrize(
    ("pattern", "hour"),
    [
        ("%Y-%m-%d 10:00:00 EST", 15),
        ("%Y-%m-%d 10:00 EDT", 14),
        ("%Y-%m-%d 10:00:00 CET", 9),
        ("%d.%m.%Y 10:00:00 CEST", 8),
        ("%m/%d/%Y 10:00 PM PST", 30),
        ("%Y-%m-%dT10:00:00+01:00[Europe/Berlin]", 9),
        ("%Y-%m-%dT10:00:00Z[UTC]", 10),
        ("%d/%b/%Y:10:00:00 +0000", 10),
        ("[%d/%b/%Y:10:00:00 -0500]", 15),
        ("%a %b %e 10:00:00 %Y", 10),
        ("%a %b %d 10:00:00 +0000 %Y", 10),
    ],
)
def test_zones_and_servers(pattern, hour):
    days = pd.date_range("2020-01-01", periods=100)
    encoded = encode([day.strftime(pattern) for day in days])
    assert encoded.kind == "date" and not encoded.notes
    np.testing.assert_allclose(encoded.values, np.arange(100) + 18262 + hour / 24)
    again = encode([days[3].strftime(pattern)], reading=encoded.reading)
    np.testing.assert_allclose(again.values, [18265 + hour / 24])


def test_zones_of_one_column_are_told_apart_and_doubtful_ones_are_told():
    mixed = encode(["2020-01-01 10:00 CET", "2020-07-01 10:00 CEST", "2020-01-01 10:00 UTC"])
    assert np.round(24 * (mixed.values % 1)).tolist() == [9, 8, 10] and not mixed.notes
    assert told(encode(["2020-01-01 10:00 CST", "2020-01-02 10:00 CST"]), "'t'", "'CST' for UTC-06:00", "write offsets")


@pytest.mark.parametrize(
    ("cells", "minutes"),
    [
        (["7 AM", "3 PM", "11am", "12 p.m."], [420, 900, 660, 720]),
        (["7 AM", "8 AM", "12 AM"], [420, 480, 0]),
        (["7 AM", "7:30 AM", "3 PM"], [420, 450, 900]),
        (["8:00", "24:00", "24:00:00", "24h00", "24:00 Uhr"], [480, 1440, 1440, 1440, 1440]),
    ],
)
def test_full_hours(cells, minutes):
    encoded = encode(cells * 5)
    assert encoded.kind == "date" and encoded.values.tolist() == minutes * 5
    assert encode(cells[:1], reading=encoded.reading).values.tolist() == minutes[:1]


def test_picometres_are_no_hours():
    assert encode(["7 pm", "310 pm", "95 pm"] * 5).encoding == "number of pm"


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        (["850ms", "1.2s", "3 s"], [0.85, 1.2, 3]),
        (["45m", "2h", "30m"], [2700, 7200, 1800]),
        (["10 days", "2 weeks", "1 month"], [10 * DAY, 14 * DAY, 30.4375 * DAY]),
        (["3 Years", "18 months", "2 yrs"], [3 * 365.25 * DAY, 18 * 30.4375 * DAY, 2 * 365.25 * DAY]),
        (["1,5 h", "20 min", "90 µs"], [5400, 1200, 9e-5]),
    ],
)
def test_durations_in_several_units(cells, seconds):
    encoded = encode(cells * 5)
    assert encoded.encoding == "seconds" and told(encoded, "'t'", "converted to seconds")
    np.testing.assert_allclose(encoded.values, seconds * 5)
    np.testing.assert_allclose(encode(cells, reading=encoded.reading).values, seconds)


@pytest.mark.parametrize("cells", [["5 m", "7 ms", "9 m"], ["5 m", "7 kg", "9 s"], ["1s 5h", "2m 3d", "4s 3m"]])
def test_what_is_no_time_is_not_converted(cells):
    assert encode(cells * 5).kind == "nominal"


def test_one_unit_of_time_stays():
    assert encode(["30 h", "20 h"] * 5).encoding == "number of h"
    assert encode(["P2D", "P3D", "PT5H"] * 5).values[:3].tolist() == [2 * DAY, 3 * DAY, 18000]


@pytest.mark.parametrize(
    ("cells", "sizes"),
    [
        (["850KB", "1.2 MB", "3GB", "0"], [8.5e5, 1.2e6, 3e9, 0]),
        (["512 B", "1.5 kB", "12 bytes"], [512, 1500, 12]),
        (["4 KiB", "1 MiB", "7 B"], [4096, 1048576, 7]),
        (["1,5 MB", "2,25 GB", "3 MB"], [1.5e6, 2.25e9, 3e6]),
    ],
)
def test_sizes_in_several_units(cells, sizes):
    encoded = encode(cells * 5)
    assert encoded.encoding == "bytes" and told(encoded, "'t'", "bytes, and so are all sizes")
    np.testing.assert_allclose(encoded.values, sizes * 5)
    np.testing.assert_allclose(encode(cells, reading=encoded.reading).values, sizes)


def test_a_size_without_a_unit_is_none():
    assert encode(["850KB", "1.2 MB", "3"] * 5).kind == "nominal"
    assert encode(["850 KB", "120 KB"] * 5).encoding == "number of KB"
