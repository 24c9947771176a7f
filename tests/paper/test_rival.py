"""The amortized rival: order of rows and columns, padding, missing cells, and what training and discover ask of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from foundcause.model.architectures import build_network, preset, stored_config
from foundcause.model.checkpoints import load, save
from foundcause.model.interface import Prediction
from foundcause.paper.config import PAPER_SMALL
from foundcause.paper.rival import RIVAL, Rival, RivalConfig

SMALL_ONE = RivalConfig(name="rival", width=16, layers=2, heads=2, encoder_rows=None)
LOGITS = ("edge_logits", "existence_logits", "direction_logits", "confounding_logits")


@pytest.fixture
def network() -> Rival:
    net = Rival(SMALL_ONE, seed=3).eval()
    with torch.no_grad():  # zero-initialized parts would hide mistakes
        for parameter in net.parameters():
            parameter.add_(
                0.3 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(parameter.numel()))
            )
    return net


def _table(rows: int = 20, columns: int = 5) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    values = torch.randn(1, rows, columns, generator=generator)
    observed = torch.rand(1, rows, columns, generator=generator) < 0.8
    return values.masked_fill(~observed, 7.0), observed


def _close(a: torch.Tensor, b: torch.Tensor) -> None:
    torch.testing.assert_close(a, b, atol=2e-4, rtol=1e-4)


@torch.no_grad()
def test_rows_may_come_in_any_order(network: Rival) -> None:
    values, observed = _table()
    order = torch.randperm(20, generator=torch.Generator().manual_seed(2))
    plain, shuffled = network(values, observed), network(values[:, order], observed[:, order])
    for name in LOGITS:
        _close(getattr(shuffled, name), getattr(plain, name))


@torch.no_grad()
def test_columns_may_come_in_any_order(network: Rival) -> None:
    values, observed = _table()
    order = torch.tensor([3, 0, 4, 1, 2])
    plain, shuffled = network(values, observed), network(values[..., order], observed[..., order])
    for name in LOGITS:
        _close(getattr(shuffled, name), getattr(plain, name)[:, order][:, :, order])


@torch.no_grad()
def test_padding_and_missing_cells_change_nothing(network: Rival) -> None:
    values, observed = _table()
    plain = network(values, observed)
    wide, seen = torch.zeros(2, 27, 8), torch.zeros(2, 27, 8, dtype=torch.bool)
    wide[0, :20, :5], seen[0, :20, :5] = values[0], observed[0]
    wide[1], seen[1] = torch.randn(27, 8, generator=torch.Generator().manual_seed(5)), True
    variables = torch.ones(2, 8, dtype=torch.bool)
    variables[0, 5:] = False
    padded = network(wide, seen, variables)
    other = network(values.masked_fill(~observed, -3.0), observed)
    for name in LOGITS:
        _close(getattr(padded, name)[:1, :5, :5], getattr(plain, name))
        assert torch.equal(getattr(other, name), getattr(plain, name))


@torch.no_grad()
def test_logits_have_their_symmetries(network: Rival) -> None:
    values, observed = _table()
    found: Prediction = network(values, observed)
    for name in ("existence_logits", "confounding_logits"):
        assert torch.equal(getattr(found, name), getattr(found, name).transpose(1, 2))
    assert torch.equal(found.direction_logits, -found.direction_logits.transpose(1, 2))
    p = torch.sigmoid(found.edge_logits)
    off = ~torch.eye(5, dtype=torch.bool)
    _close(torch.sigmoid(found.existence_logits)[0][off], (1 - (1 - p) * (1 - p.transpose(1, 2)))[0][off])


def test_a_checkpoint_names_its_architecture(tmp_path: Path) -> None:
    network = build_network(SMALL_ONE, seed=2)
    loaded, _ = load(save(tmp_path / "rival.safetensors", network))
    assert isinstance(loaded, Rival) and loaded.config == SMALL_ONE
    assert stored_config(SMALL_ONE.to_dict(), "rival") == SMALL_ONE
    values, observed = _table()
    with torch.no_grad():
        assert torch.equal(loaded(values, observed).edge_logits, network.eval()(values, observed).edge_logits)


def test_it_has_about_as_many_parameters_as_the_papers_network_at_our_size() -> None:
    ratio = build_network(RIVAL).parameter_count / build_network(PAPER_SMALL).parameter_count
    assert 0.8 < ratio < 1.25 and preset("RIVAL") is RIVAL


def test_discover_takes_its_checkpoint(tmp_path: Path) -> None:
    from foundcause import discover

    path = save(tmp_path / "rival.safetensors", Rival(SMALL_ONE, seed=1))
    result = discover(np.random.default_rng(0).normal(size=(60, 3)), checkpoint=path, n_passes=2)
    assert result.probabilities.shape == (3, 3)
