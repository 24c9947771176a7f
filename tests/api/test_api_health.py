from __future__ import annotations

import numpy as np
import pytest

from foundcause.health import graph_warnings, table_warnings
from foundcause.neighbours import alike_in_neighbours


def words(values, trained=50, **more):
    names = [f"v{k}" for k in range(values.shape[1])]
    return " | ".join(table_warnings(values, names, trained_variables=trained, **more))


def test_a_healthy_table_is_not_scolded():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 6))
    values[:, 3] += 2 * values[:, 0]
    assert words(values) == ""
    assert words(values[np.argsort(values[:, 0])]) == ""  # sorting by a column is not time


def test_each_warning():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 5))
    assert "only 40 rows" in words(values[:40])
    assert "5 columns, more than the 4" in words(values, trained=4)
    holes = values.copy()
    holes[rng.random(400) < 0.6, 2] = np.nan
    assert "'v2'" in words(holes) and "missing" in words(holes)
    twins = np.column_stack([values, values[:, 1] + 0.01 * rng.normal(size=400)])
    assert "'v1', 'v5' are nearly the same" in words(twins)
    total = np.column_stack([values, values[:, :3].sum(axis=1)])
    assert "determine" in words(total)
    walks = np.cumsum(values, axis=0)
    assert "ordered in time" in words(walks)


def test_repeated_measurements_are_told():
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.normal(size=(30, 3)), rng.integers(0, 2, 30)])
    assert "1,170 of 1,200 rows repeat others" in words(rng.permutation(np.tile(values, (40, 1))))
    holed = rng.normal(size=(300, 4))
    holed[::7, 1] = np.nan
    assert "100 of 400 rows repeat others" in words(np.vstack([holed, holed[:100]]))


def test_rows_that_repeat_by_nature_are_not_told():
    rng = np.random.default_rng(0)
    few = rng.integers(0, 4, size=(1000, 3)).astype(float)
    rounded = np.round(rng.normal(size=(2000, 1)) * 10 + rng.normal(size=(2000, 2)) * 4)
    rain = np.where(rng.random((500, 1)) < 0.5, 0.0, rng.gamma(1.0, size=(500, 4)))
    rare = (rng.random((800, 12)) < 0.05).astype(float)
    for values in (few, rounded, rain, rare, rng.normal(size=(500, 3))):
        assert "repeat others" not in words(values)


def test_a_shared_code_does_not_make_columns_the_same():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 3))
    values[:25, :2] = 999999999.0
    assert "nearly the same" not in words(values)


def test_graph_warnings():
    edges = np.array([[0, 0.5, 0.9], [0.4, 0, 0.0], [0.05, 0.0, 0]])
    adjacency = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    found = " | ".join(graph_warnings(edges, adjacency, "abc", threshold=0.3))
    assert "a -> b" in found and "a -> c" not in found
    assert "a -> b" not in " | ".join(graph_warnings(edges, adjacency, "abc", threshold=0.3, certain=adjacency))
    assert "no edge" in " | ".join(graph_warnings(edges, adjacency & False, "abc", threshold=0.95))
    lost = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    found = " | ".join(graph_warnings(edges, adjacency, "abc", threshold=0.3, contradicting=lost))
    assert "left out although probable: b -> c" in found


def test_an_empty_graph_has_its_true_reason():
    edges = np.array([[0.0, 0.599], [0.1, 0.0]])
    nothing = np.zeros((2, 2), dtype=bool)

    def reason(**options):
        (said,) = graph_warnings(edges, nothing, "ab", **options)
        return said

    assert "may be independent" in reason(threshold=0.7)
    assert reason(threshold=0.9, given=True) == "no edge exceeds the threshold of 0.9; the most probable one has 0.60"
    assert reason(threshold=0.6, given=True).endswith("has 0.599")  # not 0.60, which would reach it
    assert reason(threshold=0.599, given=True).endswith("has 0.599")
    for given in (False, True):
        unsteady = reason(threshold=0.55, given=given)
        assert "a -> b (0.60), stood in fewer than half of the passes" in unsteady
        assert "forbids every one" in reason(threshold=0.55, given=given, excluded=~nothing)
    three = np.zeros((3, 3))
    apart = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool)
    (said,) = graph_warnings(three, three > 0, "abc", threshold=0.5, excluded=apart)
    assert "that your knowledge allows" in said and "independent" not in said
    # Columns without a part are no reason, and a required edge at one of them is an edge.
    (said,) = graph_warnings(three, three > 0, "abc", threshold=0.5, excluded=apart, active=np.array([0, 1]))
    assert "forbids every one" in said
    assert not graph_warnings(three, apart, "abc", threshold=0.5, active=np.array([0]), certain=apart)


