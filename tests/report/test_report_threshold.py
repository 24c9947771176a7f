"""The slider's graph against the package's own decoding, threshold by threshold. Shapes: K passes, D variables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from page_script import run_script

from foundcause.inference.acyclicity import greedy_acyclic, maximum_acyclic
from foundcause.inference.decoding import Decoded, Passes, apply_knowledge, decide
from foundcause.inference.protocols import PROTOCOL_NAMES, protocol_named
from foundcause.knowledge import Knowledge

THRESHOLDS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99]
SHOWN = """given.map(({ result, thresholds }) => thresholds.map(
  (threshold) => edgesAtThreshold(result, threshold).map(({ i, j }) => [i, j])))"""


def _passes(rng: np.random.Generator, passes: int, variables: int) -> Passes:
    """Logits that scatter about a mean of their own, as those of resampled rows do."""

    def scatter(mean: float, scale: float) -> np.ndarray:
        centre = rng.normal(mean, 2.0, size=(variables, variables))
        return centre + rng.normal(0, scale, size=(passes, variables, variables))

    existence, direction = scatter(-0.5, 0.7), scatter(0, 0.7)
    existence = (existence + np.swapaxes(existence, -1, -2)) / 2
    direction = direction - np.swapaxes(direction, -1, -2)
    zeros = np.zeros_like(existence)
    return Passes(edges=scatter(-1, 0.7), existence=existence, direction=direction, confounding=zeros, factored=True)


def _page_result(answer: Decoded, required: np.ndarray, protocol: str) -> dict[str, Any]:
    return {
        "names": [f"v{k}" for k in range(len(answer.edges))],
        "probabilities": answer.edges.tolist(),
        "agreement": answer.agreement.tolist(),
        "adjacency": answer.adjacency.astype(int).tolist(),
        "threshold": answer.threshold,
        "provenance": {"options": {"protocol": protocol}},
        "required_pairs": np.argwhere(required).tolist(),
    }


def _reached(edges: list[list[int]], start: int) -> set[int]:
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        new = {effect for cause, effect in edges if cause == here} - seen
        seen |= new
        waiting += new
    return seen


def _compare(cases: list[tuple[Passes, float, str, np.ndarray]]) -> list[list[tuple[set, set]]]:
    """(what the page shows, what the package gives) per case at its own threshold and at all others."""
    jobs, truths = [], []
    for passes, cut, protocol, required in cases:
        known = {"rows": 500, "required": required, "forbidden": required.T}
        answer = decide(replace(passes, protocol=protocol_named(protocol)), threshold=cut, **known)
        thresholds = [cut, *THRESHOLDS]
        again = [
            decide(replace(passes, protocol=protocol_named(protocol)), threshold=t, **known).adjacency
            for t in thresholds
        ]
        jobs.append({"result": _page_result(answer, required, protocol), "thresholds": thresholds})
        truths.append([set(map(tuple, np.argwhere(graph).tolist())) for graph in again])
    shown = run_script(SHOWN, jobs)
    return [
        [(set(map(tuple, page)), truth) for page, truth in zip(pages, graphs, strict=True)]
        for pages, graphs in zip(shown, truths, strict=True)
    ]


def _required(variables: int, edges: list[tuple[int, int]]) -> np.ndarray:
    mask = np.zeros((variables, variables), dtype=bool)
    for i, j in edges:
        mask[i, j] = True
    return mask


@pytest.mark.parametrize("protocol", PROTOCOL_NAMES)
def test_recommended_threshold_shows_the_answer_and_others_nearly_what_python_gives(protocol: str) -> None:
    rng = np.random.default_rng(0)
    cases = [
        (_passes(rng, 10, D), cut, protocol, _required(D, edges))
        for D, cut, edges in [(6, 0.2, []), (8, 0.35, [(3, 1)]), (10, 0.5, []), (15, 0.3, [(0, 2), (2, 5)])] * 3
    ]
    wrong = total = 0
    for comparison in _compare(cases):
        page, truth = comparison[0]
        assert page == truth
        wrong += sum(len(page ^ truth) for page, truth in comparison[1:])
        total += sum(len(truth) for _, truth in comparison[1:])
    assert wrong <= 0.05 * total


@pytest.mark.parametrize("protocol", PROTOCOL_NAMES)
def test_a_single_pass_is_decoded_exactly_at_every_threshold(protocol: str) -> None:
    """With one pass nothing about agreement is lost, so the twins must not differ at all."""
    rng = np.random.default_rng(1)
    cases = [(_passes(rng, 1, D), 0.4, protocol, _required(D, [(4, 0)])) for D in (5, 9, 16)]
    for comparison in _compare(cases):
        for page, truth in comparison:
            assert page == truth


@pytest.mark.parametrize("protocol", PROTOCOL_NAMES)
def test_no_threshold_lets_a_later_tier_cause_an_earlier_one(protocol: str) -> None:
    rng = np.random.default_rng(2)
    jobs = []
    for D in (4, 7, 15) * 3:
        known = Knowledge(tiers=[["v0", "v1"], ["v2"]], required=[("v2", "v3")])  # the others have no tier
        names = [f"v{k}" for k in range(D)]
        forbidden, required = known.masks(names)
        rule = protocol_named(protocol)
        answer = decide(
            replace(_passes(rng, 1, D), protocol=rule), rows=500, threshold=0.4, forbidden=forbidden, required=required
        )
        answer = apply_knowledge(answer, required, known.before(names))
        result = _page_result(answer, required, protocol) | {"knowledge": known.to_dict()}
        jobs.append({"result": result, "thresholds": THRESHOLDS})
    drawn = 0
    for pages in run_script(SHOWN, jobs):
        for edges in pages:
            assert [2, 3] in edges and not _reached(edges, 2) & {0, 1}
            drawn += len(edges)
    assert drawn > 500
    free = run_script(SHOWN, [{**job, "result": job["result"] | {"knowledge": None}} for job in jobs])
    assert any(_reached(edges, 2) & {0, 1} for pages in free for edges in pages), "tiers forbade nothing: no test"


def test_edges_that_stood_in_too_few_passes_are_not_shown() -> None:
    """The finding: an edge over the threshold that the answer rejects stood in the report's table."""
    result = {
        "names": ["a", "b", "c"],
        "probabilities": [[0, 0.9, 0.4], [0, 0, 0.3], [0, 0.25, 0]],
        "agreement": [[0, 1, 0.4], [0, 0, 0.7], [0, 0.3, 0]],
        "adjacency": [[0, 1, 0], [0, 0, 1], [0, 0, 0]],
        "threshold": 0.217,
    }
    at = run_script(SHOWN, [{"result": result, "thresholds": [0.217, 0.28, 0.1]}])[0]
    assert at[0] == at[1] == [[0, 1], [1, 2]]
    assert at[2] == [[0, 1], [0, 2], [1, 2]]  # below, a -> c may stand in more passes; c -> b cannot


@pytest.mark.parametrize("variables", [3, 7, 12, 20])
def test_acyclic_twins_choose_the_same_edges(variables: int) -> None:
    rng = np.random.default_rng(variables)
    weights = rng.exponential(size=(12, variables, variables)) * (rng.random((12, variables, variables)) < 0.4)
    weights *= ~np.eye(variables, dtype=bool)
    required = np.zeros(weights.shape, dtype=bool)
    required[6:, 0, 1] = required[6:, 1, 2] = True
    given = {"weights": weights.tolist(), "required": required.tolist()}
    best = run_script("given.weights.map((weights, k) => maximumAcyclic(weights, given.required[k]))", given)
    greedy = run_script("given.weights.map((weights) => greedyAcyclic(weights))", given)
    for k in range(12):
        assert np.array_equal(best[k], maximum_acyclic(weights[k], required[k]))
        assert np.array_equal(greedy[k], greedy_acyclic(weights[k]))
