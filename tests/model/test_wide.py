"""The forward pass in blocks of pairs gives what the plain one gives, on one thread or several."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from foundcause.features.series import RowDependence
from foundcause.inference import passes as inference
from foundcause.inference.passes import plan, run_passes
from foundcause.inference.threads import side_by_side
from foundcause.model import wide
from foundcause.model.config import SMALL, TINY
from foundcause.model.network import FoundCause

FIELDS = ("edge_logits", "existence_logits", "direction_logits", "confounding_logits", "pair_state")


def trained_like(config=TINY, seed: int = 0) -> FoundCause:
    network = FoundCause(config, seed=seed).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
    return network


@pytest.mark.parametrize("block", [20, 300, 8192])
@pytest.mark.parametrize("variables", [2, 9, 33])
def test_blocks_equal_the_whole(variables: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wide, "_BLOCK_PAIRS", block)
    network = trained_like(replace(TINY, motif_channels=3, weighed_channels=2))
    statistics = torch.randn(variables, variables, network.features.count, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        expected = network(None, statistics=statistics[None])
    found = wide.wide_forward(network, statistics, side_by_side)
    for field in FIELDS:
        torch.testing.assert_close(getattr(found, field), getattr(expected, field), rtol=1e-4, atol=1e-4)
    assert torch.equal(found.existence_logits, found.existence_logits.mT)
    assert torch.equal(found.direction_logits, -found.direction_logits.mT)


def test_a_network_without_rounds_has_blocks_too() -> None:
    network = trained_like(replace(TINY, refinement_rounds=0))
    statistics = torch.randn(5, 5, network.features.count)
    with torch.no_grad():
        expected = network(None, statistics=statistics[None])
    torch.testing.assert_close(wide.wide_forward(network, statistics).edge_logits, expected.edge_logits)


def test_passes_over_wide_tables_work_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    network, values = trained_like(), np.random.default_rng(0).normal(size=(60, 12))
    rows = RowDependence(n_rows=60, n_effective=60, direction=0, autocorrelated=())
    for protocol in ("default", "paper"):
        plain = run_passes(network, values, rows, plan(protocol, 2))
        with monkeypatch.context() as patch:
            patch.setattr(inference, "WIDE", 12)
            blocks = run_passes(network, values, rows, plan(protocol, 2))
        assert blocks.statistics is None and plain.statistics is not None
        np.testing.assert_allclose(blocks.edges, plain.edges, atol=1e-4)


def test_memory_grows_with_the_states_and_not_with_the_features() -> None:
    one, more = (SMALL.forward_bytes(rows=500, variables=1000, features=F) for F in (299, 900))
    assert one == more < 1.3e9