def test_tables_sorted_by_columns_do_not_look_ordered_in_time():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = np.sort(rng.normal(size=300))
        group = np.sort(rng.integers(0, 4, 300)).astype(float)
        effect = np.array([3.0, -1.0, 2.0, 0.0])[group.astype(int)]
        inner = rng.normal(size=300) + effect
        inner = inner[np.lexsort((inner, group))]

        def noise(rng=rng):
            return 0.3 * rng.normal(size=300)

        for columns in (
            (x, x + noise(), x + noise()),
            (-x, x**2 + noise(), np.sin(3 * x) + noise()),
            (group, effect + noise(), effect**2 + noise()),
            (group, inner, inner + noise(), inner + group + noise()),  # by group, then by another column
        ):
            assert "neighbouring rows" not in words(np.column_stack(columns))


def test_a_column_that_is_hardly_ever_observed_is_no_sort_key():
    rng = np.random.default_rng(0)
    group = np.sort(rng.integers(0, 5, 600)).astype(float)
    x = rng.normal(size=600) + group
    x = x[np.lexsort((x, group))]
    rare = np.full(600, np.nan)
    rare[[50, 51, 200, 201, 400, 401, 500]] = [1.0, 2.0, 1.0, 3.0, 0.0, 1.0, 5.0]
    table = np.column_stack([group, x, x + 0.3 * rng.normal(size=600), rare])
    assert alike_in_neighbours(table) == alike_in_neighbours(table[:, :3]) == []


def test_time_series_look_ordered_in_time_whatever_else_is_sorted():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        year = np.arange(300.0)
        trend = np.linspace(0, 4, 300)[:, None] + rng.normal(size=(300, 2))
        walks = np.cumsum(rng.normal(size=(300, 3)), axis=0)
        assert "'v0', 'v1'" in words(trend)
        assert "ordered in time" in words(np.column_stack([year, walks]))
        assert "ordered in time" in words(np.column_stack([year, trend]), dates=["v0"])
        sparse = np.where(np.arange(300) < 10, year, np.nan)  # too few cells to explain anything away
        assert "ordered in time" in words(np.column_stack([sparse, trend]))


def test_columns_that_are_hardly_ever_observed_together_are_told():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 3))
    values[:150, 0] = np.nan
    values[150:, 1] = np.nan
    assert "'v0' and 'v1' are never observed together: what is said of them rests on the other columns" in words(values)
    assert "the table cannot say how they are related" in words(values[:, :2])
    values[145:150, 0] = 1.0
    assert "'v0' and 'v1' are observed together in fewer than 10 rows" in words(values)
    values[130:145, 0] = 1.0
    assert "together" not in words(values) and "together" not in words(rng.normal(size=(8, 3)))


def test_a_graph_that_is_mostly_guessed_says_so():
    adjacency = np.triu(np.ones((5, 5), dtype=bool), 1)
    words = "of the 10 edges shown only about 2 are expected to be true"
    assert words in " ".join(graph_warnings(0.2 * adjacency, adjacency, "abcde", threshold=0.1))
    assert "expected" not in " ".join(graph_warnings(0.6 * adjacency, adjacency, "abcde", threshold=0.1))
    assert "expected" not in " ".join(graph_warnings(0.2 * adjacency, adjacency, "abcde", threshold=0.1, given=True))
    some = adjacency & (np.arange(5) > 1)
    assert "of the 9 edges" in " ".join(
        graph_warnings(0.2 * adjacency, adjacency, "abcde", threshold=0.1, certain=adjacency & ~some)
    )


def test_two_laws_are_two_warnings() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 5))
    values = np.column_stack([x, x[:, 0] + x[:, 1], x[:, 2] - x[:, 3]])
    told = [note for note in table_warnings(values, list("abcdefg"), trained_variables=100) if "determine" in note]
    assert len(told) == 2
    assert all(name in told[0] for name in ("'a'", "'b'", "'f'")) and "'c'" not in told[0]
    assert all(name in told[1] for name in ("'c'", "'d'", "'g'")) and "'e'" not in told[1]


def test_causes_of_what_people_are_born_with_are_doubted() -> None:
    edges = np.array([[0.0, 0.9, 0.0], [0.0, 0.0, 0.9], [0.0, 0.0, 0.0]])
    told = graph_warnings(edges, edges > 0.5, ["smoking", "Sex", "wage"], threshold=0.5)
    assert any("causes of 'Sex'" in note and "--root" in note for note in told) and "wage" not in " ".join(told)
    known = graph_warnings(edges, edges > 0.5, ["smoking", "Sex", "wage"], threshold=0.5, certain=edges > 0.5)
    assert not any("born" in note for note in known)
    for name, born in {
        "age_years": True,
        "patient age": True,
        "house age": False,
        "stage": False,
        "mileage": False,
        "Alter": True,
    }.items():
        told = graph_warnings(edges, edges > 0.5, ["x", name, "y"], threshold=0.5)
        assert any("born" in note for note in told) == born, name


