"""What the terminal prints of a result, in any width."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from made_result import make_result
from rich.console import Console

from foundcause.report.terminal import print_result
from made_answers import provenance


@pytest.mark.parametrize("width", [30, 40, 60, 120])
def test_names_never_give_way(width: int) -> None:
    names = ("alcohol", "smoking", "tumour", "weight", "stress", "income")
    result, text = replace(make_result(names), provenance=provenance(40)), io.StringIO()
    print_result(result, console=Console(file=text, width=width))
    printed = "".join(line.strip() for line in text.getvalue().splitlines())
    for edge in result.edges.itertuples():
        assert edge.cause[:5] in printed and edge.effect[:5] in printed and f"{edge.probability:.2f}" in printed
    assert ("probability" in printed) == (width >= 60)


@pytest.mark.parametrize(("n_effective", "said"), [(400, "400 rows,"), (43, "400 rows read as 43,")])
def test_a_series_is_told_with_its_effective_sample_size(n_effective: int, said: str) -> None:
    text = io.StringIO()
    result = replace(make_result(), provenance=provenance(400, n_effective))
    print_result(result, console=Console(file=text, width=100))
    assert said in text.getvalue()
