"""The options file: read, written, and changed by the fixes of findings."""

from __future__ import annotations

import pytest

from foundcause.analysis import Analysis
from foundcause.data import ReadOptions
from foundcause.errors import ConfigError, KnowledgeError
from foundcause.findings import Finding, Fix
from foundcause.knowledge import Knowledge


def test_what_is_written_is_read_back(tmp_path):
    known = Knowledge(
        tiers=[["a b", 'q"uote'], ["c,d"]],
        required=[("a b", "c,d")],
        upstream=[("a b", "e")],
        unconfounded=[("e", "f")],
        beliefs=[("e", "f", 0.75)],
    )
    made = Analysis(read=ReadOptions(drop=["tab\tname", "ü"], header=False, separator=";"), knowledge=known)
    assert Analysis.from_file(made.save(tmp_path / "options.toml")) == made
    assert Knowledge.from_file(tmp_path / "options.toml") == known


def test_defaults_are_not_written(tmp_path):
    assert Analysis().to_toml() == ""
    assert Analysis.from_file(Analysis().save(tmp_path / "empty.toml")) == Analysis()


def test_a_file_without_sections_is_knowledge(tmp_path):
    (tmp_path / "known.toml").write_text('roots = ["age"]')
    assert Analysis.from_file(tmp_path / "known.toml").knowledge == Knowledge(roots=["age"])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[read]\nsep = ';'", ConfigError),
        ("drop = ['a']\n[knowledge]\nroots = ['a']", ConfigError),
        ("[knowledge]\nroot = ['a']", KnowledgeError),
        ("[read", KnowledgeError),
    ],
)
def test_what_does_not_belong_is_refused(tmp_path, text, error):
    (tmp_path / "options.toml").write_text(text)
    with pytest.raises(error):
        Analysis.from_file(tmp_path / "options.toml")


def test_fixes_join_what_is_there():
    start = Analysis(
        read=ReadOptions(drop=["id"]), knowledge=Knowledge(roots=["age"], required=["copy -> y", "a -> b"])
    )
    drop = Fix(section="read", option="drop", values=("copy", "id"))
    finding = Finding(code="remark", details={"text": ""}, fix=drop)
    roots = [Fix(section="knowledge", option="roots", values=(name,)) for name in ("sex", "b")]
    tiers = [Fix(section="knowledge", option="tiers", values=(("w1",), (last,))) for last in ("w2", "w3")]
    changed = start.with_fixes([finding, *roots, *tiers])
    assert changed.read.drop == ("id", "copy")
    # 'copy' is dropped, 'b' has a required cause, and there are tiers when the second ones come.
    assert changed.knowledge == Knowledge(roots=["age", "sex"], tiers=[["w1"], ["w2"]], required=["a -> b"])
