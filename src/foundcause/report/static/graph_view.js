"use strict";
/* The interactive graph, shared by the HTML report and the web page.
 *
 * createGraphView(container, result, handlers) draws `result` (the JSON of Result.to_json and the pairs that knowledge
 * gives) as SVG. handlers.onEdge(edge), onHidden(pair), onRule(rule), onNode(index) and onClear() say what was clicked,
 * handlers.onRedraw(edges, note) which edges there are and, in words, what is not drawn. handlers.rules() may give what
 * is known already, as { i, j, kind: "forbidden" | "required" }.
 */

const MANY_EDGES = 60; // of more, the strongest are drawn
const MANY_LONELY = 24; // more columns without edges are hidden
const FONT = "13px system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const LONGEST_NAME = 168; // pixels
const LED_AROUND = 160; // edges; nobody follows single ones of more

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

function graphElement(name, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

/** Names as they are drawn, and the widths of their boxes. Long names often differ at their end only. */
function measuredNames(names) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = FONT;
  return names.map((name) => {
    const clean = name.replace(/\s+/g, " ").trim() || "(blank)";
    let text = clean;
    for (let keep = clean.length - 1; keep > 4 && pen.measureText(text).width > LONGEST_NAME; keep--) {
      text = `${clean.slice(0, Math.ceil(keep / 2))}…${clean.slice(-Math.floor(keep / 2))}`;
    }
    return { text, width: Math.max(46, pen.measureText(text).width + 22) };
  });
}

/** "root", "sink" or "excluded" by what the user said or how the column was read; "" for others. */
function roleOf(result, name) {
  const column = (result.columns || []).find((info) => info.name === name);
  if (column && column.role !== "variable") return "excluded";
  const known = result.knowledge || {};
  if ((known.roots || []).includes(name)) return "root";
  return (known.sinks || []).includes(name) ? "sink" : "";
}

