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

_GAUSSIAN, _BDEU = "local_score_BIC_from_cov", "local_score_BDeu"


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


def _search(name: str, label: str, solve: Any, settings: str, **more: Any) -> Method:
    return Method(name, label, on_complete(solve), f"causal-learn {settings}", needs=("causallearn",), **more)


def _search_codes(name: str, label: str, solve: Any, settings: str, **more: Any) -> Method:
    settings = f"causal-learn {settings}; missing cells get the commonest code"
    return Method(name, label, on_codes(solve), settings, needs=("causallearn",), discrete_only=True, **more)


METHODS = (
    _search("pc_0.01", "PC (0.01)", _pc(0.01, "fisherz"), "PC, Fisher z, alpha 0.01", paper="PC (alpha=0.01)"),
    _search("pc_0.05", "PC (0.05)", _pc(0.05, "fisherz"), "PC, Fisher z, alpha 0.05", paper="PC (alpha=0.05)"),
    _search(
        "fci",
        "FCI (0.05)",
        _fci,
        "FCI, Fisher z, alpha 0.05; o-> is an arc, o-o both, <-> none",
        paper="FCI (alpha=0.05)",
    ),
    _search("ges", "GES", _ges(_GAUSSIAN), "GES, Gaussian BIC", paper="GES"),
    _search("grasp", "GRaSP", _grasp(_GAUSSIAN), "GRaSP, Gaussian BIC, depth 3", paper="GRaSP", random=True),
    _search("boss", "BOSS", _boss, "BOSS, Gaussian BIC", random=True),
    _search_codes("pc_discrete", "PC (chi-square, 0.01)", _pc(0.01, "chisq"), "PC, chi-square, alpha 0.01"),
    _search_codes("ges_discrete", "GES (BDeu)", _ges(_BDEU), "GES, BDeu"),
    _search_codes("grasp_discrete", "GRaSP (BDeu)", _grasp(_BDEU), "GRaSP, BDeu, depth 3", random=True),
)
