"""The page in a real browser: the whole way from a file to a download, and every refusal a person may meet."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from live_server import csv_table, send

from chromium import click_cell
from foundcause.web.routes import FILES

PATIENCE = 60_000  # milliseconds; other work may slow the machine


def choose(page, path: Path) -> None:
    page.set_input_files("#file", str(path))


def upload(page, folder: Path, content: bytes, name: str = "survey.csv") -> None:
    place = folder / name
    place.write_bytes(content)
    choose(page, place)
    page.wait_for_selector("#work:not([hidden])", timeout=PATIENCE)


def run(page, runs: int = 2) -> None:
    page.fill("#runs", str(runs))
    page.click("#run")
    page.wait_for_selector("#results:not([hidden]), #problem:not([hidden])", timeout=PATIENCE)
    assert page.is_hidden("#problem"), page.inner_text("#problem")


def refusal(page) -> str:
    page.wait_for_selector("#problem:not([hidden])", timeout=PATIENCE)
    return page.inner_text("#problem")


def tap(page, identity: str) -> None:
    """Click a column or an edge of the graph, as a person or the keyboard does."""
    page.locator(f"#graph [data-id='{identity}']").dispatch_event("click")


def test_the_whole_way(page, tmp_path):
    names = ["age", "income", "spending", "savings"]
    upload(page, tmp_path, csv_table(rows=80, columns=4, names=names))
    assert "survey.csv: 80 rows, 4 columns" in page.inner_text("#table-name")
    assert page.locator("#columns .column-name").all_inner_texts() == names

    # knowledge: one tier by dragging, one by its menu, a required edge by the form, a forbidden one in the graph
    page.locator(".chip[data-name=age]").drag_to(page.locator(".lane[data-tier='0']"))
    page.get_by_label("Tier of savings").select_option(label="2")
    assert page.locator(".lane[data-tier='0'] .chip").inner_text().startswith("age")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Tier of savings"
    page.select_option("#rule-cause", label="income")
    page.select_option("#rule-kind", "required")
    page.select_option("#rule-effect", label="spending")
    page.click("#rule-add")
    tap(page, "n1")
    tap(page, "n3")
    page.get_by_role("button", name="Forbid income → savings").click()
    assert page.locator("#rules li").all_inner_texts() == [
        "income causes spending\n✕",
        "income does not cause savings\n✕",
    ]

    run(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON", exact=True).click()
    result = json.loads(Path(download.value.path()).read_text())
    stated = {name: value for name, value in result["knowledge"].items() if value}
    assert stated == {
        "tiers": [["age"], ["savings"]],
        "forbidden": [["income", "savings"]],
        "required": [["income", "spending"]],
    }
    shown = int(page.inner_text("#edge-count"))
    assert shown == len(result["edges"]) > 0
    listed = page.locator("#edges tbody tr td:first-child").all_inner_texts()
    assert set(listed) == {f"{edge['cause']} → {edge['effect']}" for edge in result["edges"]}
    assert "income → spending\tgiven by you" in page.inner_text("#edges tbody"), "a required edge is no discovery"
    assert result["provenance"]["data"]["source"] == "survey.csv"
    assert page.locator("#downloads a").count() == len(FILES)

    # slider: nothing but the required edge above 0.99, as many as possible at the lowest
    page.locator("#threshold").fill("0.99")
    assert int(page.inner_text("#edge-count")) < shown
    page.locator("#threshold").fill("0.05")
    assert int(page.inner_text("#edge-count")) >= shown
    page.click("#reset")
    assert int(page.inner_text("#edge-count")) == shown

    # details of an edge by clicking it in the graph, with its scatter plot
    tap(page, "e1-2")
    assert page.inner_text("#details h3") == "income → spending"
    assert page.locator("#details .scatter circle").count() == 80
    # forbidding an edge in the graph says that the graph is out of date, and running again obeys
    edge = next(edge for edge in result["edges"] if (edge["cause"], edge["effect"]) != ("income", "spending"))
    page.locator("#edges").get_by_role("button", name=f"{edge['cause']} → {edge['effect']}", exact=True).click()
    page.get_by_role("button", name=f"Forbid {edge['cause']} → {edge['effect']}").click()
    assert page.is_visible("#stale")
    page.click("#again")
    page.wait_for_selector("#stale", state="hidden", timeout=PATIENCE)
    assert f"{edge['cause']} → {edge['effect']}" not in page.inner_text("#edges tbody")

    assert page.locator("#heat-edges canvas, #heat-hidden canvas").count() == 2
    with page.expect_download() as download:
        page.get_by_role("link", name="HTML report").click()
    assert download.value.suggested_filename == "report.html"
    assert "<!doctype html>" in Path(download.value.path()).read_text()[:20]


def take_as(page, name: str, label: str) -> None:
    page.get_by_label(f"Read {name} as").select_option(label=label)


def test_columns_left_out_and_codes_of_categories(page, tmp_path):
    upload(page, tmp_path, csv_table(rows=80, columns=4, names=["age", "zip", "job", "spending"], codes=["job"]))
    page.get_by_label("Tier of spending").select_option(label="2")
    for cause, effect in (("zip", "job"), ("job", "spending")):
        page.select_option("#rule-cause", label=cause)
        page.select_option("#rule-effect", label=effect)
        page.click("#rule-add")
    run(page)
    take_as(page, "job", "codes")
    assert page.is_visible("#stale"), "the graph shown was made of the numbers"
    # a step too far is undone by a step back: rules and the graph return, and so does what was said of it
    take_as(page, "zip", "leave out")
    assert page.is_hidden("#results") and page.is_hidden("#stale")
    take_as(page, "zip", "continuous")
    assert page.is_visible("#results") and page.is_visible("#stale")
    assert page.locator("#rules li").count() == 2
    take_as(page, "job", "count")
    assert page.is_hidden("#stale"), "the graph is the one of these choices again"
    take_as(page, "job", "codes")
    take_as(page, "zip", "leave out")
    assert page.is_hidden("#results"), "no graph yet of these columns"
    assert "80 rows, 3 columns" in page.inner_text("#table-name")
    # what is known of the columns that stay is kept, under their new places
    assert page.locator(".chip").count() == 3
    assert page.locator(".lane[data-tier='1'] .chip").inner_text().startswith("spending")
    assert page.locator("#rules li").all_inner_texts() == ["job does not cause spending\n✕"]
    run(page)

    def check() -> None:
        assert page.locator("#graph .node").count() == 3
        assert page.locator("tr[data-name=zip]").get_attribute("class") == "dropped changed"
        assert page.get_by_label("Read job as").input_value() == "nominal"

    check()
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON", exact=True).click()
    result = json.loads(Path(download.value.path()).read_text())
    assert result["names"] == ["age", "job", "spending"]
    assert [column["kind"] for column in result["columns"] if column["name"] == "job"] == ["nominal"]
    assert tuple(result["provenance"]["options"]["read"][key] for key in ("drop", "nominal")) == (["zip"], ["job"])
    assert result["knowledge"]["forbidden"] == [["job", "spending"]]
    page.reload()
    page.wait_for_selector("#results:not([hidden])", timeout=PATIENCE)
    check()

    # two columns at least; and a column can come back
    take_as(page, "age", "leave out")
    take_as(page, "spending", "leave out")
    assert page.get_by_label("Read spending as").input_value() == ""
    take_as(page, "zip", "continuous")
    run(page)
    assert page.locator("#graph .node").count() == 3


def test_suggestions_apply_themselves_and_disappear(page, tmp_path):
    """A column is nearly a copy of another, and one counts months: what is advised is one click."""
    rows = csv_table(rows=200, columns=4, names=["age", "income", "wk1", "wk2"]).decode().splitlines()
    text = [f"{rows[0]},income_2"] + [
        f"{row},{float(row.split(',')[1]) + 1e-3 * k % 0.01:.4f}" for k, row in enumerate(rows[1:])
    ]
    upload(page, tmp_path, "\n".join(text).encode())
    advice = page.locator("#findings li[data-code=near-copy]")
    advice.get_by_role("button", name="Apply").click()
    assert page.get_by_label("Read income_2 as").input_value() == "drop"
    assert advice.count() == 0, "it no longer concerns the columns in use"
    page.get_by_label("Read income_2 as").select_option("")
    assert advice.count() == 1 and page.get_by_label("Read income_2 as").input_value() == ""

    def with_suggestions(route):
        answer = route.fetch().json()
        roots = {"section": "knowledge", "option": "roots", "values": ["age"]}
        tiers = {"section": "knowledge", "option": "tiers", "values": [["wk1"], ["wk2"]]}
        shared = {"severity": "caution", "details": {}, "message": "Said."}
        answer["findings"] = [
            {"code": "edge-into-origin", "columns": ["age"], "fix": roots, **shared},
            {"code": "later-to-earlier", "columns": ["wk1", "wk2"], "fix": tiers, **shared},
        ]
        route.fulfill(json=answer)

    page.route("**/result", with_suggestions)
    run(page, runs=1)
    page.click("#apply-all")
    assert page.get_by_label("Role of age").input_value() == "root"
    assert (
        page.get_by_label("Tier of wk2").input_value() == "1" and page.get_by_label("Tier of wk1").input_value() == "0"
    )
    assert page.is_visible("#stale") and page.locator("#findings button:enabled").count() == 0
    page.unroute("**/result")
    page.click("#again")
    page.wait_for_selector("#stale", state="hidden", timeout=PATIENCE)
    assert page.locator("#graph .node.root").count() == 1
    page.get_by_label("Role of wk2").select_option("sink")
    with page.expect_request("**/discoveries") as asked:
        page.click("#run")
    known = asked.value.post_data_json["knowledge"]
    assert (known["roots"], known["sinks"], known["tiers"]) == (["age"], ["wk2"], [["wk1"], ["wk2"]])
    page.wait_for_selector("#cancel", state="hidden", timeout=PATIENCE)


def test_a_rule_added_while_the_graph_is_discovered_is_not_said_to_be_obeyed(page, tmp_path):
    upload(page, tmp_path, csv_table(rows=80, columns=3, names=["a", "b", "c"]))
    held = []
    page.route("**/api/discoveries/*/result", lambda route: held.append(route))
    page.click("#run")
    while not held:
        page.wait_for_timeout(20)
    page.click("#rule-add")
    held[0].continue_()
    page.wait_for_selector("#results:not([hidden])", timeout=PATIENCE)
    assert page.is_visible("#stale")
    page.unroute("**/api/discoveries/*/result")
    page.click("#again")
    page.wait_for_selector("#stale", state="hidden", timeout=PATIENCE)


def test_hidden_common_causes_are_arcs(page, tmp_path):
    """The untrained network of the tests finds none, so one is put into its answer on the way to the page."""

    def with_arc(route):
        answer = route.fetch().json()
        answer["confounding"] = [[0, 0, 0.9], [0, 0, 0], [0.9, 0, 0]]
        route.fulfill(json=answer)

    page.route("**/result", with_arc)
    upload(page, tmp_path, csv_table(names=["a", "b", "c"]))
    run(page, runs=1)
    pairs = page.locator("#graph .edge.hidden")
    assert pairs.get_attribute("data-id") == "h0-2"
    page.uncheck("#hidden")
    assert pairs.count() == 0
    page.check("#hidden")
    tap(page, "h0-2")
    assert page.inner_text("#details h3") == "a ⇠⇢ c" and "very likely" in page.inner_text("#details .verdict")
    assert page.get_by_role("button", name="Require a → c").is_visible()


def test_edges_that_the_answer_rejects_are_not_shown(page, tmp_path):
    """An edge over the threshold that stood in too few passes is no edge of the graph, here as in the files."""

    def with_rejected(route):
        answer = route.fetch().json()
        none = [[0] * 3 for _ in range(3)]
        likely = [[0, 0.9, 0.9], [0, 0, 0], [0, 0, 0]]
        answer |= {"threshold": 0.5, "probabilities": likely, "adjacency": [[0, 1, 0], *none[1:]]}
        answer |= {"agreement": [[0, 1, 0.4], *none[1:]]}
        route.fulfill(json=answer)

    page.route("**/result", with_rejected)
    upload(page, tmp_path, csv_table(names=["a", "b", "c"]))
    run(page, runs=1)
    assert page.locator("#edges tbody tr").all_inner_texts() == ["a → b\t0.90\t0.00\t100%"]
    click_cell(page, "#heat-edges", 1, 0)
    assert page.inner_text("#details .verdict") == "A direct effect is very unlikely. The reverse is far more probable."


@pytest.mark.slow
def test_the_place_in_the_queue_is_shown(browser, make_server, tmp_path):
    with make_server(slots=1) as server, server.client() as other:
        table = send(other, csv_table(rows=6000, columns=20))
        before = other.post(f"/api/tables/{table['id']}/discoveries", json={"n_passes": 50}).json()["id"]
        tab = browser.new_context().new_page()
        tab.goto(server.url)
        upload(tab, tmp_path, csv_table())
        tab.click("#run")
        tab.get_by_text("Waiting in the queue: place 1.").wait_for(timeout=PATIENCE)
        other.delete(f"/api/discoveries/{before}")
        tab.wait_for_selector("#results:not([hidden])", timeout=PATIENCE)
        tab.context.close()


def test_reloading_keeps_the_session_and_deleting_ends_it(page, server, tmp_path):
    upload(page, tmp_path, csv_table())
    run(page, runs=1)
    page.reload()
    page.wait_for_selector("#results:not([hidden])", timeout=PATIENCE)
    secret = page.context.cookies()[0]["value"]
    folder = server.state.sessions.find(secret).folder
    page.click("#end")
    page.wait_for_selector("#end", state="hidden", timeout=PATIENCE)  # once the server has answered
    assert page.is_visible("#drop")
    assert server.state.sessions.find(secret) is None and not folder.exists()


def test_a_pdf_named_csv(page, tmp_path):
    place = tmp_path / "paper.csv"
    place.write_bytes(b"%PDF-1.5\n%\xd0\xd4\xc5\xd8\n1 0 obj\n<<>>\nendobj\n" * 40)
    choose(page, place)
    assert "'paper.csv' is a PDF document" in refusal(page)
    assert page.is_visible("#drop"), "another file can be chosen"


def test_two_gigabytes(page, tmp_path):
    place = tmp_path / "huge.csv"
    with place.open("wb") as file:
        file.truncate(2 << 30)  # sparse: takes no room
    choose(page, place)
    assert "2,048 MB. This server takes 4 MB" in refusal(page)
    assert page.is_visible("#drop")


def test_a_table_with_one_column(page, tmp_path):
    place = tmp_path / "one.csv"
    place.write_bytes(csv_table(columns=1))
    choose(page, place)
    assert "'one.csv' has one column" in refusal(page)


def test_scripts_in_names_stay_text(page, tmp_path):
    evil = ["<img src=x onerror=document.title='owned'>", "</script><script>document.title='owned'</script>", '"><b>x']
    content = csv_table().split(b"\n", 1)[1]
    head = ",".join('"' + name.replace('"', '""') + '"' for name in evil).encode()
    upload(page, tmp_path, head + b"\n" + content, name="<b>t<b>.csv")
    page.get_by_label(f"Tier of {evil[0]}").select_option(label="1")
    page.select_option("#rule-cause", label=evil[1])
    page.click("#rule-add")
    run(page, runs=1)
    page.locator("#threshold").fill("0.05")
    page.locator("#edges button").first.click()
    assert page.title() == "foundcause"
    assert page.locator("main img, main b, main script").count() == 0
    assert evil[0] in page.inner_text("#columns")


def test_a_killed_worker_is_said_on_the_page(page, server, tmp_path):
    upload(page, tmp_path, csv_table(rows=4000, columns=12))
    page.fill("#runs", "50")
    page.click("#run")
    deadline = time.monotonic() + 60
    while not (server.state.discoveries._running and server.state.discoveries._running[0].pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(server.state.discoveries._running[0].pid, signal.SIGKILL)
    assert "the worker process was killed (SIGKILL)" in refusal(page)
    run(page, runs=1)
    assert page.is_hidden("#problem")


def test_cancelling(page, tmp_path):
    upload(page, tmp_path, csv_table(rows=4000, columns=12))
    page.fill("#runs", "50")
    page.click("#run")
    page.wait_for_selector("#bar[value]", timeout=PATIENCE)
    assert "step" in page.inner_text("#status")
    page.click("#cancel")
    page.get_by_text("Cancelled.", exact=True).wait_for(timeout=PATIENCE)
    assert page.is_enabled("#run") and page.is_hidden("#cancel")


def test_contradictions_are_said(page, tmp_path):
    upload(page, tmp_path, csv_table(names=["a", "b", "c"]))
    page.get_by_label("Tier of a").select_option(label="2")
    page.get_by_label("Tier of b").select_option(label="1")
    page.select_option("#rule-kind", "required")
    page.click("#rule-add")
    page.click("#run")
    assert "'a' -> 'b'" in refusal(page)  # it names the statement that clashes
    page.complaints.clear()  # the browser notes each refused request on its console


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1280, "light"),
        (390, "dark"),
        pytest.param(1280, "dark", marks=pytest.mark.slow),
        pytest.param(390, "light", marks=pytest.mark.slow),
    ],
)
def test_readable_with_labels_and_contrast(browser, server, tmp_path, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    page.goto(server.url)
    page.get_by_text("up to 4 MB").wait_for(timeout=PATIENCE)
    first = page.evaluate(LOW_CONTRAST)
    upload(page, tmp_path, csv_table(columns=5, names=["age", "a_rather_long_column_name_for_a_phone", "b", "c", "d"]))
    run(page, runs=1)
    page.locator("#edges button").first.click()
    assert page.evaluate(TOO_WIDE) == [], "no sideways scrolling"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert first + page.evaluate(LOW_CONTRAST) == []
    assert page.evaluate(UNLABELLED) == []
    context.close()


def test_the_keyboard_is_enough(page, tmp_path):
    upload(page, tmp_path, csv_table(names=["a", "b", "c"]))
    page.get_by_label("Tier of b").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator(".lane[data-tier='0'] .chip").inner_text().startswith("b")
    page.focus("#rule-add")
    page.keyboard.press("Enter")
    assert page.locator("#rules li").count() == 1
    page.fill("#runs", "1")
    page.focus("#run")
    page.keyboard.press("Space")
    page.wait_for_selector("#results:not([hidden])", timeout=PATIENCE)
    page.focus("#threshold")
    page.keyboard.press("Home")
    assert page.inner_text("#threshold-value") == "0.05"
    page.locator("#edges button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#details .scatter circle").count() > 0
    page.keyboard.press("Escape")
    assert page.locator("#details .scatter").count() == 0


TOO_WIDE = """() => [...document.querySelectorAll("main *, header *")]
  .filter((node) => node.checkVisibility() && !node.parentElement.closest(".scroll, #graph, svg, .chip, .lane ul"))
  .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
  .map((node) => `${node.tagName}#${node.id}.${node.className} ${node.getBoundingClientRect().right}`)"""

UNLABELLED = """() => [...document.querySelectorAll("button, input, select, a, progress")]
  .filter((node) => node.checkVisibility())
  .filter((node) => !(node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.length))
  .map((node) => node.outerHTML)"""

# Text against the nearest painted background, by the WCAG formula; 4.5 is the AA bound for body text.
LOW_CONTRAST = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const part = (c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => {
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
  const ground = (node) => { for (; node; node = node.parentElement) {
    const colour = parse(getComputedStyle(node).backgroundColor);
    if (colour.length === 3 || colour[3] > 0.9) return colour; } return [255, 255, 255]; };
  const found = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || !node.checkVisibility() || node.disabled) continue;
    if (node.closest("svg, option, script, noscript, .visually-hidden")) continue;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push(`${node.tagName} ${node.textContent.slice(0, 30)} ${ratio.toFixed(2)}`);
  }
  return found;
}"""
