"use strict";
/* What the answer holds at a threshold: edges, their directions, and confounded pairs. No drawing here. */

const MIN_AGREEMENT = 0.5; // share of passes an edge must stand in; the same as in inference/protocol.py

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

/** The graph by the rule of inference/protocol.py.
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

const UNDECIDED = 0.65; // share of both directions below which neither is settled; the same as in diagnostics/graph.py

/** Whether the direction of an edge is open: the reverse is nearly as probable. */
function isUndecided(result, i, j) {
  if (isGiven(result, "required", i, j) || isGiven(result, "forbidden", j, i)) return false;
  const [forward, backward] = [result.probabilities[i][j], result.probabilities[j][i]];
  return forward / Math.max(forward + backward, 1e-300) < UNDECIDED;
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
