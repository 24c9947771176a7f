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

  function fillEdges(edges) {
    const body = byId("edges").tBodies[0];
    body.replaceChildren();
    const sorted = [...edges].sort((a, b) => b.probability - a.probability);
    for (const { i, j, probability } of sorted) {
      const open = element("button", { type: "button", class: "link" }, `${result.names[i]} → ${result.names[j]}`);
      open.addEventListener("click", () => { view.select(`e${i}-${j}`); show(edgeDetails(result, i, j)); });
      body.append(element("tr", {}, element("td", {}, open), element("td", {}, probability.toFixed(2)),
        element("td", {}, result.edge_probabilities[j][i].toFixed(2)), element("td", {}, percent(result.agreement_matrix[i][j]))));
    }
    byId("edge-count").textContent = String(edges.length);
  }

  const slider = byId("threshold");
  slider.value = result.threshold;
  const readout = () => { byId("threshold-value").textContent = Number(slider.value).toFixed(2); };
  slider.addEventListener("input", () => { readout(); view.setThreshold(Number(slider.value)); });
  byId("reset").addEventListener("click", () => { slider.value = result.threshold; readout(); view.setThreshold(result.threshold); });
  byId("hidden").addEventListener("change", (event) => view.showHidden(event.target.checked));
  byId("fit").addEventListener("click", () => view.fit());
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    view.refreshColours();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view.refreshColours());
  readout();

  byId("heat-edges").append(heatMap(result.names, result.edge_probabilities, "--cause", "causes",
    (i, j) => show(edgeDetails(result, i, j))));
  byId("heat-hidden").append(heatMap(result.names, result.confounding_probabilities, "--hidden", "shares a hidden cause with",
    (i, j) => show(hiddenDetails(result, i, j))));
})();
