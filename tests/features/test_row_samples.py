"""Row keys and subsets follow content, not position."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from foundcause.errors import InputError
from foundcause.features.row_samples import content_keys, content_subset
from statistics_tables import table


def chosen(values, observed, rows, seed=0):
    index = content_subset(torch.tensor(values), torch.tensor(observed), rows, seed)
    picked = np.where(observed, values, np.nan)[index.numpy()]
    return sorted(map(tuple, np.nan_to_num(picked, nan=-99.0)))


@pytest.mark.parametrize("kind", ["random", "tied", "missing", "missing_tied", "long_discrete"])
def test_subset_ignores_order_of_rows_and_columns(kind):
    values, observed = table(kind)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(values)), rng.permutation(values.shape[1])
    plain = chosen(values, observed, 33)
    assert chosen(values[rows], observed[rows], 33) == plain
    back = np.argsort(columns)
    index = content_subset(torch.tensor(values[:, columns]), torch.tensor(observed[:, columns]), 33)
    shuffled = np.where(observed, values, np.nan)[:, columns][index.numpy()][:, back]
    assert sorted(map(tuple, np.nan_to_num(shuffled, nan=-99.0))) == plain


def test_binary_rows_are_told_apart_by_column():
    """Rows (0, 1) and (1, 0) hold the same cells; which of them are chosen must not depend on their position."""
    rng = np.random.default_rng(1)
    values = (rng.random((200, 4)) < np.array([0.5, 0.4, 0.3, 0.2])).astype(float)
    observed = np.ones(values.shape, bool)
    plain = chosen(values, observed, 90)
    for _ in range(5):
        assert chosen(values[rng.permutation(200)], observed, 90) == plain


def test_subset_is_a_fair_sample():
    values = torch.tensor(np.random.default_rng(2).normal(size=(4000, 3)))
    means = torch.stack([values[content_subset(values, None, 400, seed)].mean(dim=0) for seed in range(40)])
    assert means.mean(dim=0).sub(values.mean(dim=0)).abs().max() < 4 * 1 / (400 * 40) ** 0.5
    assert means.std(dim=0).sub(400**-0.5).abs().max() < 0.02


def test_seed_and_small_tables():
    values = torch.tensor(table("random")[0])
    assert torch.equal(content_subset(values, None, 70), torch.arange(70))
    assert set(content_subset(values, None, 20, 0).tolist()) != set(content_subset(values, None, 20, 1).tolist())
    assert len(set(content_keys(values, None).tolist())) == 70
    with pytest.raises(InputError):
        content_subset(values, None, 0)


def test_unobserved_cells_and_signed_zero_do_not_matter():
    values, observed = table("missing")
    other = np.where(observed, values, 5.0)
    first, second = (content_keys(torch.tensor(x), torch.tensor(observed)) for x in (values, other))
    assert torch.equal(first, second)
    zeros = torch.tensor([[0.0, 1.0], [-0.0, 1.0]])
    keys = content_keys(zeros, None)
    assert keys[0] == keys[1]
