"""Findings about rows and cells, each on a table that deserves it, and none on tables that do not."""

from __future__ import annotations

import numpy as np
import pytest
from checked import by_code, codes, findings, numbers

from foundcause.features.series import autocorrelated_columns
from foundcause.inference.outlier_cells import outlier_cells

ROWS = 600


def test_a_healthy_table_has_no_findings() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 6))
    values[:, 3] += 2 * values[:, 0]
    for rows in (values, values[np.argsort(values[:, 0])]):  # sorting by a column is not time
        assert findings(rows, context={"n_effective": 500, "trained_columns": 50}) == []


def test_small_and_wide_tables() -> None:
    values = np.random.default_rng(0).normal(size=(40, 5))
    found = by_code(values, context={"trained_columns": 4})
    assert found["few-rows"].details == {"rows": 40, "advised": 100}
    assert found["untrained-width"].details == {"columns": 5, "trained": 4}


def test_repeated_rows() -> None:
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.normal(size=(30, 3)), rng.integers(0, 2, 30)])
    found = by_code(rng.permutation(np.tile(values, (40, 1))))["repeated-rows"]
    assert found.details == {"repeats": 1170, "rows": 1200, "different": 30} and found.severity == "critical"
    holed = rng.normal(size=(300, 4))
    holed[::7, 1] = np.nan
    assert by_code(np.vstack([holed, holed[:100]]))["repeated-rows"].details["repeats"] == 100


def test_rows_that_repeat_by_nature() -> None:
    rng = np.random.default_rng(0)
    few = rng.integers(0, 4, size=(1000, 3)).astype(float)
    rounded = np.round(rng.normal(size=(2000, 1)) * 10 + rng.normal(size=(2000, 2)) * 4)
    rain = np.where(rng.random((500, 1)) < 0.5, 0.0, rng.gamma(1.0, size=(500, 4)))
    rare = (rng.random((800, 12)) < 0.05).astype(float)
    for values in (few, rounded, rain, rare, rng.normal(size=(500, 3))):
        assert "repeated-rows" not in codes(values)


def test_gaps_are_one_finding_that_says_what_was_done_about_them() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 6))
    for k, share in enumerate((0.05, 0.15, 0.2, 0.3)):
        values[rng.permutation(500)[: int(500 * share)], k] = np.nan
    for filled in (True, False, None):
        (found,) = findings(values, context={"filled": filled})
        assert found.code == "missing-cells" and found.columns == ("v3", "v2", "v1")
        assert found.details == {"shares": [0.3, 0.2, 0.15], "filled": filled, "heavy": False}
        assert "None" not in found.message
    values[:250, 0] = np.nan
    assert by_code(values)["missing-cells"].details["heavy"]


def test_columns_that_are_rarely_observed_together() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 3))
    values[:150, 0] = np.nan
    values[150:, 1] = np.nan
    found = by_code(values)["never-together"]
    assert found.details["pairs"] == [["v0", "v1"]] and found.details["other_columns"] == 1
    assert by_code(values[:, :2])["never-together"].details["other_columns"] == 0
    values[145:150, 0] = 1.0
    assert "never-together" not in codes(values) and by_code(values)["rarely-together"].details["fewer_than"] == 10
    values[130:145, 0] = 1.0
    for table in (values, rng.normal(size=(8, 3))):
        assert not {"never-together", "rarely-together"} & set(codes(table))


# Outlier cells.


def test_a_lost_decimal_point_is_found_with_its_row() -> None:
    frame = numbers()
    frame.loc[7, "y"] = 169.8
    found = by_code(frame)["outlier-cell"]
    assert (found.columns, found.details) == (("y",), {"values": [169.8], "rows": [8]})
    frame.loc[[3, 99], "y"] = [-155.0, 140.0]
    assert by_code(frame)["outlier-cell"].details["rows"] == [8, 4, 100]


def test_the_row_is_that_of_the_source() -> None:
    frame = numbers(rows=5000)
    frame.loc[4321, "z"] = 4e4
    frame.loc[100, :] = np.nan  # does not count
    for rows in (5000, 4990):
        if found := by_code(frame, max_rows=rows).get("outlier-cell"):
            assert found.details == {"values": [40000.0], "rows": [4321]}
    assert "outlier-cell" in codes(frame)


