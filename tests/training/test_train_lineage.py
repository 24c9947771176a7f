"""What a network learned from: the mixture it used, and those of the runs it came from."""

from __future__ import annotations

from pathlib import Path

import pytest
from standins import options

from foundcause.model.checkpoints import describe, save
from foundcause.model.config import TINY
from foundcause.model.network import FoundCause
from foundcause.simulate.mixture import PAPER, SHIPPED
from foundcause.training.loop import train
from foundcause.training.run_config import TrainConfig
from foundcause.training.setup import continued, lineage, trained_on
from foundcause.training.validation import unseen, validation_suites

SOURCES = {*PAPER.excerpt_sources, *PAPER.unrelated_sources}


def _quiet(_: str) -> None:
    return None


@pytest.mark.parametrize(
    ("changes", "seen", "widest"),
    [
        ({}, set(SHIPPED.weights), 100),
        ({"mixture": "PAPER"}, set(PAPER.weights), 50),
        ({"only": ("pairs",)}, {"pairs"}, 2),
        ({"only": ("excerpts",)}, {"excerpts", *PAPER.excerpt_sources}, 2),
        (
            {"only": ("excerpts", "unrelated")},
            {"excerpts", "unrelated", *PAPER.excerpt_sources, *PAPER.unrelated_sources},
            100,
        ),
        ({"only": ("excerpts", "laws")}, {"excerpts", "laws"}, 100),
        ({"only": ("ecology",)}, {"ecology"}, 100),
        ({"without": ("sensors",)}, set(SHIPPED.weights) - {"sensors"}, 100),
    ],
)
def test_a_run_tells_the_mixture_it_used(changes: dict, seen: set[str], widest: int) -> None:
    entries = lineage(TrainConfig(steps=1, **changes))
    assert (set(entries["trained_on"]), entries["trained_variables"]) == (seen, widest)
    assert trained_on({"training": TrainConfig(steps=1, **changes).as_dict()}) == entries["trained_on"]


def test_a_run_that_goes_on_with_another_mixture_tells_both() -> None:
    before = {"mixture_weights": {"pairs": 1.0}, "init": "a", "trained_on": ["dreams", "pairs"], "trained_variables": 2}
    now = lineage(TrainConfig(steps=1, only=("laws",)))
    both = continued(before, now)
    assert both == {
        "mixture_weights": {"laws": 1.0},
        "init": "a",
        "trained_on": ["dreams", "laws", "pairs"],
        "trained_variables": 100,
    }
    assert continued({**before, "trained_on": None}, now)["trained_on"] is None
    assert continued(None, now) == now


def test_suites_of_which_nothing_was_seen() -> None:
    suites = validation_suites(("pairs", "nonlinear", "ecology", "confounded", "missing", "wide"))
    assert unseen(suites, SHIPPED.weights) == ("ecology",)
    assert unseen(suites, ["pairs"]) == ("nonlinear", "ecology", "confounded", "wide")
    assert unseen(suites, ["pairs", "ecology", "dowhy"]) == ("nonlinear",)
    assert unseen(suites, None) == ()


def test_one_suite_has_few_rows_and_no_other_has() -> None:
    suites = validation_suites()
    assert set(SHIPPED.weights) < set(suites)
    for name, suite in suites.items():
        tall = suite.sizes.rows.low >= 100 and not suite.sizes.few_rows_chance
        assert tall == (name != "few_rows"), name
    assert suites["few_rows"].sizes.few_rows_chance == 1.0


@pytest.mark.parametrize("mishap", ["derived", "repeats", "scales"])
def test_one_suite_has_a_mishap_in_every_table_and_no_other_has_it(mishap: str) -> None:
    shares = {name: suite.corruptions.get(mishap, 0.0) for name, suite in validation_suites().items()}
    assert shares.pop(mishap) == 1.0 and not any(shares.values())


def test_the_components_of_ancestors_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOUNDCAUSE_CACHE", str(tmp_path / "cache"))
    first = train(TrainConfig(**options(steps=1, only=("diverse",))), tmp_path / "a", say=_quiet)
    settings = options(steps=1, only=("pairs",), validate_minutes=9, validation_tasks=2,
                       validation_suites=("diverse", "pairs", "linear_gaussian"))  # fmt: skip
    second = train(TrainConfig(**settings), tmp_path / "b", init=first.last, say=_quiet)
    train(TrainConfig(**settings | {"steps": 2}), second.path, resume=True, say=_quiet)
    for path in (second.last, second.best):
        about = describe(path)["metadata"]
        assert (about["trained_on"], about["trained_variables"]) == (["diverse", "pairs"], 6)
        assert (about["init"], about["mixture_weights"]) == ("last.safetensors", {"pairs": 1.0})
    for check in (e for e in second.read_log() if e["kind"] == "validation"):
        unknown = check["families"]["linear_gaussian"]
        score = sum(unknown[name] for name in ("auroc", "f1", "direction")) / 3
        assert check["left_out_score"] == pytest.approx(score, abs=1e-4)


def test_an_ancestor_that_does_not_say_is_not_vouched_for(tmp_path: Path) -> None:
    foreign = save(tmp_path / "foreign.safetensors", FoundCause(TINY), metadata={"provenance": "elsewhere"})
    entries = lineage(TrainConfig(steps=1, preset="TINY"), foreign)
    assert (entries["trained_on"], entries["trained_variables"]) == (None, 100)
