"""Methods and data sets of one's own: the documented example end to end, and every way to get it wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from foundcause.bench import plugin
from foundcause.bench.baselines import METHODS, select
from foundcause.bench.datasets import DATASETS
from foundcause.bench.experiments import EXPERIMENTS, OWN, experiment
from foundcause.bench.records import Record, Store
from foundcause.bench.runner import Cell, identity, pending, perform, plan, run, work_item
from foundcause.cli import bench
from foundcause.errors import ConfigError, FoundcauseError

DOCS = Path(__file__).resolve().parents[2] / "docs" / "evaluation.md"
HEAD = "import numpy as np\nfrom foundcause.bench.plugin import Answer, Case, Table, dataset, method\n"


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """Nothing that a test loads is left behind."""
    before = set(METHODS), set(DATASETS)
    yield
    plugin.require(())
    assert (set(METHODS), set(DATASETS)) == before and EXPERIMENTS[OWN].datasets == ()


def example(folder: Path) -> Path:
    """The file that docs/evaluation.md shows."""
    text = DOCS.read_text(encoding="utf-8").split("<!-- plugin example", 1)[1]
    path = folder / "my_methods.py"
    path.write_text(text.split("```python\n", 1)[1].split("```", 1)[0], encoding="utf-8")
    return path


def written(folder: Path, body: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(HEAD + body)
    return path


def command(*words: str) -> tuple[str, str]:
    """What `foundcause bench` prints on both streams."""
    tree = typer.Typer()
    bench.register(tree)
    done = CliRunner().invoke(tree, ["bench", *words])
    if isinstance(done.exception, FoundcauseError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


def test_failed_cells_and_their_remedy_are_told(tmp_path: Path) -> None:
    path = tmp_path / "fails.py"
    path.write_text(
        "from foundcause.bench.plugin import method\n\n\n"
        "@method('fails', label='Fails', settings='none')\n"
        "def fails(table):\n    raise RuntimeError('oops')\n"
    )
    words = ("run", "clean", "--methods", "fails", "--only", "asia", "--seeds", "1")
    words = (*words, "--plugin", str(path), "--results", str(tmp_path))
    assert "1 cells, 0 done before, 1 to run" in command(*words)[0]
    assert "1 done before (1 of them failed; --retry runs these again), 0 to run" in command(*words)[0]
    assert "1 cells, 0 done before, 1 to run" in command(*words, "--retry")[0]


def test_the_documented_example(tmp_path: Path) -> None:
    path, results = example(tmp_path), tmp_path / "results"
    words = ("--plugin", str(path), "--results", str(results))
    assert "mine" in command("methods", "--plugin", str(path))[0]
    assert "chain" in command("datasets", "--plugin", str(path))[0]
    shown, _ = command("run", "own", "--methods", "mine,naive_correlation", "--seeds", "2", *words)
    assert "4 cells, 0 done before" in shown and "4 ok" in shown
    shown, _ = command("run", "clean", "--methods", "mine", "--only", "asia", "--seeds", "1", *words)
    assert "1 ok" in shown
    cells = Store(results / "own.jsonl").cells()
    assert cells["mine", "chain", "", 0]["metrics"]["skeleton_f1"] > 0.5
    assert cells["mine", "chain", "", 0]["version"]["file"] == "my_methods.py"
    assert "version" not in cells["naive_correlation", "chain", "", 0]
    assert str(tmp_path) not in "".join(file.read_text() for file in results.glob("*.jsonl"))
    _, told = command("report", *words)
    page = (results / "REPORT.md").read_text()
    assert "## own" in page and "| Correlation, sorted by variance | 1/1 |" in page and not told
    assert f"mine: my_methods.py {cells['mine', 'chain', '', 0]['version']['sha256']}" in page


def test_a_report_without_the_plug_in_says_what_it_leaves_out(tmp_path: Path) -> None:
    record = {"kind": "cell", "dataset": "chain", "seed": 0, "variant": "", "status": "ok", "seconds": 1.0}
    for name in ("mine", "grasp"):
        metrics = {"f1": 0.5, "true": 2, "found": 1, "oriented": 1, "extra": 0}
        Store(tmp_path / "own.jsonl").append({**record, "method": name, "variables": 3, "metrics": metrics})
    _, told = command("report", "--results", str(tmp_path))
    assert "results of mine are left out" in told and "--plugin" in told
    page = (tmp_path / "REPORT.md").read_text()
    assert "**Warning:** results of mine are left out" in page and "| GRaSP | 1/1 |" in page


def cells_of(name: str) -> list[Cell]:
    return list(plan(experiment(OWN), select(name), EXPERIMENTS[OWN].datasets, 1, 60.0))


@pytest.mark.parametrize("jobs", [1, 2])
def test_from_python_in_every_process(tmp_path: Path, jobs: int) -> None:
    plugin.load(example(tmp_path))
    run(cells_of("mine,naive_correlation"), tmp_path, jobs=jobs)
    assert {record["status"] for record in Store(tmp_path / "own.jsonl").cells().values()} == {"ok"}


def test_neighbours_of_a_plug_in_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "the_neighbour_of_a_plugin.py").write_text("THRESHOLD = 0.3\n")
    body = "from the_neighbour_of_a_plugin import THRESHOLD\nmethod(f'at_{THRESHOLD}')(lambda table: None)\n"
    plugin.load(written(tmp_path, body))
    assert "at_0.3" in METHODS


def test_an_edited_plug_in_is_run_again(tmp_path: Path) -> None:
    path = example(tmp_path)
    plugin.load(path)
    (cell,) = cells_of("mine")
    first = perform(work_item(cell))
    done = {("mine", "chain", "", 0): first}
    assert pending([cell], done) == []
    path.write_text(path.read_text().replace("weights > 0.3", "weights > 2.0"))
    plugin.load(path)
    assert pending([cell], done) == [cell]
    second = perform(work_item(cell))  # the process of the first run is still there
    assert first["arcs"] and not second["arcs"] and first["version"] != second["version"]


def test_a_plug_in_that_changes_during_a_run_is_refused(tmp_path: Path) -> None:
    path = example(tmp_path)
    as_it_was = plugin.load(path)
    path.write_text(path.read_text() + "# more\n")
    plugin.load(path)
    with pytest.raises(ConfigError, match=r"my_methods\.py was changed during the run"):
        plugin.require((as_it_was,))


def test_what_the_package_has_keeps_its_identity() -> None:
    """Plug-ins must not make older results invalid."""
    cell = Cell(experiment="clean", method="pc_0.01", dataset="asia", seed=0, variant="", limit=1.0)
    committed = Store(DOCS.parents[1] / "research" / "results" / "clean.jsonl").cells()
    assert identity(cell) == committed["pc_0.01", "asia", "", 0]["identity"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("import no_such_library\n", r"mine\.py cannot be imported: line 3: ModuleNotFoundError.*no_such_library"),
        ("def (\n", r"mine\.py cannot be imported: SyntaxError"),
        ("raise SystemExit(1)\n", r"mine\.py cannot be imported: line 3: SystemExit"),
        ("method('grasp')(print)\n", r"mine\.py: method 'grasp': this name is taken; choose another"),
        ("method('fast')(print)\n", "method 'fast': this name is taken"),
        ("method('a,b')(print)\n", "method 'a,b': a name has letters"),
        ("dataset('asia')(print)\n", "data set 'asia': this name is taken"),
        ("method('good')(print)\nmethod('good')(print)\n", "method 'good': this name is taken"),
        ("", r"mine\.py registers nothing"),
    ],
)
def test_bad_plug_ins_are_refused_and_leave_nothing(tmp_path: Path, body: str, message: str) -> None:
    path = written(tmp_path, body)
    with pytest.raises(ConfigError, match=message):
        command("run", "own", "--plugin", str(path), "--results", str(tmp_path / "results"))
    assert "good" not in METHODS and not plugin.loaded() and not (tmp_path / "results").exists()
    path.write_text(HEAD + "method('good')(print)\n")
    plugin.load(path)  # once it is corrected


def test_a_missing_plug_in_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.py cannot be read .*name a Python file"):
        command("run", "clean", "--plugin", str(tmp_path / "nowhere.py"))


def test_own_needs_a_data_set(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"experiment 'own' has no data set.*--plugin"):
        command("run", "own", "--results", str(tmp_path))


CHAIN = """
@dataset("chain")
def chain(seed):
    values = np.random.default_rng(seed).standard_normal((50, 3))
    return Case(dataset="chain", seed=seed, values=values, names=("a", "b", "c"), adjacency=np.eye(3, k=1, dtype=bool))
