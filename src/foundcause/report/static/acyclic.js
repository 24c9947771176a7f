"use strict";
/* The acyclic subgraph of greatest weight: the twin of decode/acyclic.py, so that the slider decodes as the package does.
 *
 * Matrices are arrays of rows; a weight of zero is no candidate. Cycles live inside knots (strongly connected components):
 * small ones are solved exactly over subsets, large ones improve the greedy order until no single move helps.
 */

const EXACT_SIZE = 12;
const MAX_SWEEPS = 100;

/** Chosen edges as rows of booleans; every required edge (rows of booleans, itself acyclic) is kept. */
function maximumAcyclic(weights, required) {
  const total = weights.flat().reduce((sum, weight) => sum + weight, 0);
  // Heavier than all others together: no solution may trade a required edge away.
  const heavy = weights.map((row, i) => row.map((weight, j) => (required[i][j] ? weight + total + 1 : weight)));
  const chosen = heavy.map((row) => row.map((weight) => weight > 0));
  for (const knot of knots(chosen)) {
    const order = bestOrder(knot.map((i) => knot.map((j) => heavy[i][j])));
    const place = new Map(order.map((member, k) => [knot[member], k]));
    for (const i of knot) for (const j of knot) if (place.get(i) >= place.get(j)) chosen[i][j] = false;
  }
  return chosen;
}

/** Edges of positive weight, heaviest first, each unless it closes a cycle with those before. */
function greedyAcyclic(weights) {
  const candidates = [];
  weights.forEach((row, i) => row.forEach((weight, j) => { if (weight > 0 && i !== j) candidates.push({ i, j, weight }); }));
  candidates.sort((a, b) => b.weight - a.weight);
  const chosen = weights.map((row) => row.map(() => false));
  for (const { i, j } of candidates) if (!reachable(chosen, j).has(i)) chosen[i][j] = true;
  return chosen;
}

/** Everything a path leads to from `start`, itself included. */
function reachable(edges, start) {
  const seen = new Set([start]);
  const stack = [start];
  while (stack.length) {
    edges[stack.pop()].forEach((linked, next) => {
      if (!linked || seen.has(next)) return;
      seen.add(next);
      stack.push(next);
    });
  }
  return seen;
}

/** Members of each strongly connected component of at least two variables. */
function knots(edges) {
  const reach = edges.map((_, v) => reachable(edges, v));
  return edges.map((_, v) => [...edges.keys()].filter((w) => reach[v].has(w) && reach[w].has(v)))
    .filter((members, v) => members.length > 1 && members[0] === v);
}

function bestOrder(weights) {
  if (weights.length <= EXACT_SIZE) return exactOrder(weights);
  const out = weights.map((row) => row.reduce((sum, weight) => sum + weight, 0));
  const into = weights.map((_, v) => weights.reduce((sum, row) => sum + row[v], 0));
  const byBalance = [...weights.keys()].sort((a, b) => into[a] - out[a] - (into[b] - out[b]));
  const orders = [topological(greedyAcyclic(weights)), byBalance].map((order) => improve(weights, order));
  return forward(weights, orders[1]) > forward(weights, orders[0]) ? orders[1] : orders[0];
}

/** Weight of the edges that point forward in the order. */
function forward(weights, order) {
  return order.reduce((sum, i, k) => sum + order.slice(k + 1).reduce((part, j) => part + weights[i][j], 0), 0);
}

/** The order of greatest forward weight: best[S] = max over the last v of S of best[S - v] + weight(S - v -> v). */
function exactOrder(weights) {
  const n = weights.length;
  const into = new Float64Array(n << n); // into[S * n + v]: weight from the members of S into v
  const best = new Float64Array(1 << n);
  const last = new Int8Array(1 << n);
  for (let S = 1; S < 1 << n; S++) {
    const u = 31 - Math.clz32(S);
    const rest = S ^ (1 << u);
    best[S] = -1;
    for (let v = 0; v < n; v++) {
      into[S * n + v] = into[rest * n + v] + weights[u][v];
      const without = S ^ (1 << v);
      if (!(S & (1 << v)) || best[without] + into[without * n + v] <= best[S]) continue;
      best[S] = best[without] + into[without * n + v];
      last[S] = v;
    }
  }
  const order = [];
  for (let S = (1 << n) - 1; S; S ^= 1 << order[0]) order.unshift(last[S]);
  return order;
}

function topological(edges) {
  const waiting = edges.map((_, v) => edges.filter((row) => row[v]).length);
  const order = [...edges.keys()].filter((v) => waiting[v] === 0);
  for (let k = 0; k < order.length; k++) {
    edges[order[k]].forEach((linked, child) => { if (linked && --waiting[child] === 0) order.push(child); });
  }
  return order;
}

/** Move one variable at a time to its best place until nothing is gained. */
function improve(weights, start) {
  let order = start;
  for (let sweep = 0, improved = true; improved && sweep < MAX_SWEEPS; sweep++) {
    improved = false;
    for (let v = 0; v < order.length; v++) {
      const at = order.indexOf(v);
      const others = order.filter((member) => member !== v);
      // Placed at position p, v receives from the first p others and gives to the rest.
      const value = [others.reduce((sum, other) => sum + weights[v][other], 0)];
      others.forEach((other, p) => value.push(value[p] + weights[other][v] - weights[v][other]));
      const place = value.indexOf(Math.max(...value));
      if (value[place] <= value[at] + 1e-12 * Math.max(1, Math.abs(value[at]))) continue;
      order = [...others.slice(0, place), v, ...others.slice(place)];
      improved = true;
    }
  }
  return order;
}
