"use strict";
/* Wires the report page: slider, switches, tables, heat maps, details. */

(function () {
  const result = JSON.parse(document.getElementById("result").textContent);
  const byId = (id) => document.getElementById(id);
  const panel = detailsPanel(byId("details"), () => view.select(null));
  const openNode = (index) => {
    view.select(`n${index}`);
    panel.show(nodeDetails(result, index, view.edges(), () => { view.focusOn(index); view.select(`n${index}`); }));
  };
  const openEdge = (i, j) => { view.select(`e${i}-${j}`); panel.show(edgeDetails(result, i, j)); };
  const openPair = (i, j) => { view.select(`h${i}-${j}`); panel.show(hiddenDetails(result, i, j)); };

  const view = createGraphView(byId("graph"), result, {
    onEdge: (edge) => panel.show(edgeDetails(result, edge.i, edge.j)),
    onHidden: (pair) => panel.show(hiddenDetails(result, pair.i, pair.j)),
    onNode: openNode,
    onClear: () => panel.hide(),
    onRedraw: fillEdges,
  });
  byId("graph").foundcauseView = view;

  /** Open details from a table or a matrix below the graph. */
  function reveal(open) {
    return (i, j) => {
      open(i, j);
      byId("stage").scrollIntoView({ block: "nearest" });
    };
  }

  function fillEdges(edges, note) {
    byId("edges").tBodies[0].replaceChildren(...edgeRows(result, edges, reveal(openEdge)));
    byId("edge-count").textContent = String(edges.length);
    byId("drawn-note").textContent = note;
    byId("drawn-note").hidden = !note;
  }

  const current = () => ({ result, view, open: openNode });
  fillSearch(byId, result.names);
  bindGraphControls(byId, current);
  bindThreshold(byId("threshold"), byId("threshold-value"), byId("reset"), current)();

  const maps = [heatMap(result.names, result.probabilities, "--cause", "causes", reveal(openEdge)),
    heatMap(result.names, result.confounding, "--hidden", "shares a hidden cause with", reveal(openPair))];
  byId("heat-edges").append(maps[0]);
  byId("heat-hidden").append(maps[1]);
  const recolor = () => maps.forEach((map) => map.redraw());
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    recolor();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
})();
