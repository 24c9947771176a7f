"""What every network must do: invariances, exact symmetries, gradients everywhere, clear refusals."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from foundcause.errors import ConfigError, InputError
from foundcause.model.architectures import build_network, preset
from foundcause.model.config import SMALL, TINY, ModelConfig
from foundcause.model.interface import Network, NetworkConfig, Prediction
from foundcause.model.layers import MASKED_LOGIT
from foundcause.model.network import FoundCause
from foundcause.paper.config import BASE, PAPER_SMALL, PaperConfig

# The paper's modules at a size tests can afford: taps, blend head, row attention.
PAPERLIKE = PaperConfig(
    name="paperlike",
    width=16,
    encoder_layers=3,
    heads=4,
    global_tokens=3,
    pooling_queries=3,
    gate_width=16,
    confounder_tokens=3,
    pair_width=8,
    refinement_rounds=2,
)
CONFIGS = {
    "tiny": TINY,
    "small": SMALL,
    "paperlike": PAPERLIKE,
    "no_encoder": replace(PAPERLIKE, encoder_layers=0),
    "no_rounds": replace(PAPERLIKE, refinement_rounds=0),
}
FIELDS = ("edge_logits", "existence_logits", "direction_logits", "confounding_logits", "loadings", "embeddings")


def scrambled(config: NetworkConfig, seed: int = 0) -> Network:
    """A network none of whose parameters is zero or constant, so that every path shows in the output."""
    network = build_network(config, seed=seed).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            fan_in = parameter.shape[-1] if parameter.dim() else 1
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator) / fan_in**0.5)
    return network


def table(rows: int, variables: int, *, tasks: int = 1, missing: float = 0.0, seed: int = 0) -> tuple:
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(tasks, rows, variables, generator=generator)
    for column in range(1, variables):
        values[..., column] += 0.8 * values[..., column - 1].square()
    observed = torch.rand(values.shape, generator=generator) >= missing
    return values.masked_fill(~observed, 0.0), observed


@torch.no_grad()
def run(network: Network, values: Tensor | None, observed: Tensor | None = None, **kwargs: object) -> Prediction:
    return network(values, observed, **kwargs)


def assert_same(found: Prediction, expected: Prediction, order: Tensor | None = None) -> None:
    for name in FIELDS:
        a, b = getattr(found, name, None), getattr(expected, name, None)
        assert (a is None) == (b is None), name
        if a is None:  # a part that this network does not have
            continue
        if order is not None:
            b = b[:, order][:, :, order] if name.endswith("logits") else b[:, order]
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4, msg=lambda text, name=name: f"{name}: {text}")


def statistics(network: Network, values: Tensor, observed: Tensor) -> Tensor:
    from foundcause.features import compute

    return compute(values, observed, features=network.config.features)


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_permuting_columns_permutes_the_answer(name: str, missing: float) -> None:
    network = scrambled(CONFIGS[name])
    values, observed = table(90, 7, missing=missing)
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    features = statistics(network, values, observed)
    expected = run(network, values, observed, statistics=features)
    off = ~torch.eye(7, dtype=torch.bool)
    assert expected.edge_logits[:, off].std() > 1e-2  # the answer says something that could move
    moved = features[:, order][:, :, order]
    assert_same(run(network, values[..., order], observed[..., order], statistics=moved), expected, order)


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_permuting_rows_changes_nothing(name: str, missing: float) -> None:
    network = scrambled(CONFIGS[name])
    values, observed = table(90, 6, missing=missing)
    order = torch.randperm(90, generator=torch.Generator().manual_seed(1))
    features = statistics(network, values, observed)
    moved = run(network, values[:, order], observed[:, order], statistics=features)
    assert_same(moved, run(network, values, observed, statistics=features))


@pytest.mark.parametrize("name", ["tiny", "small"])
def test_a_whole_table_may_be_permuted_both_ways(name: str) -> None:
    network = scrambled(CONFIGS[name])
    values, observed = table(90, 6)
    columns = torch.tensor([4, 2, 0, 5, 1, 3])
    rows = torch.randperm(90, generator=torch.Generator().manual_seed(1))
    expected = run(network, values, observed)
    assert_same(run(network, values[:, rows][..., columns], observed), expected, columns)


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_padding_and_batching_change_nothing(name: str, missing: float) -> None:
    network = scrambled(CONFIGS[name])
    small, small_seen = table(70, 4, missing=missing, seed=2)
    large, large_seen = table(90, 7, missing=missing, seed=3)
    values, observed = torch.zeros(2, 90, 7), torch.zeros(2, 90, 7, dtype=torch.bool)
    values[0, :70, :4], observed[0, :70, :4] = small[0], small_seen[0]
    values[1], observed[1] = large[0], large_seen[0]
    variables = torch.tensor([[True] * 4 + [False] * 3, [True] * 7])
    features = torch.zeros(2, 7, 7, network.features.count)
    features[0, :4, :4] = statistics(network, small, small_seen)[0]
    features[1] = statistics(network, large, large_seen)[0]
    together = run(network, values, observed, variables=variables, statistics=features)
    alone_small = run(network, small, small_seen, statistics=features[:1, :4, :4])
    alone_large = run(network, large, large_seen, statistics=features[1:])
    for name_ in FIELDS:
        whole = getattr(together, name_, None)
        if whole is None:  # a part that this network does not have
            continue
        block = whole[:1, :4, :4] if name_.endswith("logits") else whole[:1, :4]
        torch.testing.assert_close(block, getattr(alone_small, name_), rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(whole[1:], getattr(alone_large, name_), rtol=1e-4, atol=1e-4)
    if name in ("tiny", "small"):
        return
    torch.testing.assert_close(
        together.pooling_diversity * 11,
        alone_small.pooling_diversity * 4 + alone_large.pooling_diversity * 7,
        rtol=1e-4,
        atol=1e-5,
    )


@pytest.mark.parametrize("name", ["paperlike"])
def test_chunks_equal_the_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = scrambled(CONFIGS[name])
    values, observed = table(60, 5, tasks=2, missing=0.1)
    whole = network(values, observed)  # with gradients: one call per block
    monkeypatch.setattr("foundcause.paper.encoder._CHUNK_POSITIONS", 64)
    assert_same(run(network, values, observed), whole)


def test_complete_data_takes_no_mask_and_agrees_with_the_masked_path(monkeypatch: pytest.MonkeyPatch) -> None:
    from foundcause.paper import encoder

    network = scrambled(PAPERLIKE)
    values, observed = table(50, 4)
    expected = run(network, values, observed)
    assert encoder.row_keys(observed, torch.ones(1, 4, dtype=torch.bool)) is None
    monkeypatch.setattr(encoder, "row_keys", lambda seen, real: seen.transpose(1, 2))
    assert_same(run(network, values, observed), expected)


@pytest.mark.parametrize("name", CONFIGS)
def test_symmetries_are_exact_and_impossible_pairs_masked(name: str) -> None:
    network = scrambled(CONFIGS[name])
    values, observed = table(60, 6, tasks=2, missing=0.1)
    variables = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    observed &= variables.unsqueeze(1)
    found = run(network, values, observed, variables=variables)
    assert torch.equal(found.direction_logits, -found.direction_logits.mT)
    assert torch.equal(found.existence_logits, found.existence_logits.mT)
    assert torch.equal(found.confounding_logits, found.confounding_logits.mT)
    possible = variables.unsqueeze(1) & variables.unsqueeze(2) & ~torch.eye(6, dtype=torch.bool)
    for logits in (found.edge_logits, found.existence_logits, found.confounding_logits):
        assert bool((logits[~possible] == MASKED_LOGIT).all())
        assert bool((logits[possible] > MASKED_LOGIT).all())
    assert bool((found.direction_logits[~possible] == 0).all())


def test_edge_probability_is_existence_times_direction() -> None:
    found = run(scrambled(SMALL), *table(60, 6))
    off = ~torch.eye(6, dtype=torch.bool)
    product = found.existence_logits.sigmoid() * found.direction_logits.sigmoid()
    torch.testing.assert_close(found.edge_logits.sigmoid()[:, off], product[:, off])
    both = found.edge_logits.sigmoid() + found.edge_logits.sigmoid().mT
    torch.testing.assert_close(both[:, off], found.existence_logits.sigmoid()[:, off])


@pytest.mark.parametrize("name", ["tiny", "small", "no_encoder", "paperlike"])
def test_gradients_reach_every_parameter(name: str) -> None:
    network = scrambled(CONFIGS[name]).train()
    values, observed = table(40, 6, tasks=2, missing=0.1)
    found = network(values, observed, generator=torch.Generator().manual_seed(0))
    weights = torch.randn(4, *found.edge_logits.shape, generator=torch.Generator().manual_seed(1))
    parts = (found.edge_logits, found.existence_logits, found.direction_logits, found.confounding_logits)
    loss = sum((w * part).mean() for w, part in zip(weights, parts, strict=True))
    if name in ("no_encoder", "paperlike"):
        loss = loss + found.pooling_diversity
    loss.backward()
    silent = [n for n, p in network.named_parameters() if p.grad is None or not bool(p.grad.abs().sum() > 0)]
    # The noisy-OR is clamped for tiny loadings and GELU may rest, but no whole parameter may be cut off.
    assert silent == []
    assert all(bool(torch.isfinite(p.grad).all()) for p in network.parameters() if p.grad is not None)


def test_one_step_of_training_wakes_the_zero_started_maps() -> None:
    network = FoundCause(TINY).train()
    values, observed = table(40, 6, tasks=2)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        network(values, observed).edge_logits.clamp(min=-20).square().mean().backward()
        optimizer.step()
    refinement = dict(network.refinement.named_parameters())
    assert all(bool((p.abs() > 0).any()) for name, p in refinement.items() if name.endswith("weight"))


def test_confounding_feedback_carries_no_gradient() -> None:
    network = scrambled(PAPERLIKE).train()
    network(*table(40, 5)).edge_logits.sum().backward()
    assert all(parameter.grad is None for parameter in network.confounders.parameters())


def test_parameter_counts() -> None:
    with torch.device("meta"):
        assert build_network(BASE).parameter_count == 138_986_803
    assert 1_000_000 <= build_network(PAPER_SMALL).parameter_count <= 2_400_000
    assert 200_000 <= FoundCause(SMALL).parameter_count <= 2_000_000
    assert 2_000 <= FoundCause(TINY).parameter_count <= 50_000


def test_the_seed_decides_the_start_and_the_global_generator_is_left_alone() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, again, other = FoundCause(TINY, seed=1), FoundCause(TINY, seed=1), FoundCause(TINY, seed=2)
    assert torch.equal(torch.get_rng_state(), before)
    same = [torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True)]
    assert all(same)
    assert not torch.equal(first.direct.out.weight, other.direct.out.weight)


def test_feature_dropout_needs_training_and_a_generator() -> None:
    network = scrambled(TINY)
    values, observed = table(40, 5)
    plain = run(network, values, observed).edge_logits
    assert torch.equal(run(network, values, observed, generator=torch.Generator()).edge_logits, plain)
    network.train()
    assert torch.equal(run(network, values, observed).edge_logits, plain)
    dropped = [
        run(network, values, observed, generator=torch.Generator().manual_seed(s)).edge_logits for s in (1, 1, 2)
    ]
    assert torch.equal(dropped[0], dropped[1])
    assert not torch.allclose(dropped[0], dropped[2])


def test_a_constant_and_an_unobserved_column_stay_finite() -> None:
    for name in CONFIGS:
        network = scrambled(CONFIGS[name])
        values, observed = table(40, 5)
        values[..., 2] = 0.1
        observed[..., 4] = False
        found = run(network, values, observed)
        states = {field: getattr(found, field, None) for field in FIELDS}
        assert all(bool(torch.isfinite(state).all()) for state in states.values() if state is not None)
        assert states["embeddings"] is None or float(states["embeddings"].abs().max()) < 1000


def test_bfloat16_autocast_keeps_the_islands_in_float32() -> None:
    network = scrambled(PAPERLIKE)
    values, observed = table(40, 5)
    plain = run(network, values, observed)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = run(network, values, observed)
    assert mixed.gate.dtype == mixed.loadings.dtype == mixed.confounding_logits.dtype == torch.float32
    torch.testing.assert_close(mixed.edge_logits.float(), plain.edge_logits, rtol=0.1, atol=0.2)


def test_spectral_radius_of_known_graphs() -> None:
    from foundcause.paper.losses import spectral_radius

    off = ~torch.eye(4, dtype=torch.bool).unsqueeze(0)
    chain = torch.full((1, 4, 4), -40.0)
    chain[0, [0, 1, 2], [1, 2, 3]] = 40.0
    assert float(spectral_radius(chain, off, seed=0)) < 1e-3
    full = torch.zeros(1, 4, 4)  # all probabilities 0.5: the eigenvalue is 1.5
    torch.testing.assert_close(spectral_radius(full, off, seed=0), torch.tensor([1.5]), rtol=1e-3, atol=1e-3)


def test_bad_inputs_are_named() -> None:
    network = FoundCause(TINY)
    values, observed = table(20, 4)
    nan = values.clone()
    nan[0, 3, 1] = float("nan")
    for arguments, words in (
        ((values[0],), "tasks, rows, variables"),
        ((values.numpy(),), "ndarray; give a tensor"),
        ((values[:, :2],), "3 rows"),
        ((values[..., :1],), "2 variables"),
        ((values, observed[:, :5]), "observed has shape"),
        ((values, observed, torch.ones(1, 3, dtype=torch.bool)), "variables has shape"),
        ((values, observed, torch.tensor([[True, True, True, False]])), "padded variable"),
        ((values, observed, None, torch.zeros(1, 4, 4, 3)), "features='paper'"),
        ((nan,), "NaN or infinite"),
    ):
        with pytest.raises(InputError, match=words):
            network(*arguments)
    with pytest.raises(InputError, match="values are missing"):
        build_network(PAPERLIKE)(None, None, None, torch.zeros(1, 4, 4, 45))
    hidden = observed.clone()
    hidden[0, 3, 1] = False
    assert bool(torch.isfinite(run(network, nan, hidden).edge_logits).all())  # missing cells may hold anything


def test_without_encoder_statistics_suffice() -> None:
    network = scrambled(CONFIGS["no_encoder"])
    values, observed = table(40, 5)
    features = statistics(network, values, observed)
    expected = run(network, values, observed)
    assert_same(run(network, None, statistics=features), expected)


def test_presets_are_found_by_name_and_nonsense_is_refused() -> None:
    assert preset("SMALL") is SMALL and preset("paper_small") is PAPER_SMALL and preset("base") is BASE
    with pytest.raises(ConfigError, match="small, tiny, base"):
        preset("huge")
    for config, change in (
        (PAPERLIKE, {"width": 30, "heads": 4}),
        (PAPERLIKE, {"encoder_rows": 1}),
        (PAPERLIKE, {"encoder_rows": "abc"}),
        (PAPERLIKE, {"compatibility": "release"}),
        (PAPERLIKE, {"guarded": "off"}),
        (SMALL, {"feature_dropout": 1.0}),
        (SMALL, {"pair_width": 0}),
        (SMALL, {"pair_width": 8.0}),
        (SMALL, {"feature_dropout": "high"}),
        (SMALL, {"initial_logit": "high"}),
        (SMALL, {"initial_logit": float("nan")}),
    ):
        with pytest.raises(ConfigError):
            replace(config, **change)
    with pytest.raises(ConfigError, match="unknown feature set"):
        FoundCause(replace(SMALL, features="mystery"))
    for config in (SMALL, PAPERLIKE):
        assert type(config).from_dict(config.to_dict()) == config
    with pytest.raises(ConfigError, match="newer"):
        ModelConfig.from_dict({**SMALL.to_dict(), "novelty": 1})
    with pytest.raises(ConfigError, match="missing"):
        ModelConfig.from_dict({"name": "x"})
