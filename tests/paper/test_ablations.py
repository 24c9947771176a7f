"""The six test-time ablations change the answer, act where the paper says, and leave no trace."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from foundcause.errors import ConfigError
from foundcause.model.architectures import build_network
from foundcause.model.config import SMALL, TINY
from foundcause.model.interface import Network
from foundcause.model.network import FoundCause
from foundcause.paper.ablations import ABLATIONS, ablate
from foundcause.paper.config import PaperConfig

PAPERLIKE = PaperConfig(
    name="paperlike",
    width=16,
    encoder_layers=2,
    heads=4,
    global_tokens=3,
    pooling_queries=3,
    gate_width=16,
    confounder_tokens=3,
    pair_width=8,
    refinement_rounds=2,
)


def made(config: PaperConfig) -> tuple[Network, Tensor, Tensor]:
    """A network with no zero parameter, a table and stand-in features (antisymmetry is not needed here)."""
    network = build_network(config).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    values = torch.randn(2, 30, 5, generator=generator)
    features = torch.randn(2, 5, 5, network.features.count, generator=generator)
    return network, values, features


@pytest.mark.parametrize(
    ("config", "part"),
    [*((PAPERLIKE, part) for part in ABLATIONS), *((TINY, part) for part in FoundCause.parts)],
    ids=lambda value: getattr(value, "name", value),
)
@torch.no_grad()
def test_each_ablation_changes_the_edges_and_restores_the_model(config: PaperConfig, part: str) -> None:
    network, values, features = made(config)
    state = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    before = network(values, None, None, features)
    with ablate(network, part) as ablated:
        assert ablated is network
        inside = network(values, None, None, features)
    after = network(values, None, None, features)
    assert not torch.allclose(inside.edge_logits, before.edge_logits, atol=1e-5)
    for name in ("edge_logits", "direction_logits", "confounding_logits", "pair_state"):
        assert torch.equal(getattr(after, name), getattr(before, name)), name
    assert all(torch.equal(tensor, state[name]) for name, tensor in network.state_dict().items())


@torch.no_grad()
def test_the_model_is_restored_after_an_error() -> None:
    network, values, features = made(TINY)
    before = network(values, None, None, features).edge_logits
    with pytest.raises(RuntimeError), ablate(network, "statistics"):
        raise RuntimeError
    assert torch.equal(network(values, None, None, features).edge_logits, before)


@torch.no_grad()
def test_without_statistics_the_features_do_not_matter() -> None:
    network, values, features = made(PAPERLIKE)
    with ablate(network, "statistics"):
        first = network(values, None, None, features)
        second = network(values, None, None, 7 * features + 1)
    assert torch.equal(first.edge_logits, second.edge_logits)
    zero = network(values, None, None, torch.zeros_like(features))
    assert torch.equal(first.edge_logits, zero.edge_logits)


@torch.no_grad()
def test_without_refinement_base_logits_and_role_remain() -> None:
    network, values, features = made(PAPERLIKE)
    with ablate(network, "refinement"):
        found = network(values, None, None, features)
    parent, child = network.head.parent(found.embeddings), network.head.child(found.embeddings)
    role = (parent @ child.mT / parent.shape[-1] ** 0.5).clamp(-100, 100)
    expected = (found.base_logits.clamp(-15, 15) + 0.1 * role).clamp(-15, 15)
    off = ~torch.eye(5, dtype=torch.bool)
    torch.testing.assert_close(found.edge_logits[:, off], expected[:, off])
    assert found.refined_logits is None


@torch.no_grad()
def test_max_pool_ignores_the_pooling_attention() -> None:
    network, values, features = made(PAPERLIKE)
    with ablate(network, "max_pool"):
        before = network(values, None, None, features)
        network.pooling.merge.weight.add_(1.0)
        after = network(values, None, None, features)
    assert torch.equal(before.embeddings, after.embeddings)


@torch.no_grad()
def test_confounder_feedback_changes_edges_but_not_confounding_tokens() -> None:
    network, values, features = made(PAPERLIKE)
    before = network(values, None, None, features)
    with ablate(network, "confounder_feedback"):
        found = network(values, None, None, features)
    assert torch.equal(found.confounding_logits, before.confounding_logits)
    assert torch.equal(found.loadings, before.loadings)


@torch.no_grad()
def test_constant_gate_is_a_half_everywhere() -> None:
    network, values, features = made(PAPERLIKE)
    with ablate(network, "constant_gate"):
        assert bool((network(values, None, None, features).gate == 0.5).all())


@torch.no_grad()
def test_without_direction_head_and_rounds_nothing_directs_the_shipped_network() -> None:
    network, values, features = made(TINY)
    with ablate(network, "direction_head"), ablate(network, "refinement"):
        found = network(values, None, None, features)
    assert float(found.direction_logits.abs().max()) < 1e-5
    assert float(network(values, None, None, features).direction_logits.abs().max()) > 1e-2


def test_unknown_and_impossible_ablations_are_refused() -> None:
    network, _, _ = made(TINY)
    with pytest.raises(ConfigError, match="max_pool"), ablate(network, "everything"):
        pass
    bare, _, _ = made(replace(PAPERLIKE, encoder_layers=0))
    with pytest.raises(ConfigError, match="no part"), ablate(bare, "max_pool"):
        pass


def test_a_network_knows_which_parts_it_has() -> None:
    assert build_network(PAPERLIKE).parts == ABLATIONS
    assert FoundCause(SMALL).parts == ("statistics", "refinement", "direction_head")
    with pytest.raises(ConfigError, match="no part"), ablate(FoundCause(SMALL), "constant_gate"):
        pass
