"""A grown network answers as the one it grew from, and can then learn with what is new."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from foundcause.errors import ConfigError
from foundcause.model.config import SMALL, TINY, ModelConfig
from foundcause.model.grow import brings_scaling, obstacles, start_as
from foundcause.model.network import FoundCause
from foundcause.paper.config import BASE, PAPER_SMALL

SEEDLING = dataclasses.replace(
    SMALL, features="extended", direct_width=12, pair_width=8, motif_channels=4, refinement_rounds=2,
    weighed_channels=4,
)  # fmt: skip


def _grown(**changes: object) -> ModelConfig:
    return dataclasses.replace(SEEDLING, **changes)  # type: ignore[arg-type]


def _start(large: FoundCause, small: FoundCause) -> None:
    start_as(large, small.config, small.features.names, small.state_dict())


def _trained_like(network: FoundCause) -> FoundCause:
    """Weights away from their zero start, as training leaves them."""
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
        network.scaling.feature_mean.normal_(generator=generator)
        network.scaling.feature_scale.uniform_(0.5, 2.0, generator=generator)
    return network.eval()


@pytest.mark.parametrize(
    "changes",
    [{"refinement_rounds": 4}, {"direct_width": 20}, {"features": "extended+paper"}, {"features": "paper+extended"},
     {"refinement_rounds": 3, "direct_width": 16, "features": "paper+extended"}, {"pair_width": 16},
     {"motif_channels": 12}, {"pair_width": 24, "motif_channels": 8, "direct_width": 20, "refinement_rounds": 3},
     {"features": "paper+extended", "pair_width": 16, "direct_width": 16, "refinement_rounds": 3}],
)  # fmt: skip
def test_a_grown_network_answers_as_before(changes: dict[str, object]) -> None:
    small = _trained_like(FoundCause(SEEDLING, seed=1))
    large = FoundCause(_grown(**changes), seed=2).eval()
    _start(large, small)
    values = torch.randn(2, 60, 5, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        before, after = small(values), large(values)
    torch.testing.assert_close(after.edge_logits, before.edge_logits, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(after.confounding_logits, before.confounding_logits, rtol=1e-5, atol=1e-5)


def test_scaling_is_fitted_where_a_feature_is_new() -> None:
    network = FoundCause(SEEDLING)
    assert brings_scaling(network, network.features.names)
    assert not brings_scaling(network, network.features.names[:-1])


def test_what_is_new_learns() -> None:
    large = FoundCause(_grown(refinement_rounds=3, direct_width=20), seed=2)
    _start(large, _trained_like(FoundCause(SEEDLING, seed=1)))
    values = torch.randn(1, 60, 5, generator=torch.Generator().manual_seed(0))
    large(values).edge_logits.sum().backward()
    new_round = large.refinement.rounds[2]
    assert new_round.transition.out.weight.grad.abs().sum() > 0
    assert large.direct.out.weight.grad[:, 12:].abs().sum() > 0


def test_copies_learn_apart() -> None:
    large = FoundCause(_grown(pair_width=16, motif_channels=8), seed=2)
    _start(large, _trained_like(FoundCause(SEEDLING, seed=1)))
    values = torch.randn(1, 60, 5, generator=torch.Generator().manual_seed(0))
    large(values).edge_logits.sigmoid().square().sum().backward()
    for name, parts in (("direct.out", 1), ("refinement.rounds.1.project", 9), ("refinement.rounds.1.motif_norm", 3),
                        ("refinement.rounds.0.transition.hidden", 1), ("head.direction.0", 1)):  # fmt: skip
        one, other = large.get_submodule(name).bias.grad.unflatten(0, (parts, 2, -1)).unbind(1)
        assert (one - other).norm() > 0.1 * one.norm(), name


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"refinement_rounds": 1}, "refinement_rounds"), ({"direct_width": 8}, "direct_width"),
     ({"pair_width": 12}, "pair_width"), ({"features": "paper"}, "features")],
)  # fmt: skip
def test_what_cannot_grow_is_named(changes: dict[str, object], named: str) -> None:
    wanted = _grown(**changes)
    with pytest.raises(ConfigError, match=named):
        _start(FoundCause(wanted), FoundCause(SEEDLING))


def test_equal_networks_have_no_obstacles_and_presets_have() -> None:
    assert obstacles(SEEDLING, dataclasses.replace(SEEDLING, name="other", feature_dropout=0.5)) == []
    assert obstacles(SMALL, TINY) and obstacles(BASE, SMALL)
    assert obstacles(PAPER_SMALL, dataclasses.replace(PAPER_SMALL, name="other")) == []