def test_heavy_tails_lead_up_to_their_farthest_cell() -> None:
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        for cells in (
            rng.normal(size=ROWS),
            rng.standard_cauchy(size=ROWS),
            rng.standard_t(2, size=100),
            np.exp(2 * rng.normal(size=ROWS)),
            rng.pareto(1, size=ROWS),
            np.where(rng.random(ROWS) < 0.8, 0.0, rng.gamma(0.3, size=ROWS)),
            np.round(rng.exponential(3, size=ROWS)),
        ):
            alarms += len(outlier_cells(cells)) > 0
    assert alarms <= 3


def test_codes_for_missing_and_short_columns_have_no_outliers() -> None:
    frame = numbers()
    frame.loc[[1, 2], "y"] = -999.0  # a code for missing, which reading reports
    assert "outlier-cell" not in codes(frame)
    assert len(outlier_cells(np.r_[np.arange(20.0), 1e9])) == 0
    assert len(outlier_cells(np.r_[np.tile([1.0, 2.0, 3.0], 100), 1e9])) == 0
    assert len(outlier_cells(np.r_[np.random.default_rng(0).normal(size=300), 1e308])) == 1


def test_nearly_constant_columns() -> None:
    frame = numbers().assign(flag=0, rare="no", usual=0)
    frame.loc[5, "flag"] = 1
    frame.loc[[9, 10, 11], "rare"] = "yes"
    frame.loc[:39, "usual"] = 1
    found = by_code(frame)["nearly-constant"]
    assert found.columns == ("flag", "rare") and found.details == {"differing": [1, 3]}
    assert found.fix.section == "read" and found.fix.option == "drop" and found.fix.values == ("flag", "rare")
    assert "nearly-constant" not in codes(frame.drop(columns="flag").iloc[:40])  # three of forty are no handful


# Rows in an order.


def ordered(values: np.ndarray, n_effective: int | None = None, **context: object) -> object:
    context["n_effective"] = len(values) if n_effective is None else n_effective
    return by_code(values, context=context).get("ordered-rows")


@pytest.mark.parametrize("seed", range(5))
def test_tables_sorted_by_columns_do_not_look_ordered(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.normal(size=300))
    group = np.sort(rng.integers(0, 4, 300)).astype(float)
    effect = np.array([3.0, -1.0, 2.0, 0.0])[group.astype(int)]
    inner = rng.normal(size=300) + effect
    inner = inner[np.lexsort((inner, group))]

    def noise() -> np.ndarray:
        return 0.3 * rng.normal(size=300)

    for columns in (
        (x, x + noise(), x + noise()),
        (-x, x**2 + noise(), np.sin(3 * x) + noise()),
        (group, effect + noise(), effect**2 + noise()),
        (group, inner, inner + noise(), inner + group + noise()),  # by group, then by another column
    ):
        assert ordered(np.column_stack(columns)) is None


@pytest.mark.parametrize("seed", range(5))
def test_series_look_ordered_whatever_else_is_sorted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    year = np.arange(300.0)
    trend = np.linspace(0, 4, 300)[:, None] + rng.normal(size=(300, 2))
    walks = np.cumsum(rng.normal(size=(300, 3)), axis=0)
    assert ordered(trend).columns == ("v0", "v1")
    assert ordered(np.column_stack([year**2, walks])) is not None
    sparse = np.where(np.arange(300) < 10, year, np.nan)  # too few cells to explain anything
    assert ordered(np.column_stack([sparse, trend])) is not None


def test_a_column_that_is_hardly_ever_observed_is_no_sort_key() -> None:
    rng = np.random.default_rng(0)
    group = np.sort(rng.integers(0, 5, 600)).astype(float)
    x = rng.normal(size=600) + group
    x = x[np.lexsort((x, group))]
    rare = np.full(600, np.nan)
    rare[[50, 51, 200, 201, 400, 401, 500]] = [1.0, 2.0, 1.0, 3.0, 0.0, 1.0, 5.0]
    table = np.column_stack([group, x, x + 0.3 * rng.normal(size=600), rare])
    assert autocorrelated_columns(table) == autocorrelated_columns(table[:, :3]) == []


def test_drifting_series_are_advised_unless_their_order_is_used() -> None:
    walks = np.cumsum(np.random.default_rng(0).normal(size=(400, 3)), axis=0)
    found = ordered(walks, 20)
    assert found.details == {"rows": 400, "n_effective": 20, "direction": 0, "drifting": True}
    assert not ordered(walks, 20, direction=1).details["drifting"]
