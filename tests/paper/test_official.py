"""The official importer, and parity with the released network on its golden vectors."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from foundcause.errors import CheckpointError
from foundcause.model.checkpoints import load
from foundcause.paper.config import BASE
from foundcause.paper.official import from_official, import_official, infer_config, our_name, read_official
from foundcause.paper.paper_network import PaperNetwork

CASES = [
    "d2_n50_complete",
    "d5_n120_complete_b2",
    "d12_n200_missing10",
    "d12_n150_padded_b2",
    "d30_n300_complete",
    "d5_n80_heavy_missing",
    "d5_n80_masked_cells_nonzero",
    "d5_n100_discrete_TIES",
]
POOLING_HEADS = {"A": 2, "B": 3}


@pytest.fixture(scope="module")
def imported(golden: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, PaperNetwork]:
    """Both golden networks through the whole path: .pt file, importer, our file, loader."""
    folder = tmp_path_factory.mktemp("official")
    networks = {}
    for name, prefix in (("A", "_orig_mod."), ("B", "module._orig_mod.")):
        state = load_file(golden / f"config_{name}_state_dict.safetensors")
        torch.save(
            {"model_state_dict": {prefix + key: value for key, value in state.items()}, "epoch": 320, "best": 0.5},
            folder / f"{name}.pt",
        )
        import_official(folder / f"{name}.pt", folder / f"{name}.safetensors", pooling_heads=POOLING_HEADS[name])
        networks[name] = load(folder / f"{name}.safetensors")[0]
    return networks


def predict(network: PaperNetwork, case: np.lib.npyio.NpzFile, *, own_statistics: bool) -> dict[str, np.ndarray]:
    tensors = {key: torch.from_numpy(case[key]) for key in ("X", "M", "var_mask", "stats")}
    with torch.no_grad():
        found = network(
            tensors["X"],
            tensors["M"].bool(),
            tensors["var_mask"].bool(),
            None if own_statistics else tensors["stats"],
        )
    assert found.refined_logits is not None
    return {
        "Z": found.embeddings.numpy(),
        "gate": found.gate.numpy(),
        "base_logits": found.base_logits.numpy(),
        "tri_e": found.pair_state.numpy(),
        "tri_logit_raw": found.refined_logits.numpy(),
        "edge_logits": found.edge_logits.numpy(),
        "skel_logit": found.skeleton_logits.numpy(),
        "C_logits": found.confounding_logits.numpy(),
        "S": found.loadings.numpy(),
        "pma_div": found.pooling_diversity.numpy(),
    }


@pytest.mark.parametrize("name", ["A", "B"])
@pytest.mark.parametrize("case", CASES)
def test_network_reproduces_the_release_on_its_own_statistics(
    name: str, case: str, golden: Path, imported: dict[str, PaperNetwork]
) -> None:
    stored = np.load(golden / f"config_{name}__{case}.npz")
    found = predict(imported[name], stored, own_statistics=False)
    real = stored["var_mask"].astype(bool)
    for quantity, values in found.items():
        expected = stored[quantity]
        if quantity == "S":  # padded rows are meaningless
            values, expected = values[real], expected[real]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-4, err_msg=quantity)


@pytest.mark.parametrize("name", ["A", "B"])
@pytest.mark.parametrize("case", [case for case in CASES if "TIES" not in case])
def test_table_to_logits_reproduces_the_release(
    name: str, case: str, golden: Path, imported: dict[str, PaperNetwork]
) -> None:
    stored = np.load(golden / f"config_{name}__{case}.npz")
    found = predict(imported[name], stored, own_statistics=True)
    real = stored["var_mask"].astype(bool)
    for quantity in ("Z", "edge_logits", "skel_logit", "C_logits", "S"):
        values, expected = found[quantity], stored[quantity]
        if quantity == "S":
            values, expected = values[real], expected[real]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-4, err_msg=quantity)


@pytest.mark.parametrize("name", ["A", "B"])
def test_tied_data_stays_within_the_jitter_of_the_release(
    name: str, golden: Path, imported: dict[str, PaperNetwork]
) -> None:
    case = "d5_n100_discrete_TIES"
    manifest = json.loads((golden / "manifest.json").read_text())
    moved = manifest["cases"][case]["max_change_between_two_jitter_seeds"][name]
    stored = np.load(golden / f"config_{name}__{case}.npz")
    found = predict(imported[name], stored, own_statistics=True)
    for quantity in ("Z", "edge_logits", "skel_logit", "C_logits", "S"):
        np.testing.assert_allclose(
            found[quantity], stored[quantity], rtol=0, atol=10 * moved[quantity] + 1e-3, err_msg=quantity
        )


def test_parity_network_reports_symmetric_confounding(golden: Path, imported: dict[str, PaperNetwork]) -> None:
    stored = np.load(golden / "config_B__d12_n200_missing10.npz")
    network = imported["B"]
    with torch.no_grad():
        found = network(
            torch.from_numpy(stored["X"]), torch.from_numpy(stored["M"]).bool(), None, torch.from_numpy(stored["stats"])
        )
    assert not torch.equal(found.confounding_logits, found.confounding_logits.mT)  # the defect is reproduced inside
    assert torch.equal(found.confounding, found.confounding.mT)


@pytest.mark.parametrize("name", ["A", "B"])
def test_sizes_are_read_off_the_shapes(name: str, golden: Path, imported: dict[str, PaperNetwork]) -> None:
    sizes = json.loads((golden / "manifest.json").read_text())["configs"][name]
    config = imported[name].config
    assert (config.width, config.encoder_layers, config.heads) == (
        sizes["hidden_dim"],
        sizes["num_encoder_layers"],
        sizes["num_heads"],
    )
    assert (config.confounder_tokens, config.refinement_rounds, config.pair_width) == (
        sizes["num_confounder_tokens"],
        sizes["num_tri_refine_rounds"],
        sizes["tri_pair_dim"],
    )
    assert imported[name].parameter_count == sizes["num_parameters"]


def test_random_constants_travel_with_the_weights(golden: Path, imported: dict[str, PaperNetwork]) -> None:
    state = load_file(golden / "config_A_state_dict.safetensors")
    assert torch.equal(imported["A"].frequencies, state["pair_stats.omega_rff"])
    assert torch.equal(imported["A"].phases, state["pair_stats.bias_rff"])


def base_shaped(golden: Path, scale: float = 0.0) -> dict[str, torch.Tensor]:
    """A state dict with the released file's 392 names and shapes, every number ``scale``-sized noise."""
    renamed = {}
    with torch.device("meta"):
        network = PaperNetwork(official_base())
    ours = {name: tensor.shape for name, tensor in network.state_dict().items()}
    official = {our_name(name): name for name in official_names(golden)}
    generator = torch.Generator().manual_seed(0)
    for name, shape in ours.items():
        theirs = official[name]
        if theirs in ("encoder.pma.queries", "confounder.tokens"):
            shape = (1, *shape)
        elif theirs == "encoder.global_tokens":
            shape = (1, 1, *shape)
        renamed[theirs] = torch.randn(shape, generator=generator) * scale if scale else torch.zeros(()).expand(shape)
    return renamed


