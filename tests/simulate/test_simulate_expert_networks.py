"""Tables of the expert world. N rows, P parents, K states."""

from __future__ import annotations

import numpy as np
import pytest

from foundcause.simulate.components import expert_networks as tables


@pytest.mark.parametrize("family", list(tables.TABLE_FAMILIES))
def test_rows_are_distributions_that_depend_on_parents_alone(family: str) -> None:
    for seed in range(60):
        rng = np.random.default_rng([seed, 1])
        cards = rng.integers(2, 6, size=rng.integers(1, 8))
        codes = np.stack([rng.integers(0, card, 400) for card in cards], axis=1)
        codes[200:] = codes[:200]
        states = int(rng.integers(2, 11))
        probabilities = tables.TABLE_FAMILIES[family](rng, codes, cards, states)
        assert probabilities.shape == (400, states)
        assert (probabilities > -1e-12).all()
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-9)
        np.testing.assert_array_equal(probabilities[:200], probabilities[200:])


def test_noisy_or_of_two_states_multiplies_the_chances_of_silence() -> None:
    """P(off | both on) P(off | none on) = P(off | first on) P(off | second on), whichever way the states are named."""
    codes = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    for seed in range(50):
        table = tables.noisy_max(np.random.default_rng(seed), codes, np.array([2, 2]), 2)
        errors = [abs(table[0, k] * table[3, k] - table[1, k] * table[2, k]) for k in range(2)]
        assert min(errors) < 1e-12


def test_ordered_logit_moves_an_ordered_child_monotonically() -> None:
    codes = np.repeat(np.arange(4), 100)[:, None]
    monotone = 0
    for seed in range(50):
        table = tables.ordered_logit(np.random.default_rng(seed), codes, np.array([4]), 3)[::100]
        steps = np.diff(table @ np.arange(3))
        monotone += bool((steps >= 0).all() or (steps <= 0).all())
    # 85% of parents have ordered scores; the others may be monotone by chance.
    assert monotone > 36


def test_rounded_probabilities_are_multiples_and_sum_to_one() -> None:
    rng = np.random.default_rng(0)
    table = rng.dirichlet(np.ones(2), size=200)
    snapped = tables.rounded_table(table, 0.05)
    np.testing.assert_allclose(snapped.sum(axis=1), 1.0)
    np.testing.assert_allclose(snapped / 0.05, np.round(snapped / 0.05), atol=1e-9)
    assert np.abs(snapped - table).max() <= 0.0251


def test_sample_follows_the_probabilities() -> None:
    chances = np.array([0.1, 0.6, 0.05, 0.25])
    codes = tables.sample_states(np.random.default_rng(1), np.tile(chances, (40_000, 1)))
    np.testing.assert_allclose(np.bincount(codes, minlength=4) / 40_000, chances, atol=0.01)


def test_parents_that_change_nothing_are_noticed() -> None:
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, size=(400, 3))
    cards = np.array([3, 3, 3])
    table = rng.dirichlet(np.ones(2), size=(3, 3, 3))
    assert tables.idle_parent(codes, cards, table[tuple(codes.T)]) is None
    blind = np.repeat(table[:, :1], 3, axis=1)  # the second parent changes nothing
    assert tables.idle_parent(codes, cards, blind[tuple(codes.T)]) == 1
    copied = codes.copy()
    copied[:, 1] = copied[:, 0]  # given the first, the second can change nothing in this sample
    assert tables.idle_parent(copied, cards, table[tuple(copied.T)]) == 0
    once = blind.copy()
    once[0, 1, 0] = 1.0 - once[0, 1, 0]  # it matters in one context, which one row of the sample has
    rows = np.vstack([codes[(codes[:, 0] != 0) | (codes[:, 2] != 0)], [[0, 1, 0]]])
    assert tables.idle_parent(rows, cards, once[tuple(rows.T)]) == 1


@pytest.mark.parametrize("seed", range(20))
def test_a_child_shows_every_parent_it_keeps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, size=(400, 3))
    cards = np.array([3, 3, 3])
    menu = [str(name) for name in rng.choice(list(tables.TABLE_FAMILIES), 2)]
    column, family, shown = tables._child(rng, codes, cards, 3, menu, grid=0.0)
    assert column is not None and family in tables.TABLE_FAMILIES and shown.all()
    copied = np.column_stack([codes, codes[:, 0]])  # one of the two copies can be seen, not both
    column, _, shown = tables._child(rng, copied, np.append(cards, 3), 3, menu, grid=0.0)
    assert column is not None and shown[1:3].all() and shown[[0, 3]].sum() == 1
    still = np.zeros((400, 1), dtype=int)
    assert tables._child(rng, still, np.array([3]), 3, menu, grid=0.0)[0] is None


def test_columns_are_codes_of_two_to_ten_states() -> None:
    seen = set()
    for seed in range(60):
        drawn = tables.draw(np.random.default_rng([seed, 2]), rows=400, variables=15)
        assert drawn.discrete.all()
        assert (drawn.values == np.round(drawn.values)).all()
        assert drawn.values.min() == 0
        assert drawn.values.max() <= 9
        counts = [len(np.unique(column)) for column in drawn.values.T]
        assert min(counts) >= 2
        assert drawn.graph.sum(axis=0).max() <= 7
        seen.update(counts)
    assert {2, 3, 4, 5, 6} <= seen


def test_all_forms_families_and_codings_occur() -> None:
    forms, families, codings = set(), set(), set()
    for seed in range(150):
        record = tables.draw(np.random.default_rng([seed, 3]), rows=100, variables=10).record
        forms.add(record["form"])
        families.update(record["families"])
        codings.add(record["coding"])
    assert forms == {"layered", "tree", "hubs", "gates", "chain", "modules", "slices", "plain"}
    assert families == set(tables.TABLE_FAMILIES)
    assert codings == {"ordered", "alphabetical", "mixed"}
