"""The simulations that methods are first compared on, by somebody else's program: gCastle's.

Random and scale-free graphs of 20 variables, linear and nonlinear models, nothing hidden. Shape letters: N rows, D
variables.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np

from foundcause.bench.case import Case, Dataset, generator, integer
from foundcause.features.precision import single_precision

VARIABLES, ROWS = 20, 1000


@dataclass(frozen=True, kw_only=True)
class Model:
    """One kind of simulation, in gCastle's words."""

    scale_free: bool
    """Whether the graph is scale-free instead of Erdos-Renyi."""
    edges: int
    """Edges per variable."""
    method: str
    """``linear`` or ``nonlinear``."""
    law: str
    """gCastle's ``sem_type``: the noise of linear models, the functions of others."""


MODELS = {
    "er2_gauss": Model(scale_free=False, edges=2, method="linear", law="gauss"),
    "sf2_gauss": Model(scale_free=True, edges=2, method="linear", law="gauss"),
    "er4_gauss": Model(scale_free=False, edges=4, method="linear", law="gauss"),
    "sf4_gauss": Model(scale_free=True, edges=4, method="linear", law="gauss"),
    "er2_exp": Model(scale_free=False, edges=2, method="linear", law="exp"),
    "er4_gumbel": Model(scale_free=False, edges=4, method="linear", law="gumbel"),
    "sf2_uniform": Model(scale_free=True, edges=2, method="linear", law="uniform"),
    "er2_mlp": Model(scale_free=False, edges=2, method="nonlinear", law="mlp"),
    "er4_mim": Model(scale_free=False, edges=4, method="nonlinear", law="mim"),
    "er2_gp": Model(scale_free=False, edges=2, method="nonlinear", law="gp"),
    "sf4_gp_add": Model(scale_free=True, edges=4, method="nonlinear", law="gp-add"),
    "er2_quadratic": Model(scale_free=False, edges=2, method="nonlinear", law="quadratic"),
}


@contextmanager
def _numpy_seeded(seed: int) -> Iterator[None]:
    """gCastle draws from numpy's global generator: seed it inside, and leave it as it was."""
    before = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(before)


def _load(name: str, model: Model, seed: int) -> Case:
    level = logging.getLogger().level
    with single_precision(), _numpy_seeded(integer(name, seed)):
        from castle.datasets import DAG, IIDSimulation

        logging.getLogger().setLevel(logging.WARNING)
        draw = DAG.scale_free if model.scale_free else DAG.erdos_renyi
        graph = draw(n_nodes=VARIABLES, n_edges=VARIABLES * model.edges, seed=integer(f"{name} graph", seed)) != 0
        # gCastle's weights are all positive; the literature's have both signs.
        rng = generator(f"{name} weights", seed)
        weights = graph * rng.uniform(0.5, 2.0, graph.shape) * rng.choice([-1.0, 1.0], graph.shape)
        np.random.seed(integer(f"{name} values", seed))  # drawing a graph seeds numpy too
        values = IIDSimulation(W=weights, n=ROWS, method=model.method, sem_type=model.law).X
    logging.getLogger().setLevel(level)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    names = tuple(f"v{k}" for k in range(VARIABLES))
    return Case(dataset=name, seed=seed, values=values, names=names, adjacency=graph, confounding=np.zeros_like(graph))


def _absent() -> str | None:
    if importlib.util.find_spec("castle") is None:
        return "gcastle is not installed; `pip install 'foundcause[bench]'`"
    return None


DATASETS = tuple(
    Dataset(
        name=name,
        family="textbook simulation",
        source="simulated by gCastle 1.0.4",
        licence="none needed",
        recipe=f"{'scale-free' if model.scale_free else 'Erdos-Renyi'} graph with {model.edges} edges per variable, "
        f"{model.method} ({model.law}), weights +-[0.5, 2], unit noise, {ROWS} rows; columns standardised",
        variables=VARIABLES,
        rows=ROWS,
        edges=None,
        simulated=True,
        load=partial(_load, name, model),
        missing=_absent,
    )
    for name, model in MODELS.items()
)
