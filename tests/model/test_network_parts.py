"""Single modules against slow, obvious twins."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from foundcause.errors import ConfigError, InputError
from foundcause.model.architectures import build_network
from foundcause.model.config import SMALL, TINY
from foundcause.model.layers import contract, valid_pairs
from foundcause.model.network import FoundCause, LeanRound, WeighedThirds, joint_logit
from foundcause.model.pair_features import FeatureScaling, PairFeatures, squash
from foundcause.paper.config import BASE
from foundcause.paper.encoder import choose_rows
from foundcause.paper.paper_network import PaperNetwork
from foundcause.paper.triangle import Refinement


def test_motifs_are_what_their_names_say() -> None:
    left, right = (torch.randn(4, 4, generator=torch.Generator().manual_seed(s)) for s in (0, 1))
    for motif, term in (
        ("chain", lambda i, j, k: left[i, k] * right[k, j]),
        ("fork", lambda i, j, k: left[k, i] * right[k, j]),
        ("collider", lambda i, j, k: left[i, k] * right[j, k]),
    ):
        slow = torch.tensor([[sum(term(i, j, k) for k in range(4)) for j in range(4)] for i in range(4)])
        torch.testing.assert_close(contract(motif, left, right), slow)


def test_lean_motifs_skip_the_pair_itself_and_padding() -> None:
    config = replace(TINY, motif_channels=2)
    block = LeanRound(config)
    variables = torch.tensor([[True, True, True, True, False]])
    valid = valid_pairs(variables)
    y = torch.randn(25, config.pair_width, generator=torch.Generator().manual_seed(0))
    scale = torch.tensor([1 / math.sqrt(4)])
    found = block._motifs(y, valid, scale).reshape(5, 5, 6).detach()
    gates, left, right = block.project(y).reshape(5, 5, 18).detach().split(6, dim=-1)
    left = torch.sigmoid(gates) * left
    expected = torch.zeros(5, 5, 6)
    for i in range(4):
        for j in range(4):
            for k in range(4):
                for c in range(6) if k not in (i, j) else ():
                    a, b = [((i, k), (k, j)), ((k, i), (k, j)), ((i, k), (j, k))][c // 2]
                    expected[i, j, c] += left[*a, c] * right[*b, c] / 2
    torch.testing.assert_close(found[:4, :4], expected[:4, :4])


def test_weighed_thirds_are_averages_over_others_and_none() -> None:
    config = replace(TINY, weighed_channels=2)
    thirds = WeighedThirds(config)
    torch.nn.init.normal_(thirds.out.weight, generator=torch.Generator().manual_seed(1))
    variables = torch.tensor([[True, True, True, True, False]])
    y = torch.randn(1, 5, 5, config.pair_width, generator=torch.Generator().manual_seed(0))
    found = thirds(y, valid_pairs(variables)).detach()
    weights, values = thirds.project(y)[0].detach().split(12, dim=-1)
    exponents = 5 * torch.tanh(weights / 5)
    for i in range(4):
        for j in range(4):
            heard = torch.zeros(12)
            for c in range(6):
                total, said = 1.0, 0.0
                for k in range(4) if i != j else ():
                    if k not in (i, j):
                        a, b = [((i, k), (k, j)), ((k, i), (k, j)), ((i, k), (j, k))][c // 2]
                        weight = math.exp(exponents[*a, c] + exponents[*b, 6 + c])
                        total += weight
                        said += weight * float(values[*a, c] + values[*b, 6 + c])
                heard[c], heard[6 + c] = math.log(total), said / total
            if i != j:
                torch.testing.assert_close(found[0, i, j], thirds.out(heard).detach(), rtol=1e-4, atol=1e-5)


def test_weighed_thirds_stay_finite_where_weights_are_extreme() -> None:
    thirds = WeighedThirds(replace(TINY, weighed_channels=2))
    y = 1e4 * torch.randn(1, 40, 40, TINY.pair_width, generator=torch.Generator().manual_seed(0))
    y.requires_grad_()
    heard = thirds(y, valid_pairs(torch.ones(1, 40, dtype=torch.bool)))
    heard.sum().backward()
    assert bool(torch.isfinite(heard).all()) and bool(torch.isfinite(y.grad).all())


def test_own_refinement_starts_as_the_identity_on_rows_without_attention() -> None:
    config = replace(BASE, width=16, heads=4, pair_width=8, refinement_rounds=1)
    refinement = Refinement(config)
    update = refinement.rounds[0].updates[0]
    e = torch.randn(1, 3, 3, 8)
    variables = torch.ones(1, 3, dtype=torch.bool)
    assert torch.equal(update(e, variables, valid_pairs(variables), torch.ones(1)), e)


def test_joint_logit_is_exact_in_both_tails() -> None:
    numbers = torch.tensor([-80.0, -20.0, -3.0, 0.0, 2.0, 20.0, 80.0], dtype=torch.float64)
    existence, direction = torch.meshgrid(numbers, numbers, indexing="ij")
    found = joint_logit(existence.float(), direction.float())
    log_p = -torch.log1p(torch.exp(-existence)) - torch.log1p(torch.exp(-direction))
    log_q = torch.log(torch.sigmoid(-existence) + torch.sigmoid(existence) * torch.sigmoid(-direction))  # in float64
    torch.testing.assert_close(found.double(), log_p - log_q, rtol=1e-5, atol=1e-5)
    existence = torch.tensor([-60.0, 60.0], requires_grad=True)
    joint_logit(existence, torch.tensor([60.0, 60.0])).sum().backward()
    assert bool(torch.isfinite(existence.grad).all())


def test_squash_is_asinh() -> None:
    x = torch.tensor([0.0, -0.0, 1e-8, -1e-3, 0.5, -3.0, 1e4, -1e12], dtype=torch.float64)
    torch.testing.assert_close(squash(x), torch.asinh(x), rtol=1e-12, atol=0)
    assert bool(torch.isfinite(squash(torch.tensor([3e38, -3e38, float("inf")]))).all())


def test_antisymmetric_part_flips_and_symmetric_part_does_not() -> None:
    from foundcause.features import compute

    table = torch.randn(1, 60, 5, generator=torch.Generator().manual_seed(0)).cumsum(-1)
    for name in ("release", "paper", "paper+extended"):
        features = PairFeatures.of(name)
        statistics = compute(table, features=name)
        scaling = FeatureScaling(features)
        scaling.fit([(statistics, torch.ones(1, 5, dtype=torch.bool))])
        for tensor in (statistics, *scaling(statistics).chunk(2, dim=-1)):
            anti, sym = features.antisymmetric_part(tensor), features.symmetric_part(tensor)
            off = ~torch.eye(5, dtype=torch.bool)
            torch.testing.assert_close(anti[:, off], -anti.transpose(1, 2)[:, off], rtol=1e-3, atol=1e-3)
            torch.testing.assert_close(sym[:, off], sym.transpose(1, 2)[:, off], rtol=1e-3, atol=1e-3)


def test_released_order_of_antisymmetric_features() -> None:
    statistics = torch.arange(45.0).square().expand(1, 2, 2, 45)
    with torch.device("meta"):
        released = PaperNetwork(replace(BASE, features="release", compatibility="release")).features
    found = released.antisymmetric_part(statistics)[0, 0, 1]
    pairs = [(7, 8), (13, 14), (11, 12), (16, 17), (20, 21), (22, 23), (24, 25), (26, 27), (30, 31), (32, 33)]
    pairs += [(34, 35), (39, 40)]
    assert found.tolist() == [a * a - b * b for a, b in pairs] + [k * k for k in (9, 10, 15, 18, 19, 28, 29, 36)]
    assert released.symmetric == (0, 1, 2, 3, 4, 5, 6, 37, 38)


def test_fitted_scaling_gives_unit_features_and_ignores_diagonal_and_padding() -> None:
    network = FoundCause(TINY)
    rng = np.random.default_rng(0)
    count = network.features.count
    tasks = []
    for size in (4, 6):
        numbers = torch.tensor(rng.normal(1.0, 3.0, size=(1, 6, 6, count)), dtype=torch.float32)
        for a, b in network.features.directed:
            numbers[..., b] = numbers[..., a].transpose(1, 2)
        anti = list(network.features.antisymmetric)
        numbers[..., anti] = numbers[..., anti] - numbers[..., anti].transpose(1, 2)
        numbers[:, range(6), range(6)] = 1e9
        numbers[:, size:], numbers[:, :, size:] = 1e9, 1e9
        tasks.append((numbers, torch.arange(6)[None] < size))
    network.fit_feature_scaling(tasks)
    scaled = [network.scaling(s)[0, ..., :count][valid_pairs(v)[0]] for s, v in tasks]
    mean = torch.stack([part.mean(0) for part in scaled]).mean(0)
    square = torch.stack([part.square().mean(0) for part in scaled]).mean(0)
    torch.testing.assert_close(mean, torch.zeros(count), rtol=0, atol=1e-4)
    torch.testing.assert_close(square, torch.ones(count), rtol=0, atol=1e-3)
    assert bool((network.scaling.feature_mean[list(network.features.antisymmetric)] == 0).all())
    for a, b in network.features.directed:
        assert network.scaling.feature_mean[a] == network.scaling.feature_mean[b]
        assert network.scaling.feature_scale[a] == network.scaling.feature_scale[b]
    with pytest.raises(InputError, match="at least one task"):
        network.fit_feature_scaling([])
    with torch.device("meta"), pytest.raises(ConfigError, match="raw features"):
        build_network(replace(BASE, width=16, heads=4)).fit_feature_scaling(tasks)


def test_second_readings_lie_around_the_median_and_drop_with_their_features() -> None:
    network = FoundCause(replace(SMALL, direct_width=4, pair_width=4, refinement_rounds=1))
    count, rng = network.features.count, np.random.default_rng(0)
    anti = list(network.features.antisymmetric)
    numbers = torch.tensor(rng.lognormal(0.0, 2.0, size=(30, 8, 8, count)), dtype=torch.float32)
    numbers[..., anti] = numbers[..., anti] - numbers[..., anti].transpose(1, 2)
    numbers[..., 0] = 0.0  # a feature that never varies
    network.fit_feature_scaling([(numbers, torch.ones(30, 8, dtype=torch.bool))])
    off = ~torch.eye(8, dtype=torch.bool)
    second = network.scaling(numbers)[:, off].flatten(0, 1)[:, count:]
    quartiles = np.quantile(second[:, 1:].numpy(), (0.25, 0.5, 0.75), axis=0)
    assert np.abs(quartiles[1]).max() < 0.15
    assert (quartiles[2] - quartiles[0]).min() > 0.7  # half of all pairs are spread over a third of (-1, 1) or more
    assert bool(torch.isfinite(second).all())
    for a, b in network.features.directed:
        assert network.scaling.feature_middle[a] == network.scaling.feature_middle[b]
        assert network.scaling.feature_spread[a] == network.scaling.feature_spread[b]
    assert bool((network.scaling.feature_middle[anti] == 0).all())
    both = torch.ones(50, 2, 2, 2 * count)
    dropped = network.features.drop(both, 0.5, torch.Generator().manual_seed(0))
    assert torch.equal(dropped[..., :count], dropped[..., count:])
    assert bool((dropped == 0).any())


def test_row_choice_follows_content_not_position() -> None:
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(1, 50, 4, generator=generator)
    observed = torch.rand(1, 50, 4, generator=generator) > 0.2
    real = torch.ones(1, 4, dtype=torch.bool)
    chosen, seen = choose_rows(values, observed, real, 10)
    assert chosen.shape == (1, 10, 4)
    rows, columns = torch.randperm(50, generator=generator), torch.tensor([2, 0, 3, 1])
    again, seen_again = choose_rows(values[:, rows][..., columns], observed[:, rows][..., columns], real, 10)
    assert torch.equal(again, chosen[..., columns]) and torch.equal(seen_again, seen[..., columns])
    padded = torch.zeros(1, 60, 6)
    padded_seen = torch.zeros(1, 60, 6, dtype=torch.bool)
    padded[:, 5:55, :4], padded_seen[:, 5:55, :4] = values, observed
    wide, _ = choose_rows(padded, padded_seen, torch.tensor([[True] * 4 + [False] * 2]), 10)
    assert torch.equal(wide[..., :4], chosen)


def test_feature_dropout_hides_partners_together() -> None:
    features = PairFeatures.of(SMALL.features)
    ones = torch.ones(200, 2, 2, features.count)
    dropped = features.drop(ones, 0.25, torch.Generator().manual_seed(0))[:, 0, 1]
    droppable = {k for group in features.droppable for k in group}
    kept = [k for k in range(features.count) if k not in droppable]
    assert bool((dropped[:, kept] == 1).all())
    for group in features.droppable:
        assert all(torch.equal(dropped[:, k], dropped[:, group[0]]) for k in group)
    touched = dropped[:, sorted(droppable)]
    assert touched.unique().tolist() == pytest.approx([0.0, 1 / 0.75])
    assert float((touched == 0).float().mean()) == pytest.approx(0.25, abs=0.02)
