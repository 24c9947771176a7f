"""What notebooks show: the graph as inline SVG, and a picture by matplotlib that appears without a further call."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from foundcause.knowledge import Knowledge
from foundcause.report.layout import layered_positions
from foundcause.report.svg import graph_svg
from foundcause.result import Result
from made_answers import decoded

SVG = "{http://www.w3.org/2000/svg}"


def made(columns: int, *, seed: int = 0) -> Result:
    rng = np.random.default_rng(seed)
    edges = np.zeros((columns, columns))
    for k in range(columns - 1):
        for effect in rng.integers(k + 1, min(columns, k + 9), size=2):
            edges[k, effect] = rng.uniform(0.55, 0.95)
    names = tuple(f"quite a long name {k}" if k % 2 else f"c<{k}>" for k in range(columns))
    return Result(names=names, decoded=decoded(edges))


def picture(result: Result) -> ET.Element:
    return ET.fromstring(re.search(r"<svg.*?</svg>", graph_svg(result), re.S)[0])


@pytest.mark.parametrize("columns", [2, 8, 60])
def test_boxes_lie_apart_on_the_canvas(columns: int) -> None:
    svg = picture(made(columns))
    width, height = map(float, svg.get("viewBox").split()[2:])
    boxes = [[float(rect.get(key)) for key in ("x", "y", "width", "height")] for rect in svg.iter(f"{SVG}rect")]
    assert all(x >= 0 and y >= 0 and x + w <= width + 1 and y + h <= height + 1 for x, y, w, h in boxes)
    for k, (x, y, w, h) in enumerate(boxes):
        for u, v, p, q in boxes[k + 1 :]:
            assert not (x < u + p and u < x + w and y < v + q and v < y + h)


def test_every_edge_is_drawn_and_the_strongest_of_many() -> None:
    few, many = made(8), made(60)
    assert len(list(picture(few).iter(f"{SVG}path"))) == len(few.edges) + 2, "two markers are paths"
    assert len(list(picture(many).iter(f"{SVG}path"))) == 60 + 2 < len(many.edges)
    assert str(len(many.edges)) in graph_svg(many)


def test_undecided_edges_and_hidden_causes_look_different() -> None:
    edges, hidden = np.zeros((4, 4)), np.zeros((4, 4))
    edges[0, 1], edges[1, 0], edges[1, 2] = 0.52, 0.45, 0.9
    hidden[0, 3] = hidden[3, 0] = 0.8
    result = Result(names=tuple("abcd"), decoded=decoded(edges, confounding=hidden))
    lines = {path.get("marker-end"): path for path in picture(result).iter(f"{SVG}path") if path.get("marker-end")}
    assert set(lines) == {"url(#fc-cause)", "url(#fc-undecided)", "url(#fc-hidden)"}
    assert lines["url(#fc-undecided)"].get("marker-start") and not lines["url(#fc-cause)"].get("marker-start")


def test_a_notebook_shows_the_graph_and_escapes_names() -> None:
    page = made(8)._repr_html_()
    assert "<svg" in page and "c<2>" not in page and "c&lt;2&gt;" in page
    empty = Result(names=("a", "b"), decoded=decoded(np.zeros((2, 2))), knowledge=Knowledge())
    assert "<svg" not in empty._repr_html_() and "2 columns" in empty._repr_html_()


def test_plot_makes_a_figure_that_notebooks_show(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mpl.use("agg")
    from matplotlib import pyplot

    pyplot.close("all")
    ax = made(6).plot()
    assert pyplot.get_fignums() and pyplot.figure(pyplot.get_fignums()[0]) is ax.get_figure()
    pyplot.close("all")
    drawn = made(6).plot(tmp_path / "g.png")
    assert not pyplot.get_fignums(), "a file needs no window"
    assert drawn.get_title(loc="left") and drawn.get_legend() is not None


def test_boxes_of_a_wide_picture_do_not_overlap(tmp_path: Path) -> None:
    ax = made(60).plot(tmp_path / "g.png")
    ax.get_figure().canvas.draw()
    boxes = [text.get_bbox_patch().get_window_extent() for text in ax.texts]
    assert len(boxes) == 60
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[k + 1 :])


def test_long_layers_become_rows() -> None:
    edges = np.zeros((41, 41))
    edges[0, 1:] = 0.9
    result = Result(names=tuple(f"x{k}" for k in range(41)), decoded=decoded(edges))
    places = layered_positions(replace(result).graph, most_in_row=12)
    rows = [y for _, y in places.values()]
    assert max(rows.count(y) for y in set(rows)) <= 12 and len(set(rows)) == 5
