"use strict";
/* The interactive graph, shared by the HTML report and the web page.
 *
 * createGraphView(container, result, handlers) draws `result` (the JSON of Result.to_json plus `positions`)
 * and returns { setThreshold, showHidden, fit, select, refreshColours, redraw, edges }.
 * handlers.onEdge(edge), handlers.onHidden(pair), handlers.onNode(index), handlers.onClear() tell what was clicked;
 * handlers.onRedraw(edges, note) tells what is drawn, and in words (or "") which hidden common causes are not;
 * handlers.rules() may give what is known already, as { i, j, kind: "forbidden" | "required" }, to be drawn too.
 */

const MIN_AGREEMENT = 0.5; // share of passes an edge must stand in; the same as in decode/protocol.py

/** Whether what the user knew beforehand says of i -> j that it is "required" or "forbidden". */
function isGiven(result, kind, i, j) {
  return (result[`${kind}_pairs`] || []).some(([cause, effect]) => cause === i && effect === j);
}

/** Edges { i, j, probability, given } at a threshold: the answer itself where it was decoded, elsewhere decoded anew. */
function edgesAtThreshold(result, threshold) {
  const graph = threshold === result.threshold ? result.adjacency : decodedAt(result, threshold);
  const shown = [];
  graph.forEach((row, i) => row.forEach((edge, j) => {
    if (edge) shown.push({ i, j, probability: result.probabilities[i][j], given: isGiven(result, "required", i, j) });
  }));
  return shown;
}

/** The graph by the rule of decode/protocol.py.
 *
 * Passes were counted at the answer's threshold only. Above it an edge stands in no more of them. Below it in more, but
 * never in those that held the reverse: what cannot stand in half of them is left out, and the less likely direction,
 * which hardly ever does.
 */
function decodedAt(result, threshold) {
  const { probabilities: edges, agreement: agreed } = result;
  const optimal = (((result.provenance || {}).options || {}).protocol || "default") === "default"; // the others decode greedily
  const required = edges.map((row, i) => row.map((_, j) => isGiven(result, "required", i, j)));
  const before = tierOrder(result);
  // A step to a later tier is kept like a required edge while cycles are removed, though it is no edge of the graph.
  const kept = required.map((row, i) => row.map((given, j) => given || before[i][j]));
  const likelier = (i, j) => edges[i][j] > edges[j][i] || (edges[i][j] === edges[j][i] && i < j);
  const below = threshold < result.threshold;
  const stands = (i, j) => (below ? likelier(i, j) && 1 - agreed[j][i] >= MIN_AGREEMENT : agreed[i][j] >= MIN_AGREEMENT);
  const weights = edges.map((row, i) => row.map((probability, j) => {
    if (i === j) return 0;
    const candidate = probability > threshold && stands(i, j) && (optimal || likelier(i, j));
    if (optimal) return candidate || required[i][j] ? logOddsGain(probability, threshold) : 0;
    return required[i][j] || candidate ? Math.max(probability, 1e-12) : 0;
  }));
  const heavy = weights.map((row, i) => row.map((weight, j) => (kept[i][j] ? 2 : weight)));
  const ordered = optimal ? maximumAcyclic(weights, kept) : greedyAcyclic(heavy);
  return ordered.map((row, i) => row.map((linked, j) => linked && weights[i][j] > 0));
}

/** Rows of booleans: the tier of i is earlier than that of j, so that no path may lead back. */
function tierOrder(result) {
  const tier = new Map();
  ((result.knowledge || {}).tiers || []).forEach((members, k) => members.forEach((name) => tier.set(name, k)));
  return result.names.map((one) => result.names.map((other) => tier.get(one) < tier.get(other)));
}

/** How many nats an edge lies above the cut. */
function logOddsGain(probability, threshold) {
  const logit = (p) => { const q = Math.min(Math.max(p, 1e-9), 1 - 1e-9); return Math.log(q / (1 - q)); };
  return Math.max(logit(probability) - logit(threshold), 1e-9);
}

