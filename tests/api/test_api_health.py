from __future__ import annotations

import numpy as np

from foundcause.diagnostics.health import graph_warnings, table_warnings
from foundcause.features.series import autocorrelated_columns


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
    assert autocorrelated_columns(table) == autocorrelated_columns(table[:, :3]) == []


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


def test_gaps_are_told_once_with_what_was_done_about_them():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 6))
    for k, share in enumerate((0.05, 0.15, 0.2, 0.3)):
        values[rng.permutation(500)[: int(500 * share)], k] = np.nan
    (told,) = table_warnings(values, list("abcdef"), trained_variables=50, fills_gaps=True)
    assert told == (
        "more than a tenth of the cells is missing in 3 columns, 'd' (30%), 'c' (20%), 'b' (15%): gaps were filled "
        "from similar rows in most passes, and edges at them are less certain"
    )
    assert "filled" not in words(values) and "judged by the rows that show both" in words(values, fills_gaps=False)
    assert "missing in 'v2' (20%): edges at it are less certain" in words(values[:, [4, 5, 2]])
    assert "biased" not in words(values)
    values[:250, 0] = np.nan
    assert words(values).count("missing in") == 1 and "they are biased" in words(values)


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
    low = " ".join(graph_warnings(0.2 * adjacency, adjacency, "abcde", threshold=0.1, given=True))
    assert f"{words}: the threshold of 0.1 is low" in low and "the table says little" not in low
    for probability, few in ((0.1, "only about one is expected"), (0.01, "hardly one is expected")):
        assert few in " ".join(graph_warnings(probability * adjacency, adjacency, "abcde", threshold=0.0))
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


def test_shares_of_a_whole_are_told() -> None:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([2, 3, 4], size=500)
    for cells in (shares, np.round(100 * shares, 1), 1e308 * shares):
        (told,) = table_warnings(np.column_stack([cells, rng.normal(size=500)]), list("abcx"), trained_variables=50)
        assert told.startswith("columns 'a', 'b', 'c' add up to the same") and "forced by the sum" in told


def test_drifting_series_are_advised_where_their_order_is_not_read() -> None:
    walks = np.cumsum(np.random.default_rng(0).normal(size=(400, 3)), axis=0)
    assert "they drift: changes from row to row may tell more" in words(walks, worth=20)
    assert "they drift" not in words(walks, worth=20, order=1)
