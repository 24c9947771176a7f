"""Import of the released weights: every entry of the official file onto our modules, or a refusal.

The file is a pickle, so it is read with ``weights_only=True``: tensors and plain containers, never code.
Shape letters: see ``foundcause.paper.config``.
"""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from foundcause.errors import CheckpointError
from foundcause.model.checkpoints import save
from foundcause.paper.config import PaperConfig
from foundcause.paper.paper_network import PaperNetwork

# Official module -> ours, # being the running number; each stands for its weight and its bias.
_MODULES = {
    "encoder.input_proj": "encoder.embed",
    "encoder.blocks.#.q_proj": "encoder.blocks.#.query",
    "encoder.blocks.#.kv_proj": "encoder.blocks.#.key_value",
    "encoder.blocks.#.out_proj": "encoder.blocks.#.out",
    "encoder.blocks.#.ffn.w1": "encoder.blocks.#.feed.up",
    "encoder.blocks.#.ffn.w_gate": "encoder.blocks.#.feed.gate",
    "encoder.blocks.#.ffn.w2": "encoder.blocks.#.feed.down",
    "encoder.stat_bias.projs.#.0": "encoder.biases.#.hidden",
    "encoder.stat_bias.projs.#.2": "encoder.biases.#.out",
    "encoder.pma.query_norm": "pooling.query_norm",
    "encoder.pma.q_proj": "pooling.query",
    "encoder.pma.kv_proj": "pooling.key_value",
    "encoder.pma.out_proj_attn": "pooling.out",
    "encoder.pma.ffn.0": "pooling.feed_norm",
    "encoder.pma.ffn.1": "pooling.feed.hidden",
    "encoder.pma.ffn.3": "pooling.feed.out",
    "encoder.pma.out_proj": "pooling.merge",
    "edge_pred.ln": "node_norm",
    "edge_pred.feature_gate.0": "gate.hidden",
    "edge_pred.feature_gate.2": "gate.out",
    "edge_pred.stat_proj_sym.0": "decoder.symmetric",
    "edge_pred.stat_proj_asym.0": "decoder.antisymmetric",
    "edge_pred.exist_mlp.0": "decoder.existence",
    "edge_pred.dir_mlp.0": "decoder.direction",
    "edge_pred.fusion.0": "head.base.hidden",
    "edge_pred.fusion.2": "head.base.out",
    "tri_proj_in": "pair_input",
    "tri_refine.round_norms.#": "refinement.rounds.#.norm",
    "tri_refine.pair_attn_norms.#": "refinement.rounds.#.attention_norm",
    "tri_refine.pair_attns.#.out_proj": "refinement.rounds.#.attention.out",
    "tri_logit": "head.refined",
    "skel_fn": "head.skeleton_map",
    "confounder.cross_layers.#.out_proj": "confounders.attentions.#.out",
    "confounder.cross_norms.#": "confounders.norms.#",
    "confounder.cross_ffns.#.0": "confounders.feeds.#.hidden",
    "confounder.cross_ffns.#.2": "confounders.feeds.#.out",
    "confounder.loading_net.0": "confounders.loading.hidden",
    "confounder.loading_net.2": "confounders.loading.out",
    "confounder.conf_stat_proj.0": "confounders.bias.hidden",
    "confounder.conf_stat_proj.2": "confounders.bias.out",
    "parent_proj": "head.parent",
    "child_proj": "head.child",
} | {
    f"tri_refine.rounds.#.{motif}_{theirs}": f"refinement.rounds.#.updates.{position}.{ours}"
    for position, motif in enumerate(("out", "in", "col"))
    for theirs, ours in (("gate", "gate"), ("val", "value"), ("proj", "out"), ("norm", "norm"))
}
_TENSORS = {
    "encoder.blocks.#.ln_attn.scale": "encoder.blocks.#.attention_norm.gain",
    "encoder.blocks.#.ln_ffn.scale": "encoder.blocks.#.feed_norm.gain",
    "encoder.intermediate_norms.#.scale": "encoder.tap_norms.#.gain",
    "encoder.final_norm.scale": "encoder.final_norm.gain",
    "encoder.layer_weights": "encoder.fusion",
    "encoder.global_tokens": "encoder.global_tokens",
    "encoder.pma.queries": "pooling.queries",
    "encoder.pma.gate": "pooling.gate",
    "pair_stats.omega_rff": "frequencies",
    "pair_stats.bias_rff": "phases",
    "tri_refine.pair_attns.#.in_proj_weight": "refinement.rounds.#.attention.project.weight",
    "tri_refine.pair_attns.#.in_proj_bias": "refinement.rounds.#.attention.project.bias",
    "tri_alpha_exist": "head.existence_share",
    "tri_alpha_dir": "head.direction_share",
    "skel_dir_scale": "head.scale",
    "confounder.tokens": "confounders.tokens",
    "confounder.cross_layers.#.in_proj_weight": "confounders.attentions.#.project.weight",
    "confounder.cross_layers.#.in_proj_bias": "confounders.attentions.#.project.bias",
}
_NAMES = _TENSORS | {
    f"{theirs}.{kind}": f"{ours}.{kind}" for theirs, ours in _MODULES.items() for kind in ("weight", "bias")
}
_LEADING_ONES = {"encoder.global_tokens", "encoder.pma.queries", "confounder.tokens"}
_PREFIXES = ("_orig_mod.", "module.")


