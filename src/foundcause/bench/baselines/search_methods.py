"""Constraint-based, score-based and permutation-based search from causal-learn. Shape letters: N rows, D variables."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from foundcause.bench.baselines.method import Method, Table, on_codes, on_complete
from foundcause.bench.case import Answer

_TAIL, _ARROW, _CIRCLE = -1, 1, 2  # causal-learn: graph[i, j] is the mark at i on the edge between i and j


def cpdag_arcs(marks: np.ndarray) -> np.ndarray:
    """(D, D) arcs of a CPDAG in causal-learn's marks: i -> j has a tail at i; i - j and i <-> j are both arcs."""
    joined = marks != 0
    directed_back = (marks == _ARROW) & (marks.T == _TAIL)  # the arrow is at i: j -> i alone
    return joined & ~directed_back


def pag_arcs(marks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(D, D) arcs and (D, D) confounding of a PAG.

    i -> j and i o-> j are an arc, i o-o j both arcs, i <-> j a hidden common cause and no arc.
    """
    joined = marks != 0
    bidirected = (marks == _ARROW) & (marks.T == _ARROW)
    points_at_row = marks == _ARROW
    arcs = joined & ~bidirected & ~points_at_row
    return arcs, bidirected


def _pc(alpha: float, test: str) -> Any:
    def solve(values: np.ndarray, table: Table) -> Answer:
        from causallearn.search.ConstraintBased.PC import pc

        found = pc(values, alpha, test, show_progress=False)
        return Answer(adjacency=cpdag_arcs(np.asarray(found.G.graph)))

    return solve


def _fci(values: np.ndarray, table: Table) -> Answer:
    from causallearn.search.ConstraintBased.FCI import fci

    graph, _ = fci(values, "fisherz", 0.05, show_progress=False)
    arcs, confounding = pag_arcs(np.asarray(graph.graph))
    return Answer(adjacency=arcs, confounding=confounding.astype(float))


BIC, STRICT = 0.5, 2.0
"""Weights of the penalty in causal-learn's Gaussian score, its own defaults: GES takes that of BIC, GRaSP and BOSS
four times as much. Stated here, so that another version of the library cannot change them."""

_GAUSSIAN = "local_score_BIC_from_cov"


def _penalty(score: str, weight: float) -> dict[str, float] | None:
    return {"lambda_value": weight} if score == _GAUSSIAN else None


def _ges(score: str) -> Any:
    def solve(values: np.ndarray, table: Table) -> Answer:
        from causallearn.search.ScoreBased.GES import ges

        return Answer(
            adjacency=cpdag_arcs(np.asarray(ges(values, score_func=score, parameters=_penalty(score, BIC))["G"].graph))
        )

    return solve


def _grasp(score: str) -> Any:
    def solve(values: np.ndarray, table: Table) -> Answer:
        from causallearn.search.PermutationBased.GRaSP import grasp

        random.seed(table.seed)  # it shuffles with the global generator; this process runs nothing else meanwhile
        found = grasp(values, score_func=score, verbose=False, parameters=_penalty(score, STRICT))
        return Answer(adjacency=cpdag_arcs(np.asarray(found.graph)))

    return solve


def _boss(values: np.ndarray, table: Table) -> Answer:
    from causallearn.search.PermutationBased.BOSS import boss

    random.seed(table.seed)
    return Answer(
        adjacency=cpdag_arcs(np.asarray(boss(values, verbose=False, parameters=_penalty(_GAUSSIAN, STRICT)).graph))
    )


_NEEDS = ("causallearn",)

METHODS = (
    Method(
        name="pc_0.01",
        label="PC (0.01)",
        paper="PC (alpha=0.01)",
        run=on_complete(_pc(0.01, "fisherz")),
        settings="causal-learn PC, Fisher z, alpha 0.01",
        needs=_NEEDS,
    ),
    Method(
        name="pc_0.05",
        label="PC (0.05)",
        paper="PC (alpha=0.05)",
        run=on_complete(_pc(0.05, "fisherz")),
        settings="causal-learn PC, Fisher z, alpha 0.05",
        needs=_NEEDS,
    ),
    Method(
        name="fci",
        label="FCI (0.05)",
        paper="FCI (alpha=0.05)",
        run=on_complete(_fci),
        settings="causal-learn FCI, Fisher z, alpha 0.05; o-> is an arc, o-o both, <-> none",
        needs=_NEEDS,
    ),
    Method(
        name="ges",
        label="GES",
        paper="GES",
        run=on_complete(_ges(_GAUSSIAN)),
        settings="causal-learn GES, Gaussian BIC",
        needs=_NEEDS,
    ),
    Method(
        name="grasp",
        label="GRaSP",
        paper="GRaSP",
        run=on_complete(_grasp(_GAUSSIAN)),
        settings="causal-learn GRaSP, Gaussian BIC, depth 3",
        needs=_NEEDS,
        random=True,
    ),
    Method(
        name="boss",
        label="BOSS",
        run=on_complete(_boss),
        settings="causal-learn BOSS, Gaussian BIC",
        needs=_NEEDS,
        random=True,
    ),
    Method(
        name="pc_discrete",
        label="PC (chi-square, 0.01)",
        run=on_codes(_pc(0.01, "chisq")),
        settings="causal-learn PC, chi-square, alpha 0.01; missing cells get the commonest code",
        needs=_NEEDS,
        discrete_only=True,
    ),
    Method(
        name="ges_discrete",
        label="GES (BDeu)",
        run=on_codes(_ges("local_score_BDeu")),
        settings="causal-learn GES, BDeu; missing cells get the commonest code",
        needs=_NEEDS,
        discrete_only=True,
    ),
    Method(
        name="grasp_discrete",
        label="GRaSP (BDeu)",
        run=on_codes(_grasp("local_score_BDeu")),
        settings="causal-learn GRaSP, BDeu, depth 3; missing cells get the commonest code",
        needs=_NEEDS,
        random=True,
        discrete_only=True,
    ),
)
