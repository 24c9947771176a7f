/* The graph and everything that explains it: slider, details, edges, matrices, downloads. */

const { bindThreshold, cssColour, createGraphView, edgeDetails, edgeRows, element, findingsList, heatMap, hiddenDetails, nodeDetails } = window;
const byId = (id) => document.getElementById(id);

const FILE_WORDS = {
  "report.html": "HTML report", "result.json": "JSON", "timing.json": "timing, JSON", "edges.csv": "edges, CSV", "confounded_pairs.csv": "hidden causes, CSV",
  "adjacency.csv": "adjacency, CSV", "probabilities.csv": "probabilities, CSV", "confounding.csv": "confounding, CSV",
  "graph.png": "picture, PNG", "graph.dot": "Graphviz", "graph.mmd": "Mermaid", "graph.graphml": "GraphML", "graph.gml": "GML",
  "everything.zip": "everything, ZIP",
};

/** Columns on a circle and no edges: what is shown before the first discovery. */
export function blankResult(names) {
  const D = names.length;
  const zeros = names.map(() => names.map(() => 0));
  const radius = Math.max(1, D / 7);
  const angle = (k) => (2 * Math.PI * k) / D;
  return {
    names, adjacency: zeros, probabilities: zeros, existence: zeros, confounding: zeros,
    agreement: zeros, threshold: 0.5, confounding_threshold: 0.5, columns: [], preview: null, evidence: {}, blank: true,
    positions: names.map((_, k) => [radius * Math.sin(angle(k)), 2 * radius * Math.cos(angle(k))]),
  };
}

/** Returns { show(result, discovery, files), redraw() }; `rules` is what createRules gave. */
export function createExplorer(rules) {
  let result = null;
  let view = null;
  let partner = null; // the column whose pair is being chosen
  const panel = byId("details");
  const put = (...content) => panel.replaceChildren(...content);

  function hint() {
    partner = null;
    put(element("p", { class: "soft" }, result && !result.blank
      ? "Click an edge to see how sure it is, what speaks for its direction, and to require or forbid it. Click a variable to see its neighbours, or to pair it with another."
      : "Know something already? Click two variables, one after the other, to require or forbid an edge between them. Then press “Discover the graph”."));
  }

  const openEdge = (i, j) => {
    partner = null;
    if (result.blank) put(element("h3", {}, `${result.names[i]} and ${result.names[j]}`), rules.buttons(i, j));
    else put(withRules(edgeDetails(result, i, j), i, j));
  };
  const openHidden = (i, j) => { partner = null; put(withRules(hiddenDetails(result, i, j), i, j)); };
  const withRules = (details, i, j) => { details.querySelector(".scatter").before(rules.buttons(i, j)); return details; };

  function openNode(index) {
    if (partner !== null && partner !== index) {
      openEdge(partner, index);
      return;
    }
    const pair = element("button", { type: "button" }, "Pair with another variable");
    const start = () => {
      partner = index;
      pair.replaceWith(element("p", { class: "pairing" }, "Now click the other variable."));
    };
    pair.addEventListener("click", start);
    put(result.blank ? element("h3", {}, result.names[index]) : nodeDetails(result, index, view.edges()), pair);
    if (result.blank) start();
  }

  function fillEdges(edges, note) {
    const open = (i, j) => { view.select(`e${i}-${j}`); openEdge(i, j); };
    byId("edges").tBodies[0].replaceChildren(...edgeRows(result, edges, open));
    byId("edge-count").textContent = String(edges.length);
    byId("drawn-note").textContent = note;
    byId("drawn-note").hidden = !note;
  }

  const recommend = bindThreshold(byId("threshold"), byId("threshold-value"), byId("reset"), () => ({ result, view }));
  byId("hidden").addEventListener("change", (event) => view.showHidden(event.target.checked));
  byId("fit").addEventListener("click", () => view.fit());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !view) return;
    view.fit();
    hint();
  });

  function fillDownloads(discovery, files) {
    byId("downloads").replaceChildren(...files.map((file) => element("li", {},
      element("a", { href: `/api/discoveries/${discovery}/files/${file}`, download: file, class: "button" }, FILE_WORDS[file] || file))));
  }

  function show(next, discovery, files) {
    result = next;
    if (view) view.cytoscape.destroy();
    const graph = byId("graph");
    graph.replaceChildren();
    view = createGraphView(graph, result, {
      onEdge: (edge) => openEdge(edge.i, edge.j),
      onHidden: (pair) => openHidden(pair.i, pair.j),
      onRule: (rule) => openEdge(rule.i, rule.j),
      onNode: openNode,
      onClear: hint,
      onRedraw: fillEdges,
      rules: rules.indexed,
    });
    graph.foundcauseView = view;
    byId("hidden").checked = true;
    byId("controls").hidden = byId("results").hidden = Boolean(result.blank);
    hint();
    if (result.blank) return;
    recommend();
    byId("trust").hidden = !result.findings.length;
    byId("findings").replaceChildren(findingsList(result.findings));
    fillDownloads(discovery, files);
    byId("heat-edges").replaceChildren(heatMap(result.names, result.probabilities, "--cause", "causes", reveal(openEdge)));
    byId("heat-hidden").replaceChildren(heatMap(result.names, result.confounding, "--hidden",
      "shares a hidden cause with", reveal(openHidden)));
  }

  const reveal = (open) => (i, j) => { open(i, j); panel.scrollIntoView({ block: "nearest" }); };

  return {
    show,
    redraw() { if (view) view.redraw(); },
    refreshColours() { if (view && cssColour("--ink")) view.refreshColours(); },
  };
}
