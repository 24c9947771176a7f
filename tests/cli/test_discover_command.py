"""The shell commands as people run them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import foundcause as fc
from foundcause.cli.app import main
from foundcause.errors import OutputError
from foundcause.report.export import FILES
from foundcause.simulate.demo_survey import COLUMNS, EDGES, is_survey, simulate_survey, write_survey


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, tiny_checkpoint):
    """Run the command in this process, in tmp_path, with the tiny network (or none) as its weights."""

    def call(*arguments: object, weights: bool = True, columns: int = 200) -> Done:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr("foundcause.weights.SHIPPED_CHECKPOINT", tmp_path / "absent")
        monkeypatch.setenv("FOUNDCAUSE_CHECKPOINT", str(tiny_checkpoint) if weights else "")
        monkeypatch.setattr(sys, "argv", ["foundcause", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(int(ended.value.code or 0), *capsys.readouterr())

    return call


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 4)), columns=["age", "[bmi]", "smoking", "cancer"])
    frame["site"] = "north"
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_discover_prints_edges_and_writes_nothing_unasked(run, table):
    known = (
        "--require",
        "smoking -> cancer",
        "--tier",
        "age",
        "--tier",
        "smoking,cancer",
        "--forbid",
        "cancer -> [bmi]",
    )
    done = run("discover", table.name, *known)
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("smoking"))
    assert "->" in line and "cancer" in line and "1.00" in line
    assert [file.name for file in table.parent.iterdir()] == ["table.csv"]
    done = run("discover", table.name, *known, "-o", "graph", "--report", "alone.html")
    assert "report.html" in done.stdout
    result = fc.load(table.parent / "graph")
    assert result.graph.has_edge("smoking", "cancer") and not result.graph.has_edge("cancer", "[bmi]")
    for page in ("graph/report.html", "alone.html"):
        assert (table.parent / page).stat().st_size > 10_000
    shown = run("show", "graph")
    assert shown.returncode == 0 and line in shown.stdout.splitlines()


def test_files_hold_no_rows_unless_asked(run, table):
    run("discover", table, "-q", "-o", "bare", "--n-passes", 1)
    run("discover", table, "-q", "-o", "full", "--n-passes", 1, "--embed-rows", 30)
    previews = [json.loads((table.parent / name / "result.json").read_text())["preview"] for name in ("bare", "full")]
    assert previews[0] is None and len(previews[1]) == 30


def test_suggestions_are_printed_and_applied_on_request(run, table):
    frame = pd.read_csv(table).drop(columns="site")
    noise = 1e-3 * np.random.default_rng(1).normal(size=120)
    frame.assign(copied=frame["smoking"] * 2 + noise).to_csv(table, index=False)
    done = run("discover", table, "--n-passes", 1)
    assert "To follow the suggestions: foundcause discover" in done.stdout and "--drop" in done.stdout
    done = run("discover", table, "--n-passes", 1, "-o", "o", "--apply-suggestions")
    assert done.returncode == 0, done.stderr
    result = fc.load(table.parent / "o")
    assert len(result.names) == 4 and result.provenance["options"]["read"]["drop"]
    assert "[read]" in done.stdout and "drop = [" in done.stdout


def test_an_options_file_has_both_parts_and_options_join_it(run, table):
    (table.parent / "o.toml").write_text('[read]\ndrop = ["site"]\n[knowledge]\nroots = ["age"]\n')
    done = run("discover", table, "--json", "--options", "o.toml", "--drop", "cancer", "--root", "smoking")
    found = json.loads(done.stdout)
    assert found["names"] == ["age", "[bmi]", "smoking"] and found["knowledge"]["roots"] == ["age", "smoking"]


def test_an_outcome_is_explained(run, table):
    done = run("discover", table, "--json", "--outcome", "cancer", "--require", "smoking -> cancer", "--n-passes", 1)
    causes = json.loads(done.stdout)
    assert causes[0]["cause"] == "smoking" and causes[0]["probability"] == causes[0]["direct"] == 1
    assert causes[0]["path"] == "smoking -> cancer"
    assert run("discover", table, "--outcome", "cancr", "--n-passes", 1).returncode == 2


def test_compare_and_export_work_on_saved_results(run, table):
    options = ("--threshold", 0.99, "--n-passes", 1, "-q")
    assert run("discover", table, "-o", "one", "--require", "smoking -> cancer", *options).returncode == 0
    assert run("discover", table, "-o", "two", "--require", "cancer -> smoking", *options).returncode == 0
    found = json.loads(run("compare", "one", "two", "--json").stdout)
    assert found["reversed"] == [["cancer", "smoking"]] and found["measures"]["structural_hamming_distance"] == 1
    same = run("export", "one", "-f", "gml", "-o", "one.gml")
    assert same.returncode == 0, same.stderr
    again = json.loads(run("compare", "one", "one.gml", "--json").stdout)
    assert not again["added"] and not again["removed"] and again["measures"]["shared_ancestors"] == 1
    assert run("export", "one", "-f", "dot").stdout == fc.load(table.parent / "one").to_dot()
    assert run("export", "one", "-f", "svg", "-o", "one.svg").returncode == 0
    assert run("export", "one", "-f", "docx").returncode == 2 and run("export", "one", "-f", "png").returncode == 2


def test_help_lists_each_command_with_its_own_words(run):
    from foundcause.cli.app import COMMANDS

    listed = run("--help").stdout
    for name in COMMANDS:
        assert name in listed and run(name, "--help").returncode == 0, name


def test_help_imports_nothing_heavy():
    code = "import sys; from foundcause.cli.app import main; sys.argv = ['foundcause', '--help']\n"
    code += "try: main()\nexcept SystemExit: pass\n"
    code += "assert not {'numpy', 'torch', 'pandas', 'scipy', 'sklearn', 'foundcause.cli.train'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_completion_is_offered(run, monkeypatch):
    command = [sys.executable, "-m", "foundcause"]
    asked = {"_FOUNDCAUSE_COMPLETE": "complete_bash", "COMP_WORDS": "foundcause co", "COMP_CWORD": "1"}
    code = "import sys; sys.argv = ['foundcause']; from foundcause.cli.app import main; main()"
    done = subprocess.run([command[0], "-c", code], env={**os.environ, **asked}, capture_output=True, text=True)
    assert done.stdout.split() == ["compare"]


def test_json_equals_the_api_and_quiet_is_quiet(run, table, tiny_checkpoint):
    options = ("--random-state", 3, "--n-passes", 2, "--threshold", 0.3)
    done = run("discover", table, "--json", *options)
    assert done.returncode == 0, done.stderr
    found, expected = (
        json.loads(done.stdout),
        fc.discover(table, checkpoint=tiny_checkpoint, random_state=3, n_passes=2, threshold=0.3),
    )
    np.testing.assert_allclose(found["probabilities"], expected.probabilities.to_numpy(), atol=1e-5)
    done = run("discover", table, "--quiet", "--out", "o", "--n-passes", 1)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (table.parent / "o" / "result.json").is_file()


def test_a_file_of_knowledge_alone_is_an_options_file(run, table):
    (table.parent / "k.toml").write_text('required = [["age", "cancer"]]\n')
    done = run(
        "discover", table, "--json", "--options", "k.toml", "--require", "smoking->cancer", "--n-passes", 1,
    )  # fmt: skip
    edges = {(edge["cause"], edge["effect"]) for edge in json.loads(done.stdout)["edges"]}
    assert {("age", "cancer"), ("smoking", "cancer")} <= edges


def test_names_that_hold_commas_can_be_quoted_in_tiers(run, tmp_path):
    columns = ["Income, total", "Sex", 'siz"e']
    pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=columns).to_csv(tmp_path / "t.csv", index=False)
    for tier in ('"Income, total",Sex', 'Sex , "Income, total"', '"Income, total", "Sex"'):
        done = run("discover", "t.csv", "--json", "--n-passes", 1, "--tier", 'siz"e', "--tier", tier)
        assert done.returncode == 0, done.stderr
        tiers = json.loads(done.stdout)["knowledge"]["tiers"]
        assert tiers[0] == ['siz"e'] and sorted(tiers[1]) == ["Income, total", "Sex"]
    for tier in ("Income, total,Sex", "'Income, total',Sex", '"Income, total,Sex', '"Income, total" ,Sex'):
        done = run("discover", "t.csv", "--n-passes", 1, "--tier", tier)
        assert done.returncode == 2
        for words in ("'Income, total' holds a comma, which --tier splits at", "double quotes", "knowledge file"):
            assert words in " ".join(done.stderr.replace("│", " ").split()), (tier, done.stderr)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("discover", "absent.csv"), "absent.csv"),
        (("discover", "table.csv", "--forbid", "bmi"), "cause -> effect"),
        (("discover", "table.csv", "--require", "bmi -> age"), "did you mean '[bmi]'"),
        (("discover", "table.csv", "--protocol", "papers"), "default, paper, release"),
        (("discover", "table.csv", "--constant", "error"), "'site' is constant"),
        (("discover", "table.csv", "--out", "table.csv"), "is a file"),
        (("discover", "table.csv", "--out", "table.csv/deeper"), "is a file"),
        (("discover", "table.csv", "--out", ""), "--out is empty; name a folder"),
        (("discover", "table.csv", "--json", "--out", " "), "--out is empty; name a folder"),
        (("demo", "--out", ""), "--out is empty; name a folder"),
        (("discover", "table.csv", "--out", "/proc/none"), "cannot write to '/proc/none'"),
        (("discover", "https://x.y/z.csv"), "'https://x.y/z.csv' is an address"),
        (("discover", "table.csv", "--max-rows", "3"), "leaves 3 of 120 rows"),
        (("discover", "table.csv", "--separator", ";"), "one column"),
        (("discover", "table.csv", "--device", "toaster"), "device 'toaster' cannot be used"),
        (("discover", "table.csv", "--forbid", "a -> b -> c"), "knowledge file"),
        (("discover", "table.csv", "--drop", "agee"), "did you mean 'age'"),
        (("discover", "table.csv", "--nominal", "agee"), "did you mean 'age'"),
        (("discover", "table.csv", "--n-passes", "many"), "--n-passes"),
        (("discover", "table.csv", "--forbid-within-tiers"), "needs tiers"),
        (("discover", "table.csv", "--forbid", "age -> cancer", "--forbid-within-tiers"), "needs tiers"),
        (("discover", "table.csv", "--tier", "age,smoking", "--drop", "smoking"), "'smoking', which was dropped"),
        (("discover", "table.csv", *[f"--drop={x}" for x in ("age", "[bmi]", "smoking", "site")]), "drop fewer"),
        (("demo", "--rows", "2"), "too few"),
    ],
)
def test_refusals_are_one_clear_message_with_exit_code_2(run, table, arguments, words):
    done = run(*arguments)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr and done.stdout == ""
    assert [file.name for file in table.parent.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("discover", "a" * 200), f"foundcause: cannot read {'a' * 200!r}: "),
        (("discover", "table.csv", "--drop", "no such column", "--n-passes", "1"), "the columns are"),
        (("discover", "table.csv", "--n-passes", "many"), "is not a number"),
        (("discover", "table.csv", f"--{'x' * 200}"), f"No such option: --{'x' * 200}"),
    ],
)
def test_a_message_in_a_pipe_is_one_line(run, table, arguments, message):
    done = run(*arguments, columns=40)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]


def test_a_message_in_a_terminal_is_wrapped(run, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    done = run("discover", "absent folder/absent table.csv", columns=40)
    assert done.returncode == 2 and len(done.stderr.splitlines()) > 1


def test_a_picture_without_a_format_is_refused_by_its_own_name(table, tiny_checkpoint, tmp_path):
    result = fc.discover(table, checkpoint=tiny_checkpoint, n_passes=1)
    for name in ("pnoext", "graph.v2", ".png"):
        with pytest.raises(OutputError) as refused:
            result.plot(tmp_path / name)
        assert f"{str(tmp_path / name)!r}: " in str(refused.value) and ".png, .pdf or .svg" in str(refused.value)
        assert "partial" not in str(refused.value)
    result.plot(tmp_path / "graph.PDF")
    assert {file.name for file in tmp_path.iterdir()} == {table.name, "graph.PDF"}


def test_info_with_and_without_a_checkpoint(run):
    done = run("info", "--json")
    facts = json.loads(done.stdout)
    assert facts["foundcause"] == fc.__version__ and facts["header"]["config"]["name"] == "tiny"
    done = run("info", weights=False)
    assert done.returncode == 0 and "foundcause train" in done.stdout


def test_demo_end_to_end(run, tmp_path):
    done = run("demo", "--out", "d", "--rows", 400)
    assert done.returncode == 0, done.stderr
    assert "report.html" in done.stdout and "true edges" in done.stdout
    assert fc.load(tmp_path / "d").names == COLUMNS


@pytest.mark.parametrize("name", FILES)
def test_a_result_never_replaces_its_own_table(run, table, tmp_path, name):
    table.rename(tmp_path / name)
    before = (tmp_path / name).read_bytes()
    done = run("discover", tmp_path / name, "--out", ".", "--n-passes", 1)
    assert done.returncode == 2 and "choose another --out" in " ".join(done.stderr.split()) and name in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == [name] and (tmp_path / name).read_bytes() == before


def test_a_result_never_replaces_its_options_nor_a_table_behind_a_link(run, table, tmp_path):
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "result.json").write_text('{"roots": ["age"]}')
    done = run("discover", table, "--out", "o", "--options", "o/result.json")
    assert done.returncode == 2 and "choose another --out" in " ".join(done.stderr.split())
    (tmp_path / "o" / "result.json").unlink()
    (tmp_path / "o" / "edges.csv").symlink_to(table)
    assert run("discover", table, "--out", "o").returncode == 2
    assert run("discover", table, "--out", "p", "--n-passes", 1).returncode == 0
    assert run("discover", table, "--out", "p", "--n-passes", 1).returncode == 0  # results replace results


@pytest.mark.parametrize("name", ["edges.csv", "result.json"])
def test_a_result_never_replaces_what_is_no_result(run, table, tmp_path, name):
    assert run("discover", table, "--out", "p", "--n-passes", 1).returncode == 0
    theirs = tmp_path / "o" / name
    theirs.parent.mkdir()
    theirs.write_text('{"mine": 1}')
    for command in (["discover", table], ["demo", "--rows", 200]):
        done = run(*command, "--out", "o")
        assert done.returncode == 2 and "was not written by foundcause" in " ".join(done.stderr.split())
    with pytest.raises(OutputError, match=name):
        fc.load(tmp_path / "p").save(tmp_path / "o")
    assert [file.name for file in theirs.parent.iterdir()] == [name] and theirs.read_text() == '{"mine": 1}'


def test_demo_replaces_its_own_survey_only(run, tmp_path):
    for rows in (200, 200, 300):
        assert run("demo", "--out", "d", "--rows", rows).returncode == 0
    assert is_survey(tmp_path / "d" / "survey.csv")
    own = (tmp_path / "d" / "survey.csv").read_bytes()
    for mine in (b"", b"age,bmi\n1,2\n", own + b"a,b,c\n", own.replace(b",no,", b",maybe,", 1), b"\xff\xfe\x00"):
        (tmp_path / "survey.csv").write_bytes(mine)
        done = run("demo", "--out", ".", "--rows", 200)
        assert (
            done.returncode == 2
            and "survey.csv" in done.stderr
            and "choose another --out" in " ".join(done.stderr.split())
        )
        assert (tmp_path / "survey.csv").read_bytes() == mine


def test_the_survey_follows_the_published_tables(tmp_path):
    answers = simulate_survey(np.random.default_rng(0), 400_000)
    asia, tub, smoke, lung, bronc, either, xray, dysp = answers.T
    for event, given, expected in (
        (asia, ~(asia & False), 0.01),
        (tub, asia, 0.05),
        (tub, ~asia, 0.01),
        (smoke, ~(asia & False), 0.5),
        (lung, smoke, 0.1),
        (lung, ~smoke, 0.01),
        (bronc, smoke, 0.6),
        (bronc, ~smoke, 0.3),
        (xray, either, 0.98),
        (xray, ~either, 0.05),
        (dysp, either & bronc, 0.9),
        (dysp, either & ~bronc, 0.7),
        (dysp, ~either & bronc, 0.8),
        (dysp, ~either & ~bronc, 0.1),
    ):
        assert event[given].mean() == pytest.approx(expected, abs=0.012)
    assert (either == (tub | lung)).all() and len(EDGES) == 8
    first, second = (write_survey(tmp_path / name, rows=300) for name in ("a.csv", "b.csv"))
    assert first.read_bytes() == second.read_bytes()
    frame = pd.read_csv(first, keep_default_na=False)
    assert set(frame["smoking"]) <= {"smoker", "non-smoker", "", "NA", "unknown"} and (frame == "").any().any()


def test_the_package_runs_as_a_module():
    command = [sys.executable, "-m", "foundcause", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"foundcause {fc.__version__}\n"


@pytest.mark.slow
def test_an_interrupted_run_ends_with_130(table, tiny_checkpoint):
    code = "from foundcause.cli.app import main; print('up', flush=True); main()"
    command = [sys.executable, "-c", code, "discover", str(table), "--n-passes", "100000", "--out", "never"]
    environment = {**os.environ, "FOUNDCAUSE_CHECKPOINT": str(tiny_checkpoint)}
    with subprocess.Popen(command, cwd=table.parent, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "up\n"
        time.sleep(15)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    assert not (table.parent / "never").exists()


def test_a_foreign_terminal_encoding_costs_no_answer(table, tiny_checkpoint, tmp_path):
    odd = tmp_path / "odd.csv"
    odd.write_text(table.read_text().replace("age", "größe ✓", 1), encoding="utf-8")
    for encoding in ("cp1252", "ascii"):
        for extra in ([], ["--json"]):
            command = [sys.executable, "-m", "foundcause", "discover", str(odd), "--checkpoint", str(tiny_checkpoint)]
            command += ["--n-passes", "1", "--threshold", "0.01", "--out", str(tmp_path / "graph"), *extra]
            done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": encoding})
            assert done.returncode == 0, done.stderr
            if extra:
                assert "größe ✓" in json.loads(done.stdout.decode(encoding))["names"]
            else:
                assert b"->" in done.stdout and b"##" in done.stdout


def test_columns_left_out_and_columns_of_codes(run, table):
    frame = pd.read_csv(table).assign(zip=np.arange(120) % 7 * 1000 + 10)
    frame.to_csv(table, index=False)
    done = run("discover", table, "--json", "--drop", "age", "--drop", "site", "--nominal", "zip", "--n-passes", 1)
    result = json.loads(done.stdout)
    assert result["names"] == ["[bmi]", "smoking", "cancer", "zip"]
    assert {column["name"]: column["kind"] for column in result["columns"]}["zip"] == "nominal"


def test_a_warning_is_one_line_for_people(run, table, monkeypatch):
    def warn(*_: object) -> None:
        warnings.simplefilter("always")
        warnings.warn("no font has [these] letters", stacklevel=1)

    monkeypatch.setattr("foundcause.report.terminal.print_result", warn)
    assert run("discover", table, "--n-passes", 1).stderr == "note: no font has [these] letters\n"
