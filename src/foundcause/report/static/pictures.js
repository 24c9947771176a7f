"use strict";
/* Small pictures drawn without libraries: the data of two columns, and a heat map of a matrix. */

const SVG = "http://www.w3.org/2000/svg";
const FRAME = { width: 320, height: 230, left: 46, right: 8, top: 8, bottom: 36 };
const FEW_VALUES = 6; // numbers with so few values are drawn like categories
const MOST_CATEGORIES = 12;

function svgElement(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const shortNumber = (value) => Number(value.toPrecision(3)).toString();

/** The rows of columns i and j as the plot that suits their kinds: points, boxes or a mosaic. */
function pairPlot(result, i, j) {
  const figure = document.createElement("figure");
  figure.className = "scatter";
  const rows = (result.preview || []).filter((row) => row[i] !== null && row[j] !== null).map((row) => [row[i], row[j]]);
  if (rows.length < 2) {
    figure.className += " empty";
    figure.textContent = result.preview ? "Hardly any row shows both columns."
      : "This report contains no rows of the table, so there is no plot. To include some: --embed-rows 400";
    return figure;
  }
  const [across, up] = [isCategory(result, i, rows.map(([x]) => x)), isCategory(result, j, rows.map(([, y]) => y))];
  const [word, draw] = across && up ? ["Mosaic", mosaic] : across ? ["Box plots", boxes]
    : up ? ["Box plots", (svg, pairs, scale) => boxes(svg, pairs.map(([x, y]) => [y, x]), scale)] : ["Scatter plot", points];
  const swapped = up && !across; // categories stand side by side, whichever column they are of
  const [first, second] = swapped ? [j, i] : [i, j];
  const label = `${word} of ${result.names[second]} by ${result.names[first]}, ${rows.length} rows`;
  const svg = svgElement("svg", { viewBox: `0 0 ${FRAME.width} ${FRAME.height}`, role: "img", "aria-label": label });
  const inner = { width: FRAME.width - FRAME.left - FRAME.right, height: FRAME.height - FRAME.top - FRAME.bottom };
  svg.append(svgElement("rect", { x: FRAME.left, y: FRAME.top, width: inner.width, height: inner.height, class: "frame" }));
  draw(svg, rows, inner);
  const middle = FRAME.top + inner.height / 2;
  svg.append(svgElement("text", { x: FRAME.left + inner.width / 2, y: FRAME.height - 4, class: "axis", "text-anchor": "middle" }, axisName(result.names[first])));
  svg.append(svgElement("text", { x: 11, y: middle, class: "axis", "text-anchor": "middle", transform: `rotate(-90 11 ${middle})` }, axisName(result.names[second])));
  figure.append(svg);
  return figure;
}

const axisName = (name) => (name.length > 34 ? `${name.slice(0, 17)}…${name.slice(-16)}` : name);

function isCategory(result, index, values) {
  const column = (result.columns || []).find((info) => info.name === result.names[index]) || {};
  const levels = new Set(values).size;
  if (["binary", "nominal", "ordinal"].includes(column.kind)) return levels <= MOST_CATEGORIES;
  return levels <= FEW_VALUES;
}

function spread(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = (high - low || 1) * 0.06;
  return [low - margin, high + margin];
}

function tick(svg, x, y, text, anchor) {
  svg.append(svgElement("text", { x, y, class: "tick", "text-anchor": anchor }, text));
}

function verticalScale(svg, values, inner) {
  const [low, high] = spread(values);
  const up = (value) => FRAME.top + inner.height - ((value - low) / (high - low)) * inner.height;
  for (const value of [Math.min(...values), Math.max(...values)]) tick(svg, FRAME.left - 4, up(value) + 3, shortNumber(value), "end");
  return up;
}

function points(svg, rows, inner) {
  const xs = rows.map(([x]) => x);
  const up = verticalScale(svg, rows.map(([, y]) => y), inner);
  const [low, high] = spread(xs);
  const across = (x) => FRAME.left + ((x - low) / (high - low)) * inner.width;
  for (const [x, y] of rows) svg.append(svgElement("circle", { cx: across(x).toFixed(1), cy: up(y).toFixed(1), r: 2, class: "dot" }));
  const bottom = FRAME.top + inner.height + 13;
  tick(svg, FRAME.left, bottom, shortNumber(Math.min(...xs)), "start");
  tick(svg, FRAME.left + inner.width, bottom, shortNumber(Math.max(...xs)), "end");
}

function quantile(sorted, share) {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
}

/** Box plots of the second value for each level of the first; whiskers reach to the farthest value within 1.5 boxes. */
function boxes(svg, rows, inner) {
  const levels = [...new Set(rows.map(([x]) => x))].sort((a, b) => a - b);
  const up = verticalScale(svg, rows.map(([, y]) => y), inner);
  const slot = inner.width / levels.length;
  levels.forEach((level, k) => {
    const values = rows.filter(([x]) => x === level).map(([, y]) => y).sort((a, b) => a - b);
    const [q1, q2, q3] = [0.25, 0.5, 0.75].map((share) => quantile(values, share));
    const reach = 1.5 * (q3 - q1);
    const inside = values.filter((value) => value >= q1 - reach && value <= q3 + reach);
    const middle = FRAME.left + (k + 0.5) * slot;
    const half = Math.min(0.3 * slot, 24);
    svg.append(svgElement("line", { x1: middle, x2: middle, y1: up(inside[0]), y2: up(inside[inside.length - 1]), class: "whisker" }),
      svgElement("rect", { x: middle - half, width: 2 * half, y: up(q3), height: Math.max(up(q1) - up(q3), 1), class: "box" }),
      svgElement("line", { x1: middle - half, x2: middle + half, y1: up(q2), y2: up(q2), class: "median" }));
    for (const value of values) {
      if (value < q1 - reach || value > q3 + reach) svg.append(svgElement("circle", { cx: middle, cy: up(value), r: 1.6, class: "dot" }));
    }
    tick(svg, middle, FRAME.top + inner.height + 13, shortNumber(level), "middle");
  });
}

/** Widths by the shares of the first column's levels, heights by those of the second among them. */
function mosaic(svg, rows, inner) {
  const levels = (at) => [...new Set(rows.map((row) => row[at]))].sort((a, b) => a - b);
  const [first, second] = [levels(0), levels(1)];
  let left = FRAME.left;
  for (const x of first) {
    const column = rows.filter((row) => row[0] === x);
    const width = (column.length / rows.length) * inner.width;
    let bottom = FRAME.top + inner.height;
    second.forEach((y, k) => {
      const share = column.filter((row) => row[1] === y).length / column.length;
      const height = share * inner.height;
      bottom -= height;
      const tile = svgElement("rect", { x: left + 0.5, y: bottom + 0.5, width: Math.max(width - 1, 0.5), height: Math.max(height - 1, 0),
        class: "tile", "fill-opacity": (0.2 + (0.75 * k) / Math.max(second.length - 1, 1)).toFixed(2) });
      tile.append(svgElement("title", {}, `${shortNumber(y)}: ${Math.round(100 * share)}% of ${column.length}`));
      svg.append(tile);
      if (x === first[0] && height > 11) tick(svg, FRAME.left - 4, bottom + height / 2 + 3, shortNumber(y), "end");
    });
    if (width > 14) tick(svg, left + width / 2, FRAME.top + inner.height + 13, shortNumber(x), "middle");
    left += width;
  }
}

/** Heat map of a D x D matrix in [0, 1] on one canvas; onCell(i, j) is called on click. */
function heatMap(names, matrix, variable, rowWord, onCell) {
  const D = names.length;
  const cell = Math.max(4, Math.min(26, Math.floor(560 / D)));
  const font = Math.min(12, cell + 1);
  const labelled = font >= 7;
  const short = (name) => (name.length > 18 ? `${name.slice(0, 9)}…${name.slice(-8)}` : name);
  const margin = labelled ? Math.min(130, 14 + 0.58 * font * Math.max(...names.map((name) => short(name).length))) : 4;
  const size = Math.ceil(margin + D * cell + 4);
  const canvas = document.createElement("canvas");
  canvas.className = "heat";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `Matrix of ${D} by ${D} probabilities`);
  Object.assign(canvas.dataset, { cell, margin, size });
  const sharp = Math.min(3, Math.max(2, globalThis.devicePixelRatio || 1));
  canvas.width = canvas.height = size * sharp;
  canvas.style.maxWidth = `${size}px`; // as a property: the web page's policy refuses style attributes
  function draw() {
    const style = getComputedStyle(document.documentElement);
    const pen = canvas.getContext("2d");
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, size, size);
    pen.font = `${font}px system-ui, sans-serif`;
    pen.fillStyle = style.getPropertyValue("--soft");
    if (labelled) {
      names.forEach((name, k) => {
        const middle = margin + (k + 0.5) * cell;
        pen.textAlign = "right";
        pen.fillText(short(name), margin - 4, middle + font / 3);
        pen.save();
        pen.translate(middle + font / 3, margin - 4);
        pen.rotate(-Math.PI / 2);
        pen.textAlign = "left";
        pen.fillText(short(name), 0, 0);
        pen.restore();
      });
    }
    for (let i = 0; i < D; i++) {
      for (let j = 0; j < D; j++) {
        pen.fillStyle = style.getPropertyValue(i === j ? "--line" : variable);
        pen.globalAlpha = i === j ? 0.35 : 0.05 + 0.95 * matrix[i][j];
        pen.fillRect(margin + j * cell, margin + i * cell, cell - 1, cell - 1);
      }
    }
    pen.globalAlpha = 1;
  }
  const at = (event) => {
    const scale = size / canvas.clientWidth;
    const [i, j] = [event.offsetY, event.offsetX].map((place) => Math.floor((place * scale - margin) / cell));
    return i >= 0 && j >= 0 && i < D && j < D && i !== j ? [i, j] : null;
  };
  canvas.addEventListener("mousemove", (event) => {
    const place = at(event);
    canvas.title = place ? `${names[place[0]]} ${rowWord} ${names[place[1]]}: ${matrix[place[0]][place[1]].toFixed(2)}` : "";
    canvas.style.cursor = place ? "pointer" : "";
  });
  canvas.addEventListener("click", (event) => { const place = at(event); if (place) onCell(...place); });
  canvas.redraw = draw;
  draw();
  return canvas;
}
