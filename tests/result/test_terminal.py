"""What the terminal prints of a result, in any width."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from made_result import make_result
from rich.console import Console

from foundcause.report.terminal import print_result


@pytest.mark.parametrize("width", [30, 40, 60, 120])
def test_names_never_give_way(width: int) -> None:
    names = ("alcohol", "smoking", "tumour", "weight", "stress", "income")
    result, text = replace(make_result(names), settings={"rows": 40, "total_rows": 40, "n_passes": 1}), io.StringIO()
    print_result(result, console=Console(file=text, width=width))
    printed = "".join(line.strip() for line in text.getvalue().splitlines())
    for edge in result.edges.itertuples():
        assert edge.cause[:5] in printed and edge.effect[:5] in printed and f"{edge.probability:.2f}" in printed
    assert ("probability" in printed) == (width >= 60)


@pytest.mark.parametrize(("worth", "told"), [({}, "400 rows,"), ({"independent_rows": 43}, "400 rows read as 43,")])
def test_a_series_is_told_with_the_rows_it_is_worth(worth: dict[str, int], told: str) -> None:
    text = io.StringIO()
    result = replace(make_result(), settings={"rows": 400, "total_rows": 400, "n_passes": 1, **worth})
    print_result(result, console=Console(file=text, width=100))
    assert told in text.getvalue()
