"""From a table to sampled graphs, effects, checks and questions, with the shipped weights."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import foundcause as fc
from foundcause.cli.app import build
from foundcause.effects.forms import answers_to_knowledge, questions_to_form
from foundcause.errors import InputError


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """a → b → d ← c and d → e with skewed noise; 0.8 is the effect of a on b."""
    rng = np.random.default_rng(4)
    a, c = rng.exponential(size=(2, 800)) - 1
    b = 0.8 * a + 0.6 * (rng.exponential(size=800) - 1)
    d = b - c + 0.6 * (rng.exponential(size=800) - 1)
    e = d + rng.exponential(size=800)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": d, "e": e})


@pytest.fixture(scope="module")
def result(table: pd.DataFrame) -> fc.Result:
    return fc.discover(table, knowledge={"tiers": [["a"], ["b", "c", "d", "e"]]}, n_passes=4)


def test_samples_agree_with_the_probabilities_and_the_knowledge(result: fc.Result) -> None:
    graphs = result.sample_graphs(1000, random_state=1)
    probabilities = graphs.edge_probabilities().to_numpy()
    assert np.abs(probabilities - result.probabilities.to_numpy()).mean() < 0.03
    assert not graphs.directed[:, 1:, 0].any()
    assert all(nx.is_directed_acyclic_graph(graph) for graph in result.sample_graphs(20))


def test_the_effect_is_found(result: fc.Result, table: pd.DataFrame) -> None:
    effect = result.effect("a", "b", table, standardized=False)
    assert effect.low - 0.05 < 0.8 < effect.high + 0.05
    assert effect.probability > 0.8
    assert set(result.effects("e", table)["treatment"]) == {"a", "b", "c", "d"}


def test_effects_survive_saving(result: fc.Result, table: pd.DataFrame, tmp_path: Path) -> None:
    result.save(tmp_path / "answer")
    again = fc.load(tmp_path / "answer")
    assert abs(again.effect("a", "b", table).mean - result.effect("a", "b", table).mean) < 0.05


def test_another_table_is_refused(result: fc.Result, table: pd.DataFrame) -> None:
    with pytest.raises(InputError):
        result.effect("a", "b", table.drop(columns="c"))


def test_a_graph_with_a_wrong_edge_scores_lower(result: fc.Result, table: pd.DataFrame) -> None:
    right = fc.check("dag { a -> b -> d c -> d -> e }", table, result=result)
    wrong = fc.check("dag { a -> b c -> d -> e }", table, result=result)
    assert right.passed and not wrong.passed
    assert right.score > wrong.score
    assert result.check(table).tested >= 0


def test_answers_become_knowledge(result: fc.Result, tmp_path: Path) -> None:
    form = tmp_path / "form.toml"
    text = questions_to_form(result.questions(5))
    form.write_text(text.replace('answer = ""', 'answer = "yes"', 1))
    knowledge = answers_to_knowledge(form)
    assert knowledge.startswith("[knowledge]") and len(knowledge.splitlines()) == 2
    form.write_text(text.replace('answer = ""', 'answer = "perhaps"', 1))
    with pytest.raises(InputError):
        answers_to_knowledge(form)


def test_commands_print_and_write(result: fc.Result, table: pd.DataFrame, tmp_path: Path) -> None:
    file, saved, graph = tmp_path / "table.csv", tmp_path / "answer", tmp_path / "graph.dot"
    table.to_csv(file, index=False)
    result.save(saved)
    graph.write_text("digraph { a -> b; b -> d; c -> d; d -> e }")
    run = CliRunner().invoke
    app = build()
    found = run(app, ["effects", str(file), "--outcome", "e", "--result", str(saved), "--json"])
    assert found.exit_code == 0 and len(json.loads(found.stdout)) == 4
    found = run(app, ["effects", str(file), "--outcome", "b", "--treatment", "a", "--result", str(saved), "--json"])
    assert found.exit_code == 0 and json.loads(found.stdout)["mean"] > 0.3
    found = run(app, ["check", str(file), "--graph", str(graph), "--result", str(saved), "--json"])
    assert found.exit_code == 0 and json.loads(found.stdout)["passed"]
    found = run(app, ["ask", str(file), "--result", str(saved), "-o", str(tmp_path / "form.toml")])
    assert found.exit_code == 0 and "[[question]]" in (tmp_path / "form.toml").read_text()
