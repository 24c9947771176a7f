"""The front door: shapes, batches, padding, selections, bad input, and the page that is written from the registry."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from foundcause.errors import ConfigError, InputError
from foundcause.features import compute, feature_set
from foundcause.features.statistics_page import page
from foundcause.paper.kernel_regression import RffConstants
from foundcause.paper.statistic_names import PAPER, RELEASE
from statistics_tables import table


def test_batch_equals_single_tables():
    first, second = table("random"), table("missing")
    values, observed = np.stack([first[0], second[0]]), np.stack([first[1], second[1]])
    s = compute(values, observed)
    assert s.shape == (2, 5, 5, 45) and s.dtype == torch.float32
    for task, (cells, seen) in enumerate((first, second)):
        assert torch.equal(s[task], compute(cells, seen))


@pytest.mark.parametrize("features", ["paper", "paper+extended"])
def test_padding_variables_are_invisible(features):
    values, observed = table("missing")
    real = np.array([True, False, True, True, False, True, True])
    padded, mask = np.full((70, 7), np.nan), np.ones((70, 7), bool)
    padded[:, real], mask[:, real] = values, observed
    found = compute(padded, mask, real, features=features)
    torch.testing.assert_close(found[real][:, real], compute(values, observed, features=features))
    assert (found[~real] == 0).all() and (found[:, ~real] == 0).all()


def test_sums_of_sets_are_joined_in_order():
    values, observed = table("tied")
    both = feature_set("paper+extended")
    assert both.features[:45] == PAPER.features and len(both) > 45
    s = compute(values, observed, features="paper+extended")
    assert torch.equal(s[..., :45], compute(values, observed))
    assert torch.equal(s[..., 45:], compute(values, observed, features="extended"))


@pytest.mark.parametrize("name", PAPER.features + RELEASE.features, ids=lambda feature: feature.name)
def test_single_features_equal_those_of_the_whole_set(name):
    values, observed = table("missing")
    names = [name.name] + ([name.partner] if name.partner else [])
    whole = compute(values, observed, features="paper+release")
    places = [feature_set("paper+release").index(one) for one in names]
    torch.testing.assert_close(compute(values, observed, features=names), whole[..., places])


def test_accepts_tensors_integers_and_half_precision():
    values, _ = table("tied")
    whole = np.round(values * 3).astype(np.int64)
    assert torch.equal(compute(whole), compute(torch.tensor(whole, dtype=torch.float64)))
    assert torch.equal(compute(whole.tolist(), np.ones(whole.shape, bool).tolist()), compute(whole))
    half = torch.tensor(values).to(torch.bfloat16)
    assert torch.equal(compute(half), compute(half.float()))


def test_autocast_leaves_features_alone():
    values = torch.tensor(table("random")[0], dtype=torch.float32)
    plain = compute(values, features="paper+release")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(compute(values, features="paper+release"), plain)


def test_no_gradient_flows():
    values = torch.tensor(table("random")[0], requires_grad=True)
    assert not compute(values).requires_grad


BAD = {
    "one variable": (lambda x, m: (x[:, :1], m[:, :1], None), "at least 2 variables"),
    "one real variable": (lambda x, m: (x, m, np.arange(5) < 1), "at least 2 variables"),
    "two rows": (lambda x, m: (x[:2], m[:2], None), "at least 3"),
    "mask of another shape": (lambda x, m: (x, m[:-1], None), "make them match"),
    "variables of another shape": (lambda x, m: (x, m, np.ones(4, bool)), "make them match"),
    "mask of weights": (lambda x, m: (x, m * 0.5, None), "boolean mask"),
    "an observed nan": (lambda x, m: (np.where(np.arange(70)[:, None] == 3, np.nan, x), m, None), "row 3, column 0"),
    "an infinity without a mask": (lambda x, m: (x / np.where(x == x[5, 2], 0.0, 1.0), None, None), "replace infin"),
    "a vector": (lambda x, m: (x[:, 0], None, None), "pass \\(rows, variables\\)"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_bad_input_names_the_remedy(case):
    change, remedy = BAD[case]
    values, observed, variables = change(*table("random"))
    with pytest.raises(InputError, match=remedy):
        compute(values, observed, variables)


def test_bad_options_name_the_remedy():
    values, _ = table("random")
    with pytest.raises(ConfigError, match="choose from release, paper, extended"):
        compute(values, features="papr")
    with pytest.raises(ConfigError, match="unknown feature"):
        feature_set(["paper.pearsn"])
    with pytest.raises(ConfigError, match="partner"):
        feature_set(["paper.xi"])
    with pytest.raises(InputError, match="at least 3"):
        compute(values, kernel_rows=2)
    with pytest.raises(InputError, match="same length"):
        RffConstants(torch.zeros(3), torch.zeros(4))


def test_documentation_is_up_to_date():
    stored = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"
    assert stored.read_text() == page(), "run: python -m foundcause.features.statistics_page > docs/statistics.md"


def test_every_row_of_the_documentation_has_its_cells():
    """A bar within a formula would end a cell and hide the rest of it."""
    rows = [line for line in page().splitlines() if re.match(r"\| \d+ \|", line)]
    assert len(rows) > 300
    assert {len(re.split(r"(?<!\\)\|", row)) for row in rows} == {7}
