"""What readers open: tables of the documents are whole, links lead somewhere, nothing of the mixture is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from foundcause.simulate.mixture import MIXTURES

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "research").rglob("*.md"))]
_CODE = re.compile(r"`[^`]*`")  # a bar within code separates nothing


def tables(text: str) -> list[list[tuple[int, str]]]:
    """Runs of lines that begin with a bar, numbered; fenced blocks are no tables."""
    found: list[list[tuple[int, str]]] = []
    fenced, before = False, -1
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        if fenced or not line.startswith("|"):
            continue
        if number != before + 1:
            found.append([])
        found[-1].append((number, line))
        before = number
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_rows_of_a_table_have_as_many_cells_as_its_head(document: Path) -> None:
    for table in tables(document.read_text(encoding="utf-8")):
        widths = {number: _CODE.sub("", line).replace("\\|", "").count("|") for number, line in table}
        torn = [number for number, width in widths.items() if width != widths[table[0][0]]]
        assert not torn, f"{document.name}: lines {torn} do not fit the table of line {table[0][0]}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_to_files_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{document.name} links to {target}, which is not there"


def test_every_component_of_the_mixtures_is_described() -> None:
    text = (ROOT / "docs" / "simulator.md").read_text(encoding="utf-8")
    table = next(rows for rows in tables(text) if rows[0][1].startswith("| component | what it is"))
    described = {name for _, line in table for name in re.findall(r"`(\w+)`", line.split("|")[1])}
    assert {name for mixture in MIXTURES.values() for name in mixture.weights} <= described


def module_names(text: str) -> set[str]:
    """Files and packages of ours that a page names in code, such as `data/columns.py` or `inference/`."""
    code = re.findall(r"`([\w./]+)`", text)
    return {name for name in code if re.fullmatch(r"[a-z_]+(/[a-z_]+)*(\.py|/)", name)}


def test_modules_of_the_architecture_page_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = module_names(text)
    assert len(named) > 30
    places = (ROOT / "src" / "foundcause", ROOT)
    assert {name for name in named if not any((place / name).exists() for place in places)} == set()


def test_every_package_is_on_the_architecture_page() -> None:
    named = module_names((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    packages = {f"{path.parent.name}/" for path in (ROOT / "src" / "foundcause").glob("*/__init__.py")}
    assert packages <= named
