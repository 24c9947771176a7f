"use strict";
/* The panel that explains what was clicked. Text is set as text, never as markup: column names may hold anything. */

function element(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key === "class") node.className = value;
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function percent(value) {
  return `${Math.round(100 * value)}%`;
}

const IN_FULL = 3; // the same as in findings/finding.py

/** Findings, the most serious first; all but the first three are folded. `fixButton(finding)` may add a button. */
function findingsList(findings, fixButton) {
  const list = (some) => element("ul", { class: "findings" }, ...some.map((finding) => element("li",
    { class: finding.severity, "data-code": finding.code }, element("span", {}, finding.message), fixButton ? fixButton(finding) : null)));
  const box = element("div", {}, list(findings.slice(0, IN_FULL)));
  const folded = findings.slice(IN_FULL);
  if (folded.length) box.append(element("details", {}, element("summary", {}, `${folded.length} more`), list(folded)));
  return box;
}

function facts(rows) {
  const list = element("dl", { class: "facts" });
  for (const [term, value] of rows) list.append(element("dt", {}, term), element("dd", {}, value));
  return list;
}

/** How sure, in words: what a reader may say aloud about the number. */
function inWords(probability) {
  if (probability >= 0.9) return "very likely";
  if (probability >= 0.7) return "likely";
  if (probability >= 0.5) return "more likely than not";
  if (probability >= 0.2) return "possible, not established";
  return probability >= 0.05 ? "unlikely" : "very unlikely";
}

const FAR_LESS = 0.1;

/** What may be said about the edge i -> j, in sentences: first what the user knew, then what the columns say. */
function edgeVerdict(result, i, j) {
  if (isGiven(result, "required", i, j)) return "Given by you: this edge was required, not discovered.";
  if (isGiven(result, "forbidden", i, j)) {
    return `Excluded by your knowledge.${isGiven(result, "required", j, i) ? " You required the reverse." : ""}`;
  }
  const aside = setAside(result, i, j);
  if (aside) return aside;
  const [forward, backward] = [result.probabilities[i][j], result.probabilities[j][i]];
  const sure = `A direct effect is ${inWords(forward)}.`;
  if (isGiven(result, "forbidden", j, i)) return `${sure} The reverse is excluded by your knowledge.`;
  const drawn = result.adjacency[i][j] || result.adjacency[j][i];
  if (!drawn && Math.max(forward, backward) < 0.05) return sure; // no edge, no direction
  const share = forward / Math.max(forward + backward, 1e-300);
  if (share >= UNDECIDED) return sure;
  if (share > 1 - UNDECIDED) return `${sure} The direction is undecided: the reverse is about as probable.`;
  return `${sure} The reverse is ${share < FAR_LESS ? "far " : ""}more probable.`;
}

/** A sentence when one of the two columns took no part, "" otherwise: then nothing was found out about the pair. */
function setAside(result, i, j) {
  const column = (result.columns || []).find((info) => info.role !== "variable"
    && (info.name === result.names[i] || info.name === result.names[j]));
  return column ? `Not examined: ${column.name} is ${column.role} (${column.reason}).` : "";
}

/** A sentence when the user said that nothing causes one of the two, "" otherwise: they then share no hidden cause. */
function rootSaid(result, i, j) {
  const root = ((result.knowledge || {}).roots || []).find((name) => name === result.names[i] || name === result.names[j]);
  return root === undefined ? "" : `Excluded by your knowledge: nothing causes ${root}.`;
}

/** What the statistics of a pair rest on when cells are missing, in words; "" when none are. */
function restsOn(result, i, j) {
  const gaps = (result.columns || []).some((info) => info.missing > 0
    && (info.name === result.names[i] || info.name === result.names[j]));
  if (!gaps) return "";
  const figures = Object.values(result.evidence).some((matrix) => matrix[i][j] !== null || matrix[j][i] !== null);
  if (!figures) return "The two columns are hardly ever observed in the same row, so there is nothing to compare. ";
  const filled = ((result.provenance || {}).data || {}).gaps;
  return filled ? `Missing cells were ${filled} for these figures. ` : "";
}

/** Statistics that are smaller the right way round in most systems; the same list as in evidence.py. */
const SMALLER_SPEAKS_FOR = ["variance left unexplained", "what is left depends on the cause",
  "entropy of the cause and of what is left"];
/** Those that are larger the right way round, in standard errors; only series have them. */
const LARGER_SPEAKS_FOR = ["foretells the other a row later"];
const TOO_WEAK = 2.5; // standard errors that say nothing

/** "for", "against" or "neither": what a statistic says about the direction as drawn; "" when it cannot say. */
function speaks(name, forward, backward) {
  if (forward === null || backward === null) return "";
  if (LARGER_SPEAKS_FOR.includes(name)) {
    if (Math.max(forward, backward) < TOO_WEAK || Math.abs(forward - backward) < 1) return "neither";
    return forward > backward ? "for" : "against";
  }
  if (!SMALLER_SPEAKS_FOR.includes(name)) return "";
  if (Math.abs(forward - backward) <= 0.02 * Math.max(Math.abs(forward), Math.abs(backward), 0.01)) return "neither";
  return forward < backward ? "for" : "against";
}

