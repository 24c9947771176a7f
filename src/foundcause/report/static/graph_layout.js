"use strict";
/* Places for the nodes of a graph in a given width: causes above effects, long rows wrapped, edges led around nodes. */

const ROW = { least: 66, most: 120, height: 30 };
const GAP = { least: 26, most: 190 };

/**
 * Layers by the longest path, ordered by barycenters. `nodes` are indices, `edges` { i, j } between them (acyclic),
 * `widths` the width of each box by index. Returns { places: Map(index -> { x, y }), width, height }.
 */
function layeredLayout(nodes, edges, widths, width, leastHeight) {
  const inside = new Set(nodes);
  const causes = new Map(nodes.map((k) => [k, []]));
  const effects = new Map(nodes.map((k) => [k, []]));
  for (const { i, j } of edges) {
    if (!inside.has(i) || !inside.has(j)) continue;
    causes.get(j).push(i);
    effects.get(i).push(j);
  }
  const linked = nodes.filter((k) => causes.get(k).length + effects.get(k).length);
  const lonely = nodes.filter((k) => !linked.includes(k));
  const layers = orderedLayers(layersOf(linked, causes, effects), causes, effects);
  const rows = [];
  for (const layer of layers) rows.push(...wrapped(layer, widths, width));
  const graphRows = rows.length;
  rows.push(...wrapped(lonely, widths, width));
  const steps = Math.max(rows.length - 1, 1);
  const step = Math.min(ROW.most, Math.max(ROW.least, (leastHeight - 2 * ROW.height) / steps));
  const places = new Map();
  let y = ROW.height;
  rows.forEach((row, at) => {
    spreadRow(row, widths, width, at, rows.length).forEach((x, k) => places.set(row[k], { x, y }));
    y += at + 1 < graphRows ? step : ROW.least - 14;
  });
  pullTogether(rows.slice(0, graphRows), places, causes, effects, widths, width);
  const height = rows.length ? Math.max(...[...places.values()].map((place) => place.y)) + ROW.height : leastHeight;
  return { places, width, height };
}

/** Each node one layer below its lowest cause; causes of nothing else stand just above their first effect. */
function layersOf(nodes, causes, effects) {
  const depth = new Map();
  const waiting = new Map(nodes.map((k) => [k, causes.get(k).length]));
  const ready = nodes.filter((k) => waiting.get(k) === 0);
  for (let at = 0; at < ready.length; at++) {
    const k = ready[at];
    depth.set(k, Math.max(0, ...causes.get(k).map((cause) => depth.get(cause) + 1)));
    for (const effect of effects.get(k)) {
      waiting.set(effect, waiting.get(effect) - 1);
      if (waiting.get(effect) === 0) ready.push(effect);
    }
  }
  for (const k of ready) {
    if (!causes.get(k).length && effects.get(k).length) depth.set(k, Math.min(...effects.get(k).map((effect) => depth.get(effect))) - 1);
  }
  const layers = [];
  for (const k of ready) (layers[depth.get(k)] = layers[depth.get(k)] || []).push(k);
  return layers.filter(Boolean);
}

/** The order within each layer that keeps edges short, by repeated barycenters. */
function orderedLayers(layers, causes, effects) {
  const at = new Map();
  const number = (layer) => layer.forEach((k, place) => at.set(k, place - (layer.length - 1) / 2));
  layers.forEach(number);
  for (let sweep = 0; sweep < 12; sweep++) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      const center = new Map(layer.map((k) => {
        const near = (down ? causes : effects).get(k);
        return [k, near.length ? near.reduce((sum, other) => sum + at.get(other), 0) / near.length : at.get(k)];
      }));
      layer.sort((a, b) => center.get(a) - center.get(b) || a - b);
      number(layer);
    }
  }
  return layers;
}

/** A layer as rows that fit into the width. */
function wrapped(layer, widths, width) {
  const rows = [];
  let used = Infinity;
  for (const k of layer) {
    if (used + widths[k] + GAP.least > width - GAP.least) {
      rows.push([]);
      used = 0;
    }
    rows[rows.length - 1].push(k);
    used += widths[k] + GAP.least;
  }
  // Equal rows look better than a full one and a rest.
  const even = Math.ceil(layer.length / Math.max(rows.length, 1));
  const fits = (row) => row.reduce((sum, k) => sum + widths[k] + GAP.least, 0) <= width - GAP.least;
  const balanced = rows.map((_, r) => layer.slice(r * even, (r + 1) * even)).filter((row) => row.length);
  return balanced.every(fits) ? balanced : rows;
}

