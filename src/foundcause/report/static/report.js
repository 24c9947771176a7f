"use strict";
/* Wires the report page: slider, switches, tables, heat maps, details. */

(function () {
  const result = JSON.parse(document.getElementById("result").textContent);
  const byId = (id) => document.getElementById(id);
  const panel = byId("details");
  const hint = panel.firstElementChild;
  const show = (content) => panel.replaceChildren(content);

  const view = createGraphView(byId("graph"), result, {
    onEdge: (edge) => show(edgeDetails(result, edge.i, edge.j)),
    onHidden: (pair) => show(hiddenDetails(result, pair.i, pair.j)),
    onNode: (index) => show(nodeDetails(result, index, view.edges())),
    onClear: () => show(hint),
    onRedraw: fillEdges,
  });
  byId("graph").foundcauseView = view;

  function fillEdges(edges, note) {
    const open = (i, j) => { view.select(`e${i}-${j}`); show(edgeDetails(result, i, j)); };
    byId("edges").tBodies[0].replaceChildren(...edgeRows(result, edges, open));
    byId("edge-count").textContent = String(edges.length);
    byId("drawn-note").textContent = note;
    byId("drawn-note").hidden = !note;
  }

  bindThreshold(byId("threshold"), byId("threshold-value"), byId("reset"), () => ({ result, view }))();
  byId("hidden").addEventListener("change", (event) => view.showHidden(event.target.checked));
  byId("fit").addEventListener("click", () => view.fit());
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    view.refreshColours();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view.refreshColours());

  byId("heat-edges").append(heatMap(result.names, result.probabilities, "--cause", "causes",
    (i, j) => show(edgeDetails(result, i, j))));
  byId("heat-hidden").append(heatMap(result.names, result.confounding, "--hidden", "shares a hidden cause with",
    (i, j) => show(hiddenDetails(result, i, j))));
})();