/** Wires the slider: it moves in steps, but where it rests for the answer's threshold it means exactly that. */
function bindThreshold(slider, readout, reset, current) {
  const put = (value) => { readout.textContent = value.toFixed(2); current().view.setThreshold(value); };
  const recommend = () => {
    const { threshold } = current().result;
    slider.value = threshold;
    put(threshold);
  };
  slider.addEventListener("input", () => {
    const { threshold } = current().result;
    const step = Number(slider.step);
    const rest = Math.min(Math.max(threshold, Number(slider.min)), Number(slider.max));
    put(Math.abs(Number(slider.value) - rest) <= step / 2 ? threshold : Number(slider.value));
  });
  reset.addEventListener("click", recommend);
  return recommend;
}

/** Pairs with a probable hidden common cause. */
function hiddenPairs(result) {
  const pairs = [];
  for (let i = 0; i < result.names.length; i++) {
    for (let j = i + 1; j < result.names.length; j++) {
      const probability = result.confounding[i][j];
      if (probability > result.confounding_threshold) pairs.push({ i, j, probability });
    }
  }
  return pairs;
}

const DENSE = { least: 12, oneIn: 3, followed: 3 }; // the same as in diagnostics/graph.py

/** The pairs that are drawn: none under dense confounding, else the strongest that can be followed. */
function drawnPairs(result) {
  const pairs = hiddenPairs(result);
  const roots = (result.knowledge || {}).roots || [];
  const excluded = (result.columns || []).filter((info) => info.role !== "variable").map((info) => info.name);
  const columns = result.names.filter((name) => !roots.includes(name) && !excluded.includes(name)).length;
  if (pairs.length >= DENSE.least && DENSE.oneIn * pairs.length > columns * (columns - 1) / 2) return [];
  if (pairs.length <= DENSE.followed * columns) return pairs;
  return pairs.sort((a, b) => b.probability - a.probability).slice(0, columns);
}

/** What to say of pairs that are not drawn; "" when all are. */
function drawnNote(result) {
  const [drawn, all] = [drawnPairs(result).length, hiddenPairs(result).length];
  if (drawn === all) return "";
  const rest = "The matrix below and the saved files have all of them.";
  return drawn ? `Only the ${drawn} most probable of ${all} pairs with a hidden common cause are drawn. ${rest}`
    : `${all} pairs may share a hidden common cause. They are too many to draw. ${rest}`;
}

function cssColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function graphStyle() {
  return [
    { selector: "node", style: {
      label: "data(label)", shape: "round-rectangle", width: "label", height: 26, padding: "7px",
      "text-valign": "center", "text-halign": "center", "font-size": 13, "text-wrap": "ellipsis", "text-max-width": 150,
      "background-color": cssColour("--node"), color: cssColour("--ink"),
      "border-width": 1, "border-color": cssColour("--line") } },
    { selector: "edge.cause", style: {
      "curve-style": "bezier", "target-arrow-shape": "triangle", "arrow-scale": 1.1,
      width: "mapData(probability, 0, 1, 0.8, 4.5)", opacity: "mapData(probability, 0, 1, 0.35, 1)",
      "line-color": cssColour("--cause"), "target-arrow-color": cssColour("--cause") } },
    { selector: "edge.hidden", style: {
      "curve-style": "unbundled-bezier", "control-point-distances": [55], "control-point-weights": [0.5],
      "line-style": "dashed", "source-arrow-shape": "triangle", "target-arrow-shape": "triangle", "arrow-scale": 0.8,
      width: "mapData(probability, 0, 1, 0.8, 3)", opacity: 0.85, "line-color": cssColour("--hidden"),
      "source-arrow-color": cssColour("--hidden"), "target-arrow-color": cssColour("--hidden") } },
    { selector: "edge.required", style: {
      "curve-style": "bezier", "target-arrow-shape": "triangle", width: 3, opacity: 1,
      "line-color": cssColour("--required"), "target-arrow-color": cssColour("--required") } },
    { selector: "edge.forbidden", style: {
      "curve-style": "bezier", "line-style": "dotted", "target-arrow-shape": "tee", width: 2, opacity: 0.8,
      "line-color": cssColour("--soft"), "target-arrow-color": cssColour("--soft"),
      label: "✕", "font-size": 15, color: cssColour("--soft") } },
    { selector: ":selected", style: {
      "border-width": 3, "border-color": cssColour("--focus"), "line-color": cssColour("--focus"),
      "target-arrow-color": cssColour("--focus"), "source-arrow-color": cssColour("--focus"), opacity: 1 } },
    { selector: ".faded", style: { opacity: 0.3 } },
  ];
}