/** Centers of the boxes of a row. A lone box steps aside in turns, because long edges would run behind it. */
function spreadRow(row, widths, width, at, rows) {
  const total = row.reduce((sum, k) => sum + widths[k], 0);
  const gap = row.length > 1 ? Math.min(GAP.most, Math.max(GAP.least, (0.92 * width - total) / (row.length - 1))) : 0;
  const sway = row.length === 1 && rows > 2 ? Math.min(0.16 * width, 150) * Math.sin(1.9 * at) : 0;
  let left = (width - total - gap * (row.length - 1)) / 2 + sway;
  return row.map((k) => {
    const x = left + widths[k] / 2;
    left += widths[k] + gap;
    return x;
  });
}

/** Move boxes towards their neighbors without changing the order of a row or letting boxes touch. */
function pullTogether(rows, places, causes, effects, widths, width) {
  for (let sweep = 0; sweep < 8; sweep++) {
    for (const row of sweep % 2 ? [...rows].reverse() : rows) {
      if (row.length < 2) continue;
      const wanted = row.map((k) => {
        const near = [...causes.get(k), ...effects.get(k)].map((other) => places.get(other).x);
        const mean = near.reduce((sum, x) => sum + x, 0) / Math.max(near.length, 1);
        return near.length ? 0.5 * mean + 0.5 * places.get(k).x : places.get(k).x;
      });
      const room = (width - row.reduce((sum, k) => sum + widths[k], 0)) / row.length;
      const gap = Math.max(GAP.least, Math.min(0.6 * room, 0.75 * GAP.most));
      const apart = (k) => (widths[row[k]] + widths[row[k - 1]]) / 2 + gap;
      const wish = [...wanted];
      for (let k = 1; k < row.length; k++) wish[k] = Math.max(wish[k], wish[k - 1] + apart(k));
      const last = row.length - 1;
      const shift = row.reduce((sum, _, k) => sum + wanted[k] - wish[k], 0) / row.length;
      wish.forEach((x, k) => { wish[k] = x + shift; });
      wish[last] = Math.min(wish[last], width - widths[row[last]] / 2 - 4);
      for (let k = last - 1; k >= 0; k--) wish[k] = Math.min(wish[k], wish[k + 1] - apart(k + 1));
      const over = widths[row[0]] / 2 + 4 - wish[0];
      row.forEach((k, place) => { places.get(k).x = wish[place] + Math.max(over, 0); });
    }
  }
}

const BOWS = [0, 36, -36, 72, -72, 120, -120, 180, -180];
const SAMPLES = 14;

/** How far the curve from a to b is bent so that it runs behind as few boxes as possible; `least` is its smallest bow. */
function bowOf(a, b, boxes, least) {
  let [best, fewest] = [least, Infinity];
  for (const bow of BOWS) {
    if (Math.abs(bow) < least) continue;
    const control = controlPoint(a, b, bow);
    let hits = Math.abs(bow) / 1000;
    for (const box of boxes) {
      for (let k = 1; k < SAMPLES; k++) {
        const p = pointAt(a, control, b, k / SAMPLES);
        if (Math.abs(p.x - box.x) < box.w / 2 + 5 && Math.abs(p.y - box.y) < box.h / 2 + 5) {
          hits += 1;
          break;
        }
      }
    }
    if (hits < fewest) [best, fewest] = [bow, hits];
    if (hits < 1) break;
  }
  return best;
}

function controlPoint(a, b, bow) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = Math.hypot(dx, dy) || 1;
  return { x: (a.x + b.x) / 2 - (dy / length) * bow, y: (a.y + b.y) / 2 + (dx / length) * bow };
}

function pointAt(a, control, b, t) {
  const [u, v, w] = [(1 - t) ** 2, 2 * t * (1 - t), t ** 2];
  return { x: u * a.x + v * control.x + w * b.x, y: u * a.y + v * control.y + w * b.y };
}

/** The part of a curve between two boxes, as the data of an SVG path. */
function pathBetween(a, b, bow) {
  const control = controlPoint(a, b, bow);
  const outside = (p, box) => Math.abs(p.x - box.x) > box.w / 2 + 3 || Math.abs(p.y - box.y) > box.h / 2 + 3;
  let [start, end] = [0, 1];
  while (start < 0.5 && !outside(pointAt(a, control, b, start), a)) start += 0.01;
  while (end > 0.5 && !outside(pointAt(a, control, b, end), b)) end -= 0.01;
  const [p, q] = [pointAt(a, control, b, start), pointAt(a, control, b, end)];
  // The control point of a part of a quadratic curve.
  const s = { x: a.x + (control.x - a.x) * start, y: a.y + (control.y - a.y) * start };
  const t = { x: control.x + (b.x - control.x) * start, y: control.y + (b.y - control.y) * start };
  const c = { x: s.x + (t.x - s.x) * end, y: s.y + (t.y - s.y) * end };
  const text = (point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
  return { d: `M ${text(p)} Q ${text(c)} ${text(q)}`, middle: pointAt(a, control, b, 0.5) };
}