function createGraphView(container, result, handlers) {
  const labels = measuredNames(result.names);
  const state = { threshold: result.threshold, hidden: true, strongest: MANY_EDGES, focus: null, lonely: null, zoom: 1,
    edges: [], selected: null };
  let svg = null;
  let size = { width: 0, height: 0 };

  /** What is drawn: nodes, edges, confounded pairs and rules. */
  function content() {
    state.edges = edgesAtThreshold(result, state.threshold);
    const ranked = [...state.edges].sort((a, b) => b.given - a.given || b.probability - a.probability);
    let edges = ranked.slice(0, state.strongest);
    let pairs = state.hidden ? drawnPairs(result) : [];
    const rules = handlers.rules ? handlers.rules() : [];
    let nodes = result.names.map((_, k) => k);
    if (state.focus !== null) {
      const near = new Set([state.focus]);
      for (const { i, j } of [...state.edges, ...pairs]) {
        if (i === state.focus) near.add(j);
        if (j === state.focus) near.add(i);
      }
      nodes = nodes.filter((k) => near.has(k));
      edges = ranked.filter(({ i, j }) => near.has(i) && near.has(j));
      pairs = pairs.filter(({ i, j }) => near.has(i) && near.has(j));
    }
    const used = new Set([...edges, ...pairs, ...rules].flatMap(({ i, j }) => [i, j]));
    const lonely = nodes.filter((k) => !used.has(k) && k !== state.focus);
    const hide = state.lonely === null ? lonely.length > MANY_LONELY && used.size > 0 : !state.lonely;
    if (hide) nodes = nodes.filter((k) => !lonely.includes(k));
    return { nodes, edges, pairs, rules, left: hide ? lonely.length : 0 };
  }

  function redraw() {
    const { nodes, edges, pairs, rules, left } = content();
    const width = Math.max(container.clientWidth - 4, 240);
    const short = width < 560;
    const layout = layeredLayout(nodes, edges, labels.map((label) => label.width), width, short ? 240 : 400);
    size = { width: layout.width, height: layout.height };
    const boxes = new Map(nodes.map((k) => [k, { ...layout.places.get(k), w: labels[k].width, h: 28 }]));
    svg = graphElement("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "group", class: "graph" });
    svg.append(graphElement("title", {}, `Causal graph with ${nodes.length} columns and ${edges.length} edges`), markers());
    const known = new Map(rules.map((rule) => [`${rule.i}-${rule.j}`, rule]));
    const around = edges.length + pairs.length <= LED_AROUND;
    const line = (kind, { i, j }, least, build) => {
      const [a, b] = [boxes.get(i), boxes.get(j)];
      if (!a || !b) return;
      const others = around ? nodes.filter((k) => k !== i && k !== j).map((k) => boxes.get(k)) : [];
      svg.append(build(pathBetween(a, b, bowOf(a, b, others, least)), `${kind}${i}-${j}`));
    };
    for (const pair of pairs) line("h", pair, 36, (path, id) => pairElement(pair, path, id));
    for (const edge of edges) {
      const rule = known.get(`${edge.i}-${edge.j}`);
      line("e", edge, 0, (path, id) => edgeElement(edge, path, id, rule && rule.kind === "required"));
    }
    const drawn = new Set(edges.map(({ i, j }) => `${i}-${j}`));
    for (const rule of rules) {
      if (rule.kind === "required" && drawn.has(`${rule.i}-${rule.j}`)) continue;
      line("r", rule, rule.kind === "forbidden" && drawn.has(`${rule.i}-${rule.j}`) ? 36 : 0, (path, id) => ruleElement(rule, path, id));
    }
    for (const k of nodes) svg.append(nodeElement(k, boxes.get(k)));
    svg.addEventListener("click", (event) => { if (!event.target.closest("[data-id]")) { select(null); handlers.onClear(); } });
    container.replaceChildren(svg);
    scale();
    select(state.selected && svg.querySelector(`[data-id="${state.selected}"]`) ? state.selected : null);
    container.setAttribute("aria-label", `Causal graph with ${nodes.length} columns and ${edges.length} edges`);
    if (handlers.onRedraw) handlers.onRedraw(state.edges, notes(edges.length, left));
  }

  function notes(drawn, left) {
    const all = [];
    if (state.focus !== null) all.push(`Only ${result.names[state.focus]} and its neighbors are drawn.`);
    else if (drawn < state.edges.length) all.push(`The ${drawn} most probable of ${state.edges.length} edges are drawn.`);
    if (left) all.push(`${left} columns without edges are not drawn.`);
    if (state.hidden) all.push(drawnNote(result));
    return all.filter(Boolean).join(" ");
  }

  function scale() {
    svg.setAttribute("width", size.width * state.zoom);
    svg.setAttribute("height", size.height * state.zoom);
  }

  function markers() {
    const defs = graphElement("defs");
    for (const kind of ["cause", "required", "hidden", "undecided"]) {
      const round = kind === "undecided";
      for (const end of ["start", "end"]) {
        const marker = graphElement("marker", { id: `${kind}-${end}`, class: `marker ${kind}`, viewBox: "0 0 10 10", refX: round ? 5 : 9,
          refY: 5, markerWidth: round ? 8 : 11, markerHeight: round ? 8 : 11, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" });
        marker.append(round ? graphElement("circle", { cx: 5, cy: 5, r: 3.6 }) : graphElement("path", { d: "M 0 0.8 L 10 5 L 0 9.2 z" }));
        defs.append(marker);
      }
    }
    return defs;
  }

  /** A thing that can be clicked or opened with the keyboard. */
  function clickable(id, kind, label, open, parts) {
    const group = graphElement("g", { "data-id": id, class: kind, tabindex: 0, role: "button", "aria-label": label });
    group.append(graphElement("title", {}, label), ...parts);
    const act = () => { select(id); open(); };
    group.addEventListener("click", act);
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
    return group;
  }

  const curve = (d, kind, ends) => graphElement("path", { d, class: `line ${kind}`,
    ...(ends !== "none" ? { "marker-end": `url(#${kind}-end)` } : {}), ...(ends === "both" ? { "marker-start": `url(#${kind}-start)` } : {}) });
  const touch = (d) => graphElement("path", { d, class: "touch" });
  const note = (middle, text) => graphElement("text", { x: middle.x, y: middle.y + 4, class: "edge-note" }, text);

  function edgeElement(edge, { d, middle }, id, required) {
    const { i, j, probability } = edge;
    const undecided = !edge.given && !required && isUndecided(result, i, j);
    const kind = edge.given || required ? "required" : undecided ? "undecided" : "cause";
    const reverse = result.probabilities[j][i];
    const label = edge.given ? `${result.names[i]} → ${result.names[j]}, given by you`
      : `${result.names[i]} → ${result.names[j]}, probability ${probability.toFixed(2)}${undecided ? `, undecided: reverse ${reverse.toFixed(2)}` : ""}`;
    const parts = [touch(d), strength(curve(d, kind, undecided ? "both" : "end"), probability)];
    if (undecided) parts.push(note(middle, `${probability.toFixed(2)} → ${reverse.toFixed(2)} ←`));
    return clickable(id, `edge ${kind}`, label, () => handlers.onEdge(edge), parts);
  }

  function strength(path, probability) {
    path.style.strokeWidth = `${(0.8 + 2.4 * probability).toFixed(2)}px`; // as properties: the page's policy refuses attributes
    path.style.strokeOpacity = (0.45 + 0.55 * probability).toFixed(2);
    return path;
  }

  function pairElement(pair, { d }, id) {
    const label = `${result.names[pair.i]} and ${result.names[pair.j]} share a hidden cause, probability ${pair.probability.toFixed(2)}`;
    return clickable(id, "edge hidden", label, () => handlers.onHidden(pair), [touch(d), curve(d, "hidden", "both")]);
  }

  function ruleElement(rule, { d, middle }, id) {
    const word = rule.kind === "required" ? "causes" : "does not cause";
    const parts = [touch(d), curve(d, rule.kind, rule.kind === "required" ? "end" : "none")];
    if (rule.kind === "forbidden") parts.push(note(middle, "✕"));
    return clickable(id, `edge rule ${rule.kind}`, `${result.names[rule.i]} ${word} ${result.names[rule.j]}, by your rule`,
      () => { if (handlers.onRule) handlers.onRule(rule); }, parts);
  }

  function nodeElement(k, { x, y, w, h }) {
    const role = roleOf(result, result.names[k]);
    const words = { root: ", nothing causes it", sink: ", it causes nothing", excluded: ", excluded", "": "" }[role];
    return clickable(`n${k}`, `node ${role}`, result.names[k] + words, () => handlers.onNode(k), [
      graphElement("rect", { x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 7 }),
      graphElement("text", { x, y: y + 4.5 }, labels[k].text)]);
  }

  /** Mark one thing and fade what is not near it; null marks nothing. */
  function select(id) {
    state.selected = id;
    svg.classList.toggle("fading", id !== null);
    for (const part of svg.querySelectorAll(".near, .selected")) part.classList.remove("near", "selected");
    const chosen = id && svg.querySelector(`[data-id="${id}"]`);
    if (!chosen) return;
    chosen.classList.add("selected", "near");
    const ends = (text) => (/^[ehr](\d+)-(\d+)$/.exec(text) || []).slice(1).map((k) => `n${k}`);
    const near = new Set(ends(id));
    for (const edge of svg.querySelectorAll(".edge")) {
      const both = ends(edge.dataset.id);
      if (!both.includes(id)) continue;
      edge.classList.add("near");
      both.forEach((end) => near.add(end));
    }
    for (const end of near) {
      const node = svg.querySelector(`[data-id="${end}"]`);
      if (node) node.classList.add("near");
    }
  }

  let [lastWidth, pending] = [container.clientWidth, 0];
  const observer = typeof ResizeObserver === "undefined" ? null : new ResizeObserver(() => {
    if (container.clientWidth === lastWidth || !container.clientWidth) return;
    lastWidth = container.clientWidth;
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(redraw);
  });
  if (observer) observer.observe(container);
  redraw();

  return {
    edges: () => state.edges,
    setThreshold(value) { state.threshold = value; redraw(); },
    showHidden(value) { state.hidden = value; redraw(); },
    showStrongest(count) { state.strongest = count; redraw(); },
    /** Draw a column and its neighbors alone; null draws all again. */
    focusOn(index) { state.focus = index; redraw(); },
    zoomBy(factor) { state.zoom = Math.min(3, Math.max(0.25, state.zoom * factor)); scale(); },
    /** The whole graph in sight, without shrinking its names below 11 pixels. */
    fit() {
      state.focus = null;
      state.zoom = 1;
      redraw();
      state.zoom = Math.min(1, Math.max(11 / 13, container.clientHeight / size.height));
      scale();
      select(null);
    },
    redraw,
    select(id) {
      select(id);
      const chosen = svg.querySelector(`[data-id="${id}"]`);
      if (chosen) chosen.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
    svg: () => standaloneSvg(svg, size),
    destroy() { if (observer) observer.disconnect(); },
  };
}

/** The drawing as the text of an SVG file: the page's styles become attributes. */
function standaloneSvg(svg, { width, height }) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.removeAttribute("class");
  const [from, to] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  const wanted = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "font-family", "font-size", "text-anchor", "paint-order"];
  from.forEach((node, k) => {
    const style = getComputedStyle(node);
    for (const name of wanted) if (["path", "rect", "circle", "text"].includes(node.localName)) to[k].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "role", "data-id", "aria-label"]) to[k].removeAttribute(name);
  });
  for (const path of copy.querySelectorAll("path")) if (path.getAttribute("stroke") === "rgba(0, 0, 0, 0)" || path.getAttribute("stroke") === "none" && path.getAttribute("fill") === "none") path.remove();
  return new XMLSerializer().serializeToString(copy);
}