def _dummies(rng: np.random.Generator, shares: list[float], rows: int = 600) -> np.ndarray:
    return np.eye(len(shares))[rng.choice(len(shares), size=rows, p=shares)]


@pytest.mark.parametrize("dropped", [0, 1, 2])
def test_columns_of_one_categorical_variable_are_told(dropped: int) -> None:
    """Also after one of them was dropped, as advised for regressions; what else is 0 or 1 is not accused."""
    rng = np.random.default_rng(0)
    regions = _dummies(rng, [0.3, 0.3, 0.25, 0.13, 0.02])[:, dropped:]
    flags = (rng.random((600, 3)) < [0.5, 0.1, 0.01]).astype(float)
    values = np.column_stack([flags, regions, rng.normal(size=600)])
    names = ["a", "b", "c", *["north", "south", "east", "west", "abroad"][dropped:], "x"]
    (told,) = table_warnings(values, names, trained_variables=50)
    columns = ", ".join(map(repr, names[3:-1]))
    assert told.startswith(f"columns {columns} are never 1 in the same row") and "into one column" in told


def test_two_categorical_variables_are_two_warnings_whatever_the_order() -> None:
    rng = np.random.default_rng(1)
    values = np.column_stack([_dummies(rng, [0.4, 0.3, 0.3]), _dummies(rng, [0.5, 0.3, 0.1, 0.1])])
    names = ["u1", "u2", "u3", "w1", "w2", "w3", "w4"]
    values[rng.random(600) < 0.1, :3] = np.nan
    for order in (np.arange(7), rng.permutation(7)):
        told = table_warnings(values[:, order], [names[k] for k in order], trained_variables=50)
        assert len(told) == 2 and all("are never 1 in the same row" in note for note in told)
        groups = {tuple(sorted(name for name in names if repr(name) in note)) for note in told}
        assert groups == {("u1", "u2", "u3"), ("w1", "w2", "w3", "w4")}


def test_two_columns_may_be_what_is_left_of_three_categories() -> None:
    rng = np.random.default_rng(2)
    values = np.column_stack([_dummies(rng, [0.4, 0.3, 0.3])[:, :2], rng.normal(size=600)])
    (told,) = table_warnings(values, ["meat", "vegan", "x"], trained_variables=50)
    assert "'meat', 'vegan' are never 1 in the same row; if they are categories of one variable" in told
    values[:, :2] = _dummies(rng, [0.1, 0.2, 0.7])[:, :2]
    assert table_warnings(values, ["child", "retired", "x"], trained_variables=50) == []
    # Both categories of two: one warning, not also that the columns are nearly the same.
    values[:, :2] = _dummies(rng, [0.5, 0.5])
    (told,) = table_warnings(values, ["sex_f", "sex_m", "x"], trained_variables=50)
    assert "never 1" in told


def test_names_tell_which_categories_belong_together() -> None:
    """Two variables that agree in every row: each category also excludes the other categories of the other variable."""
    rng = np.random.default_rng(3)
    home = _dummies(rng, [0.4, 0.35, 0.25])
    values = np.column_stack([home, home])[:, [0, 4, 2, 3, 1, 5]]
    told = " | ".join(
        table_warnings(values, ["home_a", "talk_b", "home_c", "talk_a", "home_b", "talk_c"], trained_variables=50)
    )
    assert "'home_a', 'home_c', 'home_b' are never 1" in told and "'talk_b', 'talk_a', 'talk_c' are never 1" in told


def test_independent_flags_are_not_taken_for_categories() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        for share in (0.01, 0.05, 0.1, 0.4):
            assert "never 1" not in words((rng.random((300, 40)) < share).astype(float))
    apart = np.full((600, 3), np.nan)  # never observed together, so nothing tells that they exclude each other
    for k in range(3):
        apart[200 * k : 200 * (k + 1), k] = rng.random(200) < 0.5
    assert "never 1" not in words(apart)


def test_shares_of_a_whole_are_told() -> None:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([2, 3, 4], size=500)
    for cells in (shares, np.round(100 * shares, 1), 1e308 * shares):
        (told,) = table_warnings(np.column_stack([cells, rng.normal(size=500)]), list("abcx"), trained_variables=50)
        assert told.startswith("columns 'a', 'b', 'c' add up to the same") and "forced by the sum" in told