def import_official(
    source: str | os.PathLike[str], target: str | os.PathLike[str], *, pooling_heads: int = 4, pair_heads: int = 4
) -> PaperNetwork:
    """Convert a released ``checkpoint.pt`` to our format; returns the network it holds.

    Head counts of the pooling and of the pair attention cannot be read off the weights; the released model has 4.
    """
    network = from_official(read_official(source), pooling_heads=pooling_heads, pair_heads=pair_heads)
    origin = {"imported_from": Path(source).name, "weights": "official", "parameters": network.parameter_count}
    save(target, network, metadata={"provenance": origin})
    return network


def read_official(source: str | os.PathLike[str]) -> dict[str, Tensor]:
    """The state dict of a released file, prefixes of compilation and data parallelism removed."""
    path = Path(source)
    if not path.is_file():
        raise CheckpointError(f"there is no file {path}; download the released checkpoint.pt first")
    try:
        content = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, OSError, KeyError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise CheckpointError(
            f"{path} cannot be read as plain tensors ({reason}); it is truncated, of another kind, or holds objects "
            "that only unpickling could build, which foundcause never does. Download it again"
        ) from None
    state = content.get("model_state_dict") if isinstance(content, Mapping) else None
    if not isinstance(state, Mapping):
        raise CheckpointError(f"{path} has no 'model_state_dict'; give the released checkpoint.pt")
    cleaned: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            raise CheckpointError(f"entry {name!r} of {path} is not a named tensor; give the released checkpoint.pt")
        plain = name
        for prefix in _PREFIXES:
            plain = plain.replace(prefix, "")
        if plain in cleaned:
            raise CheckpointError(f"{path} holds {plain} twice; give the released checkpoint.pt")
        cleaned[plain] = tensor
    return cleaned


def from_official(state: Mapping[str, Tensor], *, pooling_heads: int = 4, pair_heads: int = 4) -> PaperNetwork:
    """The network of an official state dict, in evaluation mode and in release compatibility."""
    renamed: dict[str, Tensor] = {}
    unknown: list[str] = []
    for theirs, tensor in state.items():
        ours = our_name(theirs)
        if ours is None:
            unknown.append(theirs)
            continue
        if theirs in _LEADING_ONES:
            tensor = tensor.reshape(tensor.shape[-2:])
        renamed[ours] = tensor.detach().to(torch.float32).clone()
    if unknown:
        raise CheckpointError(f"unknown official entries: {_some(unknown)}; this is not the released network")
    config = infer_config(state, pooling_heads=pooling_heads, pair_heads=pair_heads)
    with torch.device("meta"):
        network = PaperNetwork(config)
    expected = network.state_dict()
    if missing := sorted(set(expected) - set(renamed)):
        raise CheckpointError(f"the official file lacks the entries of {_some(missing)}; download it again")
    if extra := sorted(set(renamed) - set(expected)):
        raise CheckpointError(f"the official file has entries beyond its size: {_some(extra)}; download it again")
    for name, tensor in expected.items():
        if tensor.shape != renamed[name].shape:
            raise CheckpointError(
                f"the official entry of {name} is {tuple(renamed[name].shape)}, expected {tuple(tensor.shape)}"
            )
    network.load_state_dict(renamed, strict=True, assign=True)
    return network.eval()


def our_name(theirs: str) -> str | None:
    """Our name of an official entry, or None when it is unknown."""
    for pattern, ours in _PATTERNS:
        if match := pattern.fullmatch(theirs):
            return ours.replace("#", match.group(1)) if match.groups() else ours
    return None


def infer_config(state: Mapping[str, Tensor], *, pooling_heads: int = 4, pair_heads: int = 4) -> PaperConfig:
    """The sizes of an official state dict, read off its shapes."""
    try:
        blocks = _length(state, "encoder.blocks.")
        return PaperConfig(
            name="official",
            features="release",
            compatibility="release",
            width=state["encoder.input_proj.weight"].shape[0],
            encoder_layers=blocks // 2,
            heads=state["encoder.stat_bias.projs.0.2.weight"].shape[0],
            global_tokens=state["encoder.global_tokens"].shape[-2],
            bias_width=state["encoder.stat_bias.projs.0.0.weight"].shape[0],
            pooling_queries=state["encoder.pma.queries"].shape[-2],
            pooling_heads=pooling_heads,
            gate_width=state["edge_pred.feature_gate.0.weight"].shape[0],
            confounder_tokens=state["confounder.tokens"].shape[-2],
            confounder_layers=_length(state, "confounder.cross_norms."),
            confounder_bias_width=state["confounder.conf_stat_proj.0.weight"].shape[0],
            pair_width=state["tri_logit.weight"].shape[1],
            refinement_rounds=_length(state, "tri_refine.rounds."),
            pair_heads=pair_heads,
        )
    except (KeyError, IndexError) as error:
        raise CheckpointError(f"the official file lacks {error}; give the released checkpoint.pt") from None


def _length(state: Mapping[str, Tensor], prefix: str) -> int:
    numbers = {int(name[len(prefix) :].split(".")[0]) for name in state if name.startswith(prefix)}
    if numbers != set(range(len(numbers))):
        raise CheckpointError(f"the official entries {prefix}* are not numbered from 0 without gaps; download again")
    return len(numbers)


def _some(names: list[str]) -> str:
    return ", ".join(sorted(names)[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


_PATTERNS: list[tuple[re.Pattern[str], str]] = [
    (re.compile(re.escape(theirs).replace(r"\#", r"(\d+)")), ours) for theirs, ours in _NAMES.items()
]