def official_base():
    from dataclasses import replace

    return replace(BASE, name="official", features="release", compatibility="release")


def official_names(golden: Path) -> list[str]:
    """The 392 names, grown from the names of config B: more blocks, bias nets and taps."""
    names: set[str] = set()
    for key in load_file(golden / "config_B_state_dict.safetensors"):
        for stem, start, count in (
            ("encoder.blocks.", 0, 16),
            ("encoder.stat_bias.projs.", 0, 8),
            ("encoder.intermediate_norms.", 0, 3),
        ):
            if key.startswith(stem):
                rest = key[len(stem) :].split(".", 1)[1]
                names.update(f"{stem}{number}.{rest}" for number in range(start, count))
                break
        else:
            names.add(key)
    return sorted(names)


def test_all_392_entries_of_the_base_size_have_a_place(golden: Path) -> None:
    names = official_names(golden)
    assert len(names) == 392
    ours = [our_name(name) for name in names]
    assert None not in ours
    assert len(set(ours)) == 392
    config = infer_config(base_shaped(golden))
    assert config == official_base()
    with torch.device("meta"):
        network = PaperNetwork(config)
    assert set(network.state_dict()) == set(ours)
    assert network.parameter_count == 138_986_803


@pytest.mark.slow
def test_a_base_sized_file_is_imported_whole(golden: Path, tmp_path: Path) -> None:
    state = base_shaped(golden, scale=0.02)
    torch.save({"model_state_dict": {f"_orig_mod.{k}": v for k, v in state.items()}}, tmp_path / "checkpoint.pt")
    network = import_official(tmp_path / "checkpoint.pt", tmp_path / "official.safetensors")
    assert network.parameter_count == 138_986_803
    again, metadata = load(tmp_path / "official.safetensors")
    assert metadata["provenance"]["parameters"] == 138_986_803
    for theirs, tensor in state.items():
        ours = again.state_dict()[our_name(theirs)]
        assert torch.equal(ours, tensor.reshape(ours.shape)), theirs


