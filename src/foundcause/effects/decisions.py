"""From a result to decisions: sampled graphs, effects, checks and questions.

``Result`` offers these functions as methods. They read the result and the table, and never run the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from foundcause.effects.check import GraphCheck, check_graph
from foundcause.effects.design import Block, design_blocks
from foundcause.effects.estimation import Effect, Estimator, estimate_effect, estimate_effects
from foundcause.effects.graph_files import read_graph
from foundcause.effects.questions import KINDS, Kind, Question, rank_questions
from foundcause.effects.sampled import SampledGraphs
from foundcause.effects.sampling import PassDeviations, draw_graphs
from foundcause.errors import InputError

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from foundcause.result import Result

N_GRAPHS = 200


def sample_graphs(
    result: Result, n: int = N_GRAPHS, *, hidden_causes: bool = True, random_state: int = 0
) -> SampledGraphs:
    """Draw acyclic graphs with confounded pairs from the uncertainty of a result.

    Parameters
    ----------
    result : Result
    n : int, default=200
        Number of graphs.
    hidden_causes : bool, default=True
        False assumes that no pair has a hidden common cause.
    random_state : int, default=0
        Seed.

    Returns
    -------
    SampledGraphs
        Shares of graphs agree with ``result.probabilities`` and ``result.confounding``. All graphs obey the knowledge.
    """
    decoded = result.decoded
    before = None if result.knowledge is None else result.knowledge.before(result.names)
    directed, confounded = draw_graphs(
        decoded.edges,
        decoded.confounding if hidden_causes else np.zeros_like(decoded.confounding),
        n,
        rng=np.random.default_rng(random_state),
        before=before,
        deviations=_deviations(result),
    )
    return SampledGraphs(columns=tuple(result.names), directed=directed, confounded=confounded)


def effect(
    result: Result,
    treatment: str,
    outcome: str,
    data: Any,
    *,
    estimator: Estimator = "auto",
    level: float = 0.9,
    standardized: bool = True,
    treatment_level: str | None = None,
    outcome_level: str | None = None,
    hidden_causes: bool = True,
    n_graphs: int = N_GRAPHS,
    random_state: int = 0,
) -> Effect:
    """Estimate the total effect of one column on another, averaged over sampled graphs.

    Parameters
    ----------
    result : Result
    treatment, outcome : str
        Columns.
    data : path, DataFrame, Table, ...
        The table that was discovered.
    estimator, level, standardized, treatment_level, outcome_level
        As in ``foundcause.effects.estimation.estimate_effect``.
    hidden_causes : bool, default=True
        False estimates what follows if nothing unmeasured confounds any pair. Say so where you report it.
    n_graphs : int, default=200
        Number of sampled graphs.
    random_state : int, default=0
        Seed.

    Returns
    -------
    Effect
    """
    blocks = table_blocks(result, data)
    return estimate_effect(
        sample_graphs(result, n_graphs, hidden_causes=hidden_causes, random_state=random_state),
        blocks,
        treatment,
        outcome,
        estimator=estimator,
        level=level,
        standardized=standardized,
        treatment_level=treatment_level,
        outcome_level=outcome_level,
        rng=np.random.default_rng(random_state),
    )


def effects(
    result: Result,
    outcome: str,
    data: Any,
    *,
    level: float = 0.9,
    standardized: bool = True,
    hidden_causes: bool = True,
    n_graphs: int = N_GRAPHS,
    random_state: int = 0,
) -> pd.DataFrame:
    """Estimate the total effects of all columns on one outcome.

    Parameters
    ----------
    result : Result
    outcome : str
    data : path, DataFrame, Table, ...
        The table that was discovered.
    level, standardized, hidden_causes, n_graphs, random_state
        As in ``effect``.

    Returns
    -------
    DataFrame
        One row a treatment, the most important first.
    """
    graphs = sample_graphs(result, n_graphs, hidden_causes=hidden_causes, random_state=random_state)
    return estimate_effects(graphs, table_blocks(result, data), outcome, level=level, standardized=standardized)


def check(
    graph: str | Path | nx.DiGraph | Result,
    data: Any,
    *,
    result: Result | None = None,
    alpha: float = 0.01,
    n_permutations: int = 99,
    random_state: int = 0,
) -> GraphCheck:
    """Check a graph against a table.

    Parameters
    ----------
    graph : path, text, networkx.DiGraph or Result
        An expert's graph or ours.
    data : path, DataFrame, Table, ...
    result : Result or None
        What discovery found in the same table. Its probabilities make the check sharper.
    alpha, n_permutations, random_state
        As in ``foundcause.effects.check.check_graph``.

    Returns
    -------
    GraphCheck
    """
    from foundcause.result import Result

    result = graph if isinstance(graph, Result) else result
    blocks = table_blocks(result, data)
    names = [block.name for block in blocks]
    probabilities = None
    if result is not None:
        index = np.ix_(*[[result.names.index(name) for name in names]] * 2)
        probabilities = result.decoded.edges[index]
    if isinstance(graph, Result):
        directed = graph.decoded.adjacency[index]
        confounded = graph.decoded.confounding[index] > graph.confounding_threshold
    else:
        directed, confounded = read_graph(graph, names)
    return check_graph(
        blocks,
        directed,
        confounded,
        probabilities=probabilities,
        alpha=alpha,
        n_permutations=n_permutations,
        rng=np.random.default_rng(random_state),
    )


def questions(
    result: Result, n: int = 10, *, kinds: Sequence[Kind] = KINDS[:3], n_graphs: int = 1000, random_state: int = 0
) -> list[Question]:
    """Rank questions to an expert, and experiments, by how much an answer would settle.

    Parameters
    ----------
    result : Result
    n : int, default=10
        Number of questions.
    kinds : sequence of str
        Among "upstream", "root", "order" and "experiment".
    n_graphs : int, default=1000
        Number of sampled graphs.
    random_state : int, default=0
        Seed.

    Returns
    -------
    list of Question
        The most useful first.
    """
    return rank_questions(sample_graphs(result, n_graphs, random_state=random_state), n=n, kinds=kinds)


def table_blocks(result: Result | None, data: Any) -> list[Block]:
    """Read a table as discovery did, and turn the variables of the result into blocks.

    Parameters
    ----------
    result : Result or None
        Says how to read and which columns are variables. None takes all columns.
    data : path, DataFrame, Table, ...

    Returns
    -------
    list of Block
    """
    from foundcause.data import Table, read_table

    options = None if result is None else result.provenance.get("options", {}).get("read")
    table = data if isinstance(data, Table) else read_table(data, options)
    variables = [column.name for column in table.columns if column.role == "variable"]
    if result is not None:
        lacking = [
            column.name for column in result.column_info if column.role == "variable" and column.name not in variables
        ]
        if lacking:
            raise InputError(f"the table has no column {lacking[0]!r}; give the table that was discovered")
        variables = [name for name in result.names if name in variables]
    return design_blocks(table.frame[variables])


def _deviations(result: Result) -> PassDeviations | None:
    """What the passes disagree about, in logits of the network; None if the result does not hold its passes."""
    passes = result.passes
    if passes is None or len(passes.existence) < 2:
        return None

    D, columns = len(result.names), passes.columns

    def around_mean(logits: np.ndarray) -> np.ndarray:
        deviations = np.zeros((len(logits), D, D))
        deviations[:, columns[:, None], columns[None, :]] = np.nan_to_num(logits - logits.mean(axis=0))
        return deviations

    return PassDeviations(
        existence=around_mean(passes.existence),
        direction=around_mean(passes.direction),
        confounding=around_mean(passes.confounding),
    )
