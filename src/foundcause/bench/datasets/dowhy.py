"""The paper's own suites of growing graphs, by its recipe: the DoWhy path of its mixture at 50 to 100 variables.

Unlike ``synthetic``, this is the generator of ``foundcause.simulate``, because the paper describes its suites by its
training generator: 600 rows, root fraction 0.05 to 0.40, up to 30% hidden variables, linear, additive and non-additive
neural mechanisms. About a tenth of our training tasks are of this path (4% as such, the others as special tasks and
excerpts), with seeds of their own and clean or spoiled.
"""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np

from foundcause.bench.case import Case, Dataset, always_available
from foundcause.errors import DataUnavailableError
from foundcause.simulate.chance import uniform
from foundcause.simulate.mixture import PAPER, Mixture, make_task
from foundcause.simulate.settings import Sizes
from foundcause.training.run_config import RESERVED_SEEDS

FAMILY = "the paper's growing graphs"
ROWS = 600
_SEED = RESERVED_SEEDS["benchmark"]  # training refuses it
_ATTEMPTS = 50


def suite(variables: int) -> Mixture:
    """The DoWhy path at this size, without artefacts or missing cells."""
    return dataclasses.replace(
        PAPER.only("dowhy").clean(),
        dowhy=dataclasses.replace(PAPER.dowhy, graph="attachment"),  # the published figures are of these graphs
        sizes=Sizes(variables=((1.0, uniform(variables, variables)),), rows=uniform(ROWS, ROWS)),
        hiding=PAPER.hiding,
    )


def _case(variables: int, seed: int) -> Case:
    mixture = suite(variables)
    for attempt in range(_ATTEMPTS):
        task = make_task(mixture, _SEED, _ATTEMPTS * seed + attempt)
        # A column that came out constant is no column of the paper's table.
        if task.adjacency.shape[0] == variables and task.observed.all() and task.adjacency.any():
            break
    else:
        raise DataUnavailableError(f"no complete table of {variables} varying columns in {_ATTEMPTS} attempts")
    return Case(
        dataset=f"dowhy_{variables}",
        seed=seed,
        values=task.values.astype(np.float64),
        names=tuple(f"v{k}" for k in range(variables)),
        adjacency=task.adjacency.astype(bool),
        confounding=task.confounding.astype(bool),
    )


DATASETS = tuple(
    Dataset(
        name=f"dowhy_{size}",
        family=FAMILY,
        source="simulated here",
        licence="ours",
        recipe=f"{ROWS} rows; the DoWhy path of the mixture PAPER, without artefacts and missing cells",
        variables=size,
        rows=ROWS,
        edges=None,
        simulated=True,
        load=partial(_case, size),
        missing=always_available,
    )
    for size in (50, 60, 70, 80, 90, 100)
)