"""


def outcome(tmp_path: Path, answer: str) -> Record:
    plugin.load(written(tmp_path, f"{CHAIN}\nmethod('mine')(lambda table: {answer})\n"))
    (cell,) = cells_of("mine")
    return perform(work_item(cell))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("np.eye(3)", "method 'mine' gave a ndarray; it must give an Answer"),
        ("None", "method 'mine' gave a NoneType"),
        ("Answer(adjacency=np.zeros((2, 3), bool))", "method 'mine': adjacency has shape (2, 3), expected (3, 3)"),
        ("Answer(adjacency=np.zeros((3, 3)))", "method 'mine': adjacency must be bool"),
        ("Answer(adjacency=np.zeros((3, 3), bool), scores=np.full((3, 3), np.nan))", "scores is not finite"),
    ],
)
def test_wrong_answers_are_lost_cells_that_say_why(tmp_path: Path, answer: str, message: str) -> None:
    record = outcome(tmp_path, answer)
    assert record["status"] == "failed" and message in record["error"]


def test_a_data_set_that_is_no_case_says_so(tmp_path: Path) -> None:
    body = "method('mine')(print)\ndataset('chain')(lambda seed: np.eye(3))\n"
    plugin.load(written(tmp_path, body))
    (cell,) = cells_of("mine")
    record = perform(work_item(cell))
    assert record["status"] == "failed" and "data set 'chain' gave a ndarray; it must give a Case" in record["error"]