/** Wire the controls over a graph: search, strongest edges, hidden causes, zoom, and copying. `current` gives the view. */
function bindGraphControls(byId, current) {
  byId("hidden").addEventListener("change", (event) => current().view.showHidden(event.target.checked));
  byId("strongest").addEventListener("change", (event) => {
    const count = Math.max(1, Math.round(Number(event.target.value)) || MANY_EDGES);
    event.target.value = count;
    current().view.showStrongest(count);
  });
  byId("fit").addEventListener("click", () => current().view.fit());
  byId("zoom-in").addEventListener("click", () => current().view.zoomBy(1.25));
  byId("zoom-out").addEventListener("click", () => current().view.zoomBy(0.8));
  byId("search").addEventListener("change", (event) => {
    const { result, open } = current();
    const index = result.names.indexOf(event.target.value);
    if (index >= 0) open(index);
  });
  byId("copy-svg").addEventListener("click", async () => {
    const text = current().view.svg();
    const button = byId("copy-svg");
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch { // no permission, or no secure page: a file does as well
      const link = document.createElement("a");
      link.href = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
      link.download = "graph.svg";
      link.click();
      button.textContent = "Saved";
    }
    setTimeout(() => { button.textContent = before; }, 1500);
  });
}

/** Offer the columns of a result to the search field. */
function fillSearch(byId, names) {
  byId("search").value = "";
  byId("search-names").replaceChildren(...names.map((name) => { const option = document.createElement("option"); option.value = name; return option; }));
}
