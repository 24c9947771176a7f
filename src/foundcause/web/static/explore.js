/* The graph and everything that explains it: slider, details, edges, matrices, downloads. */

const { bindGraphControls, bindThreshold, createGraphView, detailsPanel, edgeDetails, edgeRows, element, fillSearch, headline, heatMap,
  hiddenDetails, nodeDetails } = window;
const byId = (id) => document.getElementById(id);

const FILE_WORDS = {
  "report.html": "HTML report", "result.json": "JSON", "timing.json": "timing, JSON", "edges.csv": "edges, CSV", "confounded_pairs.csv": "hidden causes, CSV",
  "adjacency.csv": "adjacency, CSV", "probabilities.csv": "probabilities, CSV", "confounding.csv": "confounding, CSV",
  "graph.png": "picture, PNG", "graph.dot": "Graphviz", "graph.mmd": "Mermaid", "graph.graphml": "GraphML", "graph.gml": "GML",
  "everything.zip": "everything, ZIP",
};

/** Columns without edges: what is shown before the first discovery. */
export function blankResult(names) {
  const zeros = names.map(() => names.map(() => 0));
  return {
    names, edges: [], adjacency: zeros, probabilities: zeros, existence: zeros, confounding: zeros, agreement: zeros,
    threshold: 0.5, confounding_threshold: 0.5, columns: [], preview: null, evidence: {}, blank: true,
  };
}

/** Returns { show(result, discovery, files), redraw() }; `rules` is what createRules gave. */
export function createExplorer(rules) {
  let result = null;
  let view = null;
  let maps = [];
  let partner = null; // the column whose pair is being chosen
  const panel = detailsPanel(byId("details"), () => { if (view) view.select(null); hint(); });
  const put = (...content) => panel.show(...content);

  function hint() {
    partner = null;
    panel.hide();
    byId("hint").textContent = result && !result.blank
      ? "Click an edge to see how sure it is and the data behind it, and to require or forbid it. Click a column to see its neighbors."
      : "Do you know something already? Click two columns, one after the other, to require or forbid an edge between them. Then press “Discover the graph”.";
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
    view.select(`n${index}`);
    const pair = element("button", { type: "button" }, "Pair with another column");
    const start = () => {
      partner = index;
      pair.replaceWith(element("p", { class: "pairing" }, "Now click the other column."));
    };
    pair.addEventListener("click", start);
    const focus = () => { view.focusOn(index); view.select(`n${index}`); };
    put(result.blank ? element("h3", {}, result.names[index]) : nodeDetails(result, index, view.edges(), focus), pair);
    if (result.blank) start();
  }

  /** Open details from a table or a matrix below the graph. */
  const reveal = (kind, open) => (i, j) => {
    view.select(`${kind}${i}-${j}`);
    open(i, j);
    byId("stage").scrollIntoView({ block: "nearest" });
  };

  function fillEdges(edges, note) {
    byId("edges").tBodies[0].replaceChildren(...edgeRows(result, edges, reveal("e", openEdge)));
    byId("edge-count").textContent = String(edges.length);
    byId("drawn-note").textContent = note;
    byId("drawn-note").hidden = !note;
  }

  const current = () => ({ result, view, open: openNode });
  const recommend = bindThreshold(byId("threshold"), byId("threshold-value"), byId("reset"), current);
  bindGraphControls(byId, current);

  function fillDownloads(discovery, files) {
    byId("downloads").replaceChildren(...files.map((file) => element("li", {},
      element("a", { href: `/api/discoveries/${discovery}/files/${file}`, download: file, class: "button" }, FILE_WORDS[file] || file))));
  }

  function show(next, discovery, files) {
    result = next;
    if (view) view.destroy();
    const graph = byId("graph");
    byId("hidden").checked = true;
    byId("strongest").value = 60;
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
    byId("controls").hidden = byId("legend").hidden = byId("results").hidden = Boolean(result.blank);
    byId("trust-title").textContent = result.blank ? "About this table" : "Before you trust it";
    byId("graph-title").textContent = result.blank ? "Columns of the table" : headline(result);
    fillSearch(byId, result.names);
    hint();
    if (result.blank) return;
    recommend();
    fillDownloads(discovery, files);
    maps = [heatMap(result.names, result.probabilities, "--cause", "causes", reveal("e", openEdge)),
      heatMap(result.names, result.confounding, "--hidden", "shares a hidden cause with", reveal("h", openHidden))];
    byId("heat-edges").replaceChildren(maps[0]);
    byId("heat-hidden").replaceChildren(maps[1]);
  }

  return {
    show,
    redraw() { if (view) view.redraw(); },
    refreshColours() { maps.forEach((map) => map.redraw()); },
  };
}