function evidenceTable(result, i, j) {
  const names = Object.keys(result.evidence || {});
  if (!names.length || setAside(result, i, j)) return null;
  const body = element("tbody");
  const show = (value) => (value === null ? "–" : Math.abs(value) < 1000 ? value.toFixed(2) : value.toExponential(1));
  for (const name of names) {
    const [forward, backward] = [result.evidence[name][i][j], result.evidence[name][j][i]];
    const same = forward !== null && backward !== null && Math.abs(forward - backward) < 1e-6;
    const word = speaks(name, forward, backward);
    body.append(element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, show(forward)),
      element("td", {}, same ? "same" : show(backward)), element("td", { class: `speaks ${word}` }, word)));
  }
  return element("details", { open: "" }, element("summary", {}, "What the columns say"),
    element("table", { class: "evidence" },
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "statistic"),
        element("th", { scope: "col" }, "as drawn"), element("th", { scope: "col" }, "reversed"),
        element("th", { scope: "col" }, "speaks"))), body),
    element("p", { class: "soft" }, restsOn(result, i, j) + "For and against the direction as drawn, by rules of thumb: in most systems a cause "
      + "leaves less unexplained, what is left does not depend on it, and in a series a cause comes first. The network weighs many more statistics, "
      + "and all columns at once."));
}

function edgeDetails(result, i, j) {
  const [forward, backward] = [result.probabilities[i][j], result.probabilities[j][i]];
  const told = (cause, effect, text) => (isGiven(result, "required", cause, effect) ? "given by you"
    : isGiven(result, "forbidden", cause, effect) ? "excluded by you" : text);
  const passes = `${percent(result.agreement[i][j])} of the passes`;
  return element("div", {},
    element("h3", {}, `${result.names[i]} → ${result.names[j]}`),
    element("p", { class: "verdict" }, edgeVerdict(result, i, j)),
    facts([
      ["probability", told(i, j, percent(forward))], ["reverse direction", told(j, i, percent(backward))],
      ["either direction", percent(result.existence[i][j])],
      ...(told(i, j, passes) === passes ? [["appears in", passes]] : []),
      ["hidden common cause", hiddenChance(result, i, j)],
    ]),
    pairPlot(result, i, j), evidenceTable(result, i, j));
}

function hiddenChance(result, i, j) {
  return rootSaid(result, i, j) ? "excluded by you" : percent(result.confounding[i][j]);
}

function hiddenDetails(result, i, j) {
  return element("div", {},
    element("h3", {}, `${result.names[i]} ⇠⇢ ${result.names[j]}`),
    element("p", { class: "verdict" }, rootSaid(result, i, j) || setAside(result, i, j)
      || `That something outside the table drives both is ${inWords(result.confounding[i][j])}.`),
    facts([["hidden common cause", hiddenChance(result, i, j)],
      [`${result.names[i]} → ${result.names[j]}`, percent(result.probabilities[i][j])],
      [`${result.names[j]} → ${result.names[i]}`, percent(result.probabilities[j][i])]]),
    pairPlot(result, i, j), evidenceTable(result, i, j));
}

/** Facts about a column; `focus`, if given, is called to draw it and its neighbors alone. */
function nodeDetails(result, index, edges, focus) {
  const listed = (items) => (items.length ? items.map((k) => result.names[k]).join(", ") : "none");
  const column = (result.columns || []).find((info) => info.name === result.names[index]);
  const rows = [
    ["direct causes", listed(edges.filter((edge) => edge.j === index).map((edge) => edge.i))],
    ["direct effects", listed(edges.filter((edge) => edge.i === index).map((edge) => edge.j))],
  ];
  if (column) {
    rows.push(["read as", column.kind], ["encoding", column.encoding], ["missing", percent(column.missing)],
      ["distinct values", String(column.distinct)]);
    if (column.reason) rows.push([column.role, column.reason]);
  }
  const box = element("div", {}, element("h3", {}, result.names[index]), facts(rows));
  if (focus) {
    const button = element("button", { type: "button", class: "focus" }, "Show only its neighbors");
    button.addEventListener("click", focus);
    box.append(button);
  }
  return box;
}

/** Rows of the table of edges, most probable first; open(i, j) is called on a click. Given edges carry no numbers. */
function edgeRows(result, edges, open) {
  return [...edges].sort((a, b) => b.probability - a.probability).map(({ i, j, probability, given }) => {
    const button = element("button", { type: "button", class: "link" }, `${result.names[i]} → ${result.names[j]}`);
    button.addEventListener("click", () => open(i, j));
    const numbers = given ? ["given by you", "–", "–"]
      : [probability.toFixed(2), result.probabilities[j][i].toFixed(2), percent(result.agreement[i][j])];
    return element("tr", {}, element("td", {}, button), ...numbers.map((text) => element("td", {}, text)));
  });
}

/** The panel over the graph: show(...content) opens it, hide() closes it. `onClose` follows the close button and Escape. */
function detailsPanel(panel, onClose) {
  const hide = () => { panel.hidden = true; panel.replaceChildren(); };
  const close = () => { hide(); onClose(); };
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !panel.hidden) close(); });
  return {
    hide,
    show(...content) {
      const button = element("button", { type: "button", class: "close", "aria-label": "Close the details" }, "✕");
      button.addEventListener("click", close);
      panel.replaceChildren(button, ...content);
      panel.hidden = false;
    },
  };
}

/** One sentence that says what was discovered. */
function headline(result) {
  const edges = [...(result.edges || [])].sort((a, b) => b.probability - a.probability);
  if (!edges.length) return `No edge among ${result.names.length} columns is probable enough to be shown`;
  const [{ cause, effect, probability }] = edges;
  const count = `${edges.length} ${edges.length === 1 ? "edge" : "edges"} among ${result.names.length} columns`;
  return `${count}, most probably ${cause} → ${effect} (${percent(probability)})`;
}
