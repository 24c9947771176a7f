"""Columns that others determine: each relation is reported once, also when cells are missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from checked import by_code, codes, findings
from checked import numbers as normal

from foundcause.data import read_table
from foundcause.data.copies import first_of_copies
from foundcause.data.one_hot import one_hot_groups
from foundcause.diagnostics.exact_relations import complete_parts, pair_correlations
from foundcause.findings import Finding

ROWS = 1000


def numbers(seed: int = 0, names: str = "abcd", rows: int = ROWS) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).normal(size=(rows, len(names))), columns=list(names))


def holed(frame: pd.DataFrame, share: float, seed: int = 9) -> pd.DataFrame:
    return frame.mask(np.random.default_rng(seed).random(frame.shape) < share)


def groups(finding: Finding) -> list[list[str]]:
    return finding.details["groups"]


# Sums


def test_a_sum_is_found_despite_gaps_and_one_column_is_to_be_dropped() -> None:
    frame = numbers()
    frame["total"] = frame["a"] + frame["b"] + frame["c"]
    frame.loc[0, "total"] = np.nan
    for share in (0, 0.01, 0.03, 0.1, 0.2):
        found = by_code(holed(frame, share))["exact-relation"]
        assert found.columns == ("a", "b", "c", "total") and found.fix.values == ("total",)
    frame["total"] += np.random.default_rng(1).normal(scale=0.1, size=ROWS)
    assert codes(frame) == codes(holed(frame, 0.1)) == []


def test_two_sums_are_two_findings() -> None:
    x = np.random.default_rng(0).normal(size=(400, 5))
    values = np.column_stack([x, x[:, 0] + x[:, 1], x[:, 2] - x[:, 3]])
    found = [finding for finding in findings(values) if finding.code == "exact-relation"]
    assert [finding.columns for finding in found] == [("v0", "v1", "v5"), ("v2", "v3", "v6")]


def test_shares_add_up_to_a_constant() -> None:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([2, 3, 4], size=500)
    for cells in (shares, np.round(100 * shares, 1), 1e308 * shares):
        found = by_code(np.column_stack([cells, rng.normal(size=500)]))
        assert list(found) == ["constant-sum"] and found["constant-sum"].columns == ("v0", "v1", "v2")
        assert found["constant-sum"].fix is None, "the rest would still compete"
    frame = numbers(names="xy").join(pd.DataFrame(rng.dirichlet([2, 3, 4], size=ROWS), columns=list("pqr")))
    for gaps in (1, 20):
        frame.loc[: gaps - 1, "q"] = np.nan
        assert by_code(frame)["constant-sum"].columns == ("p", "q", "r")


def test_relations_are_found_next_to_columns_with_many_gaps() -> None:
    rng = np.random.default_rng(0)
    frame = numbers(names="abcdefgh")
    frame["total"] = frame["a"] - frame["b"]
    frame = holed(frame, 0.03)
    for name in "gh":
        frame.loc[rng.random(ROWS) < 0.9, name] = np.nan
    assert by_code(frame)["exact-relation"].columns == ("a", "b", "total")
    rare = rng.random(ROWS) < 0.9
    frame["u"], frame["v"] = (np.where(rare, np.nan, rng.normal(size=ROWS)) for _ in range(2))
    frame["u_minus_v"] = frame["u"] - frame["v"]
    found = [finding.columns for finding in findings(frame) if finding.code == "exact-relation"]
    assert ("u", "v", "u_minus_v") in found


def test_what_holds_in_a_few_complete_rows_alone_is_no_relation() -> None:
    rng = np.random.default_rng(0)
    frame = numbers(names="abcde")
    rare = rng.random(ROWS) < 0.1
    frame["f"] = np.where(rare, frame["a"] + 0.02 * frame["b"], rng.normal(size=ROWS))
    frame["g"] = np.where(rare, rng.normal(size=ROWS), np.nan)
    assert codes(frame) == []


def test_outlying_rows_do_not_make_columns_determined() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal([50, 30, 100, 5, 20], size=(500, 5))
    values[:, 1] += values[:, 0]
    assert "exact-relation" not in codes(np.vstack([values, values.sum(axis=0)]))
    skewed = rng.lognormal(sigma=1.5, size=(500, 3))
    assert "exact-relation" in codes(np.column_stack([skewed, skewed.sum(axis=1)]))


def test_independent_columns_with_gaps_have_no_relations() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        frame = numbers(seed, names="abcdefghij", rows=150)
        frame["k"] = (rng.random(150) < 0.05).astype(float)
        frame["l"] = (rng.random(150) < 0.05).astype(float)
        for share in (0.05, 0.3, 0.6):
            assert not {"near-copy", "exact-relation"} & set(codes(holed(frame, share, seed)))


def test_correlations_are_those_of_the_rows_that_show_both() -> None:
    frame = holed(numbers(rows=200).assign(e=lambda frame: frame["a"] + frame["b"]), 0.3)
    np.testing.assert_allclose(pair_correlations(frame.to_numpy()), frame.corr().to_numpy(), atol=1e-12)
    frame.loc[25:, "a"] = np.nan
    assert (pair_correlations(frame.to_numpy())[0] == 0).all()


def test_parts_have_no_gaps_and_do_not_depend_on_the_order_of_columns() -> None:
    rng = np.random.default_rng(0)
    values = holed(numbers(names="abcdefghijkl", rows=300), 0.15).to_numpy(copy=True)
    values[:200, 3] = np.nan
    parts = complete_parts(values)
    assert parts and all(not np.isnan(values[rows][:, columns]).any() for rows, columns in parts)
    assert {k for _, columns in parts for k in columns} == set(range(12))
    order = rng.permutation(12)
    again = [sorted(order[columns].tolist()) for _, columns in complete_parts(values[:, order])]
    assert again == [columns for _, columns in parts]


# Copies, logarithms, functions, products


def test_exact_copies_are_reported_by_the_reader_alone() -> None:
    rng = np.random.default_rng(0)
    frame = numbers().assign(link=rng.integers(0, 2, ROWS), days=rng.integers(1, 60, ROWS).astype(float))
    frame.loc[frame["days"] > 50, "days"] = np.nan
    frame = frame.assign(linkstatus=frame["link"], other_days=7 * frame["days"], not_link=1 - frame["link"])
    assert codes(frame) == []
    names = list(frame.columns)
    kept = [names[k] for k in first_of_copies(frame.to_numpy(), names)]
    assert kept == ["a", "b", "c", "d", "link", "days"]


def test_near_copies_are_one_finding_also_with_gaps() -> None:
    rng = np.random.default_rng(0)
    frame = numbers()
    for name in "abc":
        frame[name + "2"] = frame[name] + rng.normal(scale=0.01, size=ROWS)
    for share in (0, 0.1, 0.4):
        found = by_code(holed(frame, share))["near-copy"]
        assert groups(found) == [["a", "a2"], ["b", "b2"], ["c", "c2"]]
        assert found.fix.values == ("a2", "b2", "c2")


def test_a_shared_code_does_not_make_near_copies() -> None:
    values = np.random.default_rng(0).normal(size=(500, 3))
    values[:25, :2] = 999999999.0
    assert "near-copy" not in codes(values)


def test_logarithms_and_squares_are_one_finding() -> None:
    frame = np.exp(numbers())
    frame = frame.assign(**{f"log_{name}": np.log(frame[name]) for name in "abc"}, a_squared=frame["a"] ** 2)
    found = by_code(frame)["monotone-copy"]
    assert groups(found) == [["a", "log_a", "a_squared"], ["b", "log_b"], ["c", "log_c"]]
    assert found.fix.values == ("log_a", "a_squared", "log_b", "log_c")


def test_powers_and_logarithms_that_are_nearly_the_same_are_reported_once() -> None:
    """A logarithm is nearly the same as its square, an age as its square, and this as the cube."""
    rng = np.random.default_rng(0)
    price, age = 1000.0 * rng.integers(1, 35, ROWS), rng.integers(40, 65, ROWS).astype(float)
    found = by_code(numbers().assign(price=price, logprice=np.log(price), logpricesq=np.log(price) ** 2))
    assert list(found) == ["monotone-copy"]
    assert groups(found["monotone-copy"]) == [["price", "logprice", "logpricesq"]]
    assert codes(numbers().assign(age=age, agesq=age**2, agecub=age**3)) == ["monotone-copy"]
    assert codes(numbers().assign(age=age, agesq=age**2)) == ["near-copy"]
    assert "monotone-copy" in codes(numbers().assign(x=age - 30, xsq=(age - 30) ** 2, xcub=(age - 30) ** 3))


def test_rounded_and_holed_logarithms_are_found_and_noisy_ones_are_not() -> None:
    rng = np.random.default_rng(3)
    price = np.exp(rng.normal(size=ROWS))
    frame = numbers().assign(price=price, log_price=np.log(price))
    frame.loc[:20, "log_price"] = np.nan
    for table in (frame, frame.round({"log_price": 2})):
        assert groups(by_code(table)["monotone-copy"]) == [["price", "log_price"]]
    near = frame.assign(log_price=frame["log_price"] + 0.01 * rng.normal(size=ROWS))
    assert "monotone-copy" not in codes(near)


def test_functions_are_one_finding_with_their_sources() -> None:
    rng = np.random.default_rng(0)
    age, town = rng.integers(18, 90, ROWS), rng.integers(0, 12, ROWS)
    frame = numbers().assign(age=age, town=town, over65=age > 65, decade=age // 20)
    frame["country"] = np.array([3, 1, 2, 0, 1, 3, 2, 0, 0, 1, 2, 3])[town]
    found = by_code(frame)["function-of-columns"]
    assert groups(found) == [
        {"columns": ["over65", "decade"], "of": ["age"]},
        {"columns": ["country"], "of": ["town"]},
    ]
    assert found.fix.values == ("over65", "decade", "country")
    frame.loc[0, "country"] += 1  # no function any more
    assert groups(by_code(frame)["function-of-columns"]) == [{"columns": ["over65", "decade"], "of": ["age"]}]
    assert "function-of-columns" not in codes(frame[["a", "over65"]])


@pytest.mark.parametrize("shuffled", [False, True])
def test_rows_of_one_unit_make_no_functions(shuffled: bool) -> None:
    """Hardly two of 300 patients are followed for the same time: it identifies the patient but does not make sex."""
    rng = np.random.default_rng(1)
    patient = np.repeat(np.arange(300), rng.integers(2, 10, 300))
    futime, age = rng.integers(50, 5000, 300), rng.normal(50, 10, 300).round(2)
    times, group = np.unique(futime, return_inverse=True)
    assert 270 < len(times) < 300
    sex = (rng.random(len(times)) < 0.1).astype(int)[group]  # by chance the same where the time is
    frame = numbers(rows=len(patient)).assign(futime=futime[patient], age=age[patient], sex=sex[patient])
    frame = frame.sample(frac=1, random_state=0) if shuffled else frame
    assert "function-of-columns" not in codes(frame)
    tax = np.random.default_rng(2).integers(0, 9, 50)
    state = np.random.default_rng(3).integers(0, 50, len(frame))
    assert by_code(frame.assign(state=state, tax=tax[state]))["function-of-columns"].columns == ("tax",)


def test_a_cause_that_separates_the_cases_is_no_function() -> None:
    rng = np.random.default_rng(5)
    sex = rng.integers(0, 2, ROWS)
    assert codes(numbers().assign(sex=sex, testosterone=15 * sex + rng.normal(size=ROWS))) == []


@pytest.mark.parametrize("rounded", [False, True])
def test_products_and_ratios(rounded: bool) -> None:
    rows = 600
    rng = np.random.default_rng(4)
    height = 1.7 + 0.1 * rng.normal(size=rows)
    weight = 22 * height**2 * np.exp(0.18 * rng.normal(size=rows))
    if rounded:
        height, weight = height.round(2), weight.round()
    frame = normal().assign(age=rng.integers(18, 90, rows), height=height, weight=weight, bmi=weight / height**2)
    frame = frame.round(1 if rounded else 9).assign(height=height)
    found = by_code(frame)["product-of-columns"]
    assert found.columns == ("height", "weight", "bmi") and found.fix.values == ("bmi",)
    assert "product-of-columns" not in codes(frame.assign(bmi=frame["bmi"] * np.exp(0.1 * rng.normal(size=rows))))


# Categories in several columns


def dummies(rng: np.random.Generator, shares: list[float], rows: int = 600) -> np.ndarray:
    return np.eye(len(shares))[rng.choice(len(shares), size=rows, p=shares)]


def of_frame(values: np.ndarray, names: list[str]) -> dict[str, Finding]:
    return by_code(pd.DataFrame(values, columns=names))


@pytest.mark.parametrize("dropped", [0, 1, 2])
def test_columns_of_one_categorical_variable(dropped: int) -> None:
    """Also after one of them was dropped, as advised for regressions. Other columns of 0 and 1 are left alone."""
    rng = np.random.default_rng(0)
    regions = dummies(rng, [0.3, 0.3, 0.25, 0.13, 0.02])[:, dropped:]
    flags = (rng.random((600, 3)) < [0.5, 0.1, 0.02]).astype(float)
    values = np.column_stack([flags, regions, rng.normal(size=600)])
    names = ["a", "b", "c", *["north", "south", "east", "west", "abroad"][dropped:], "x"]
    found = of_frame(values, names)
    assert list(found) == ["one-hot-columns"] and groups(found["one-hot-columns"]) == [names[3:-1]]


def test_two_categorical_variables_are_one_finding_whatever_the_order() -> None:
    rng = np.random.default_rng(1)
    values = np.column_stack([dummies(rng, [0.4, 0.3, 0.3]), dummies(rng, [0.5, 0.3, 0.1, 0.1])])
    names = ["u1", "u2", "u3", "w1", "w2", "w3", "w4"]
    values[rng.random(600) < 0.08, :3] = np.nan
    for order in (np.arange(7), rng.permutation(7)):
        found = groups(of_frame(values[:, order], [names[k] for k in order])["one-hot-columns"])
        assert {tuple(sorted(group)) for group in found} == {("u1", "u2", "u3"), ("w1", "w2", "w3", "w4")}


def test_two_columns_may_be_what_is_left_of_three_categories() -> None:
    rng = np.random.default_rng(2)
    values = np.column_stack([dummies(rng, [0.4, 0.3, 0.3])[:, :2], rng.normal(size=600)])
    found = of_frame(values, ["meat", "vegan", "x"])
    assert list(found) == ["exclusive-columns"] and found["exclusive-columns"].columns == ("meat", "vegan")
    values[:, :2] = dummies(rng, [0.1, 0.2, 0.7])[:, :2]
    assert of_frame(values, ["child", "retired", "x"]) == {}


def test_both_categories_of_two_are_copies_that_the_reader_reports() -> None:
    rng = np.random.default_rng(2)
    values = np.column_stack([dummies(rng, [0.5, 0.5]), rng.normal(size=(600, 2))])
    frame = pd.DataFrame(values, columns=["sex_f", "sex_m", "x", "y"])
    assert codes(frame) == [] and len(read_table(frame).columns) == 4


def test_names_decide_which_categories_belong_together() -> None:
    """Two variables that agree in every row: each category also excludes the other categories of the other variable."""
    home = dummies(np.random.default_rng(3), [0.4, 0.35, 0.25])
    values = np.column_stack([home, home])[:, [0, 4, 2, 3, 1, 5]]
    names = ["home_a", "talk_b", "home_c", "talk_a", "home_b", "talk_c"]
    assert one_hot_groups(values, names) == [[0, 2, 4], [1, 3, 5]]


def test_independent_flags_are_no_categories() -> None:
    names = [f"v{k}" for k in range(40)]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        for share in (0.01, 0.05, 0.1, 0.4):
            assert one_hot_groups((rng.random((300, 40)) < share).astype(float), names) == []
    apart = np.full((600, 3), np.nan)  # never observed together, so that nothing shows that they exclude each other
    for k in range(3):
        apart[200 * k : 200 * (k + 1), k] = rng.random(200) < 0.5
    assert one_hot_groups(apart, names[:3]) == []