/** Places of the nodes; a single column of nodes is bent, because its longer edges would lie on one another. */
function nodePlaces(positions) {
  const straight = positions.length > 2 && positions.every(([x]) => Math.abs(x - positions[0][0]) < 1e-6);
  return positions.map(([x, y]) => ({ x: 150 * (straight ? x + 1.1 * Math.sin(1.9 * y) : x), y: -95 * y }));
}

function createGraphView(container, result, handlers) {
  const state = { threshold: result.threshold, hidden: true, edges: [] };
  const places = nodePlaces(result.positions);
  const nodes = result.names.map((name, k) => ({
    data: { id: "n" + k, label: name, index: k },
    position: places[k],
  }));
  const view = cytoscape({
    container, elements: nodes, style: graphStyle(), layout: { name: "preset", fit: true, padding: 24 },
    minZoom: 0.1, maxZoom: 4, wheelSensitivity: 0.3, boxSelectionEnabled: false,
  });

  function redraw() {
    const selected = view.$("edge:selected").map((edge) => edge.id());
    view.edges().remove();
    state.edges = edgesAtThreshold(result, state.threshold);
    for (const { i, j, probability, given } of state.edges) {
      view.add({ group: "edges", classes: given ? "cause required" : "cause",
        data: { id: `e${i}-${j}`, source: "n" + i, target: "n" + j, i, j, probability } });
    }
    if (state.hidden) {
      for (const { i, j, probability } of drawnPairs(result)) {
        view.add({ group: "edges", classes: "hidden",
          data: { id: `h${i}-${j}`, source: "n" + i, target: "n" + j, i, j, probability } });
      }
    }
    for (const { i, j, kind } of handlers.rules ? handlers.rules() : []) {
      const drawn = view.getElementById(`e${i}-${j}`);
      if (kind === "required" && drawn.length) drawn.addClass("required");
      else view.add({ group: "edges", classes: `rule ${kind}`, data: { id: `r${i}-${j}`, source: "n" + i, target: "n" + j, i, j } });
    }
    for (const id of selected) view.getElementById(id).select();
    container.setAttribute("aria-label", `Causal graph with ${nodes.length} variables and ${state.edges.length} edges`);
    if (handlers.onRedraw) handlers.onRedraw(state.edges, state.hidden ? drawnNote(result) : "");
  }

  function emphasise(element) {
    view.elements().removeClass("faded");
    if (!element) return;
    const near = element.isNode() ? element.closedNeighborhood() : element.union(element.connectedNodes());
    view.elements().not(near).addClass("faded");
  }

  view.on("tap", "edge.cause", (event) => { emphasise(event.target); handlers.onEdge(event.target.data()); });
  view.on("tap", "edge.hidden", (event) => { emphasise(event.target); handlers.onHidden(event.target.data()); });
  view.on("tap", "edge.rule", (event) => { emphasise(event.target); if (handlers.onRule) handlers.onRule(event.target.data()); });
  view.on("tap", "node", (event) => { emphasise(event.target); handlers.onNode(event.target.data("index")); });
  view.on("tap", (event) => { if (event.target === view) { emphasise(null); handlers.onClear(); } });
  view.on("resize", () => view.fit(undefined, 24));
  redraw();

  return {
    cytoscape: view,
    edges: () => state.edges,
    setThreshold(value) { state.threshold = value; redraw(); },
    showHidden(value) { state.hidden = value; redraw(); },
    fit() { emphasise(null); view.fit(undefined, 24); },
    redraw,
    refreshColours() { view.style(graphStyle()); },
    select(id) {
      view.elements().unselect();
      const element = view.getElementById(id);
      if (!element.length) return;
      element.select();
      emphasise(element);
    },
  };
}
