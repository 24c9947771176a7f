"""What a task costs: arithmetic and memory of one learning step, measured on the network itself.

Both are polynomials of the number of rows and variables, so that a few small tables determine them. They decide which
process learns from which task, and how a batch is split to stay within a memory limit.

Shape letters: N encoder rows, D variables, T terms of the polynomial, P probes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from foundcause.errors import ConfigError
from foundcause.model.interface import Network

Work = Callable[[int, int], float]
_PROBES = ((8, 4), (24, 4), (8, 10), (24, 10), (40, 6), (12, 14), (32, 14), (16, 7), (48, 4))
_COPIES = 6  # weights, gradients, two moments, an average and the message of gradients, all float32
_PADDING, _WORTH_A_PART = 1.1, 1e8  # share of padding, and operations, that are cheaper than one more part
_SPARE = 1.15  # temporaries that are not kept for the backward pass


@dataclass(frozen=True, kw_only=True)
class StepCosts:
    """Coefficients (T,) of the cost of one task: terms 1, D, N, N D, D^2, N D^2, N^2 D, D^3.

    operations: of a forward pass.
    activations: bytes kept for the backward pass.
    checkpointed: the same where blocks of the encoder are recomputed instead of kept.
    fixed: bytes of weights, gradients and optimizer.
    """

    operations: tuple[float, ...]
    activations: tuple[float, ...]
    checkpointed: tuple[float, ...]
    fixed: float

    def work(self, rows: int, variables: int) -> float:
        """Operations of a task, for dealing tasks to processes."""
        return float(_terms(rows, variables) @ np.array(self.operations))

    def memory(self, shapes: Sequence[tuple[int, int]], *, recompute_blocks: bool = False) -> float:
        """Bytes of activations of tasks that are padded to one size."""
        chosen = np.array(self.checkpointed if recompute_blocks else self.activations)
        return _SPARE * padded_work(shapes, lambda n, d: float(_terms(n, d) @ chosen))

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def measure_costs(network: Network) -> StepCosts:
    """Measure the costs of a network on a few small tables; takes seconds for 139 million parameters.

    Returns
    -------
    StepCosts
        Rounded, so that a resumed run deals tasks as before.
    """
    device = next(network.parameters()).device
    was_training = network.training
    network.train()
    operations, kept, recomputed = [], [], []
    for rows, variables in _PROBES:
        inputs = _probe(network, rows, variables, device)
        operations.append(_operations(network, inputs))
        kept.append(_saved_bytes(network, inputs))
        with recomputed_blocks(network):
            recomputed.append(_saved_bytes(network, inputs))
    network.train(was_training)
    blocks = max(len(_blocks(network)), 1)
    # while one block is recomputed, its own activations are there too
    peak = [few + (all_ - few) / blocks for all_, few in zip(kept, recomputed, strict=True)]
    fixed = _COPIES * 4.0 * sum(p.numel() for p in network.parameters())
    return StepCosts(operations=_fitted(operations), activations=_fitted(kept), checkpointed=_fitted(peak), fixed=fixed)


def deal(shapes: Sequence[tuple[int, int]], work: Work, world: int) -> list[list[int]]:
    """Deal the tasks of a batch to processes so that the slowest has as little work as possible.

    Parameters
    ----------
    shapes : sequence of (rows, variables)
        The tasks, at least as many as processes.
    work : callable
        Cost of a task from its rows and variables.
    world : int
        Number of processes.

    Returns
    -------
    list of list of int
        Positions of the tasks of each process, in ascending order; every process gets one at least.
    """
    shares: list[list[int]] = [[] for _ in range(world)]
    loads = [0.0] * world
    for position in sorted(range(len(shapes)), key=lambda k: (-work(*shapes[k]), k)):
        least = min(range(world), key=lambda rank: (loads[rank], len(shares[rank]), rank))
        shares[least].append(position)
        loads[least] += work(*shapes[position])
    return [sorted(share) for share in shares]


@dataclass(frozen=True, kw_only=True)
class Split:
    """How the batch of one process is computed.

    parts: positions of the tasks that are padded to one size and computed together.
    recompute_parts: whether activations of a part are recomputed in the backward pass, not kept.
    recompute_blocks: whether those of blocks of the encoder are, because one task alone is too large.
    """

    parts: list[list[int]]
    recompute_parts: bool = False
    recompute_blocks: bool = False


def split_batch(shapes: Sequence[tuple[int, int]], costs: StepCosts | None, limit: float | None) -> Split:
    """Split a batch so that little is padded and its activations stay within a memory limit.

    Parameters
    ----------
    shapes : sequence of (rows, variables)
        The tasks of the batch.
    costs : StepCosts, optional
        None keeps the batch whole.
    limit : float, optional
        Bytes for weights, optimizer and activations.

    Returns
    -------
    Split
    """
    if costs is None:
        return Split(parts=[list(range(len(shapes)))])
    room = math.inf if limit is None else limit - costs.fixed
    blocks = max(costs.memory([shape]) for shape in shapes) > room
    parts: list[list[int]] = []
    for position in sorted(range(len(shapes)), key=lambda k: (costs.work(*shapes[k]), k)):
        if costs.memory([shapes[position]], recompute_blocks=blocks) > room:
            needed = costs.fixed + costs.memory([shapes[position]], recompute_blocks=blocks)
            raise ConfigError(
                f"one task of {shapes[position][0]} rows and {shapes[position][1]} variables needs "
                f"{needed / 1e9:.1f} GB; raise --memory, or lower the rows of the encoder with --set encoder_rows=256"
            )
        larger = [*parts[-1], position] if parts else []
        together = [shapes[k] for k in larger]
        if larger and _little_padding(together, costs) and costs.memory(together, recompute_blocks=blocks) <= room:
            parts[-1] = larger
        else:
            parts.append([position])
    kept = sum(costs.memory([shapes[k] for k in part], recompute_blocks=blocks) for part in parts)
    return Split(parts=parts, recompute_parts=kept > room, recompute_blocks=blocks)


def padded_work(shapes: Sequence[tuple[int, int]], work: Work) -> float:
    """Cost of tasks that are padded to one size."""
    return len(shapes) * work(max(n for n, _ in shapes), max(d for _, d in shapes))


def _little_padding(shapes: Sequence[tuple[int, int]], costs: StepCosts) -> bool:
    needed = sum(costs.work(*shape) for shape in shapes)
    return padded_work(shapes, costs.work) <= _PADDING * needed + _WORTH_A_PART


@contextmanager
def recomputed_blocks(network: nn.Module, on: bool = True) -> Iterator[None]:
    """Recompute the blocks of the encoder in the backward pass instead of keeping what is inside them."""
    blocks = _blocks(network) if on else []
    forwards = [block.forward for block in blocks]
    for block, forward in zip(blocks, forwards, strict=True):
        block.forward = _recomputing(forward)
    try:
        yield
    finally:
        for block in blocks:
            del block.forward


def _recomputing(forward: Any) -> Any:
    return lambda *inputs: checkpoint(forward, *inputs, use_reentrant=False)


def _blocks(network: nn.Module) -> list[nn.Module]:
    """Blocks of an encoder or of a refinement: the members of every list of modules named ``blocks`` or ``rounds``."""
    found: list[nn.Module] = []
    for name, module in network.named_modules():
        if isinstance(module, nn.ModuleList) and name.rpartition(".")[2] in ("blocks", "rounds"):
            found += list(module)
    return found


def _terms(rows: float, variables: float) -> np.ndarray:
    n, d = rows, variables
    return np.array([1.0, d, n, n * d, d**2, n * d**2, n**2 * d, d**3])


def _fitted(measured: Sequence[float]) -> tuple[float, ...]:
    """Non-negative coefficients (T,) of measurements (P,)."""
    from scipy.optimize import nnls

    design = np.stack([_terms(n, d) for n, d in _PROBES])
    scale = design.max(0)
    weights = 1 / np.maximum(np.array(measured, float), 1.0)
    coefficients, _ = nnls(design / scale * weights[:, None], np.array(measured, float) * weights)
    return tuple(float(f"{value:.6g}") for value in coefficients / scale)


def _probe(network: Network, rows: int, variables: int, device: torch.device) -> tuple[Any, ...]:
    generator = torch.Generator().manual_seed(0)
    values = torch.randn(1, rows, variables, generator=generator).to(device)
    statistics = torch.rand(1, variables, variables, network.features.count, generator=generator).to(device)
    mask = torch.ones(1, variables, dtype=torch.bool, device=device)
    if network.config.rows_read == 0:
        return None, None, mask, statistics
    return values, torch.ones_like(values, dtype=torch.bool), mask, statistics


def _operations(network: Network, inputs: tuple[Any, ...]) -> float:
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    with torch.enable_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        network(*inputs[:3], statistics=inputs[3])
    return float(counter.get_total_flops())


def _saved_bytes(network: Network, inputs: tuple[Any, ...]) -> float:
    """Bytes of the tensors that autograd keeps, parameters not counted and shared storage once."""
    owned = {p.untyped_storage().data_ptr() for p in network.parameters()}
    seen: dict[int, int] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in owned:
            seen[storage.data_ptr()] = storage.nbytes()
        alive.append(tensor)  # an address must not be used twice
        return tensor

    alive: list[Tensor] = []
    with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        network(*inputs[:3], statistics=inputs[3])
    return float(sum(seen.values()))