def test_unknown_missing_and_misshapen_entries_are_refused(golden: Path) -> None:
    state = load_file(golden / "config_A_state_dict.safetensors")
    with pytest.raises(CheckpointError, match=r"encoder\.mystery"):
        from_official({**state, "encoder.mystery": torch.zeros(1)}, pooling_heads=2)
    for gone in ("tri_refine.rounds.1.in_val.bias", "encoder.pma.gate", "pair_stats.bias_rff", "tri_logit.weight"):
        with pytest.raises(CheckpointError, match="lacks"):
            from_official({k: v for k, v in state.items() if k != gone}, pooling_heads=2)
    with pytest.raises(CheckpointError, match=r"head\.parent\.weight"):
        from_official({**state, "parent_proj.weight": torch.zeros(3, 3)}, pooling_heads=2)
    extra = {"encoder.blocks.0.q_proj.bias": torch.zeros(32)}
    with pytest.raises(CheckpointError, match="beyond its size"):
        from_official({**state, **extra}, pooling_heads=2)
    gap = {k.replace("rounds.1.", "rounds.7."): v for k, v in state.items()}
    with pytest.raises(CheckpointError, match="gaps"):
        from_official(gap, pooling_heads=2)


class Payload:
    """Unpickling this would run code."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Path.touch, (Path("executed"),))


def test_files_that_need_code_or_are_broken_are_refused(
    golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"model_state_dict": {}, "extra": Payload()}, "evil.pt")
    with pytest.raises(CheckpointError, match="never"):
        read_official("evil.pt")
    Path("plain.pt").write_bytes(pickle.dumps({"model_state_dict": {}, "extra": Payload()}))
    with pytest.raises(CheckpointError):
        read_official("plain.pt")
    assert not Path("executed").exists()
    torch.save({"model_state_dict": load_file(golden / "config_A_state_dict.safetensors")}, "whole.pt")
    Path("half.pt").write_bytes(Path("whole.pt").read_bytes()[:100_000])
    with pytest.raises(CheckpointError, match="truncated"):
        read_official("half.pt")
    torch.save([1, 2], "list.pt")
    with pytest.raises(CheckpointError, match="model_state_dict"):
        read_official("list.pt")
    with pytest.raises(CheckpointError, match="no file"):
        read_official("nowhere.pt")


def test_the_command_converts_a_file_and_explains_refusals(golden: Path, tmp_path: Path) -> None:
    from foundcause.cli.app import build

    source, target = tmp_path / "checkpoint.pt", tmp_path / "out.safetensors"
    torch.save({"model_state_dict": load_file(golden / "config_A_state_dict.safetensors")}, source)
    done = CliRunner().invoke(build(), ["import-official", str(source), str(target), "--pooling-heads", "2"])
    assert done.exit_code == 0, done.output
    assert "128,040" in done.output
    network, metadata = load(target)
    assert network.config.compatibility == "release"
    assert metadata["provenance"]["imported_from"] == "checkpoint.pt"
    refused = CliRunner().invoke(build(), ["import-official", str(target), str(tmp_path / "b.safetensors")])
    assert isinstance(refused.exception, CheckpointError)
