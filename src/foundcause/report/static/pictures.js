"use strict";
/* Small pictures drawn without libraries: a scatter plot of two columns and a heat map of a matrix. */

const SVG = "http://www.w3.org/2000/svg";

function svgElement(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function spread(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = (high - low || 1) * 0.06;
  return [low - margin, high + margin];
}

/** Ties of coded columns would hide each other: shift them a little, always the same way. */
function jitter(k, distinct, range) {
  if (distinct > 12) return 0;
  const fraction = Math.abs(Math.sin(k * 12.9898) * 43758.5453) % 1;
  return (fraction - 0.5) * 0.035 * range;
}

/** Scatter plot of column i (across) and column j (up) of result.preview. */
function scatterPlot(result, i, j) {
  const figure = document.createElement("figure");
  figure.className = "scatter";
  const rows = (result.preview || []).filter((row) => row[i] !== null && row[j] !== null);
  if (rows.length < 2) {
    figure.textContent = "No rows in which both columns are observed are kept in this report.";
    return figure;
  }
  const [width, height, left, bottom] = [320, 230, 40, 34];
  const xs = rows.map((row) => row[i]);
  const ys = rows.map((row) => row[j]);
  const [x0, x1] = spread(xs);
  const [y0, y1] = spread(ys);
  const across = (x) => left + ((x - x0) / (x1 - x0)) * (width - left - 8);
  const up = (y) => height - bottom - ((y - y0) / (y1 - y0)) * (height - bottom - 8);
  const title = `${result.names[j]} against ${result.names[i]}, ${rows.length} rows`;
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  svg.append(svgElement("rect", { x: left, y: 8, width: width - left - 8, height: height - bottom - 8, class: "frame" }));
  const [distinctX, distinctY] = [new Set(xs).size, new Set(ys).size];
  rows.forEach((row, k) => {
    svg.append(svgElement("circle", {
      cx: across(row[i] + jitter(k + 1, distinctX, x1 - x0)), cy: up(row[j] + jitter(k + 7, distinctY, y1 - y0)),
      r: 2, class: "dot" }));
  });
  const shortNumber = (value) => Number(value.toPrecision(3)).toString();
  svg.append(svgElement("text", { x: left, y: height - bottom + 13, class: "tick" }, shortNumber(Math.min(...xs))));
  svg.append(svgElement("text", { x: width - 8, y: height - bottom + 13, class: "tick", "text-anchor": "end" }, shortNumber(Math.max(...xs))));
  svg.append(svgElement("text", { x: left - 4, y: height - bottom, class: "tick", "text-anchor": "end" }, shortNumber(Math.min(...ys))));
  svg.append(svgElement("text", { x: left - 4, y: 16, class: "tick", "text-anchor": "end" }, shortNumber(Math.max(...ys))));
  svg.append(svgElement("text", { x: (left + width) / 2, y: height - 4, class: "axis", "text-anchor": "middle" }, result.names[i]));
  svg.append(svgElement("text", { x: 11, y: (height - bottom) / 2, class: "axis", "text-anchor": "middle",
    transform: `rotate(-90 11 ${(height - bottom) / 2})` }, result.names[j]));
  figure.append(svg);
  return figure;
}

/** Heat map of a D x D matrix in [0, 1]; onCell(i, j) is called on click. */
function heatMap(names, matrix, variable, rowWord, onCell) {
  const D = names.length;
  const cell = Math.max(7, Math.min(26, Math.floor(560 / D)));
  const margin = Math.min(130, 14 + 6.2 * Math.max(...names.map((name) => name.length)));
  const size = margin + D * cell + 4;
  const svg = svgElement("svg", { viewBox: `0 0 ${size} ${size}`, class: "heat", role: "img",
    "aria-label": `Matrix of ${D} by ${D} probabilities` });
  svg.style.maxWidth = `${Math.max(size, 300)}px`; // as a property: the web page's policy refuses style attributes
  // Long names often differ at their end only.
  const short = (name) => (name.length > 18 ? name.slice(0, 9) + "…" + name.slice(-8) : name);
  names.forEach((name, k) => {
    const middle = margin + (k + 0.5) * cell;
    const fontSize = Math.min(11, cell + 1);
    svg.append(svgElement("text", { x: margin - 4, y: middle + 3, "text-anchor": "end", "font-size": fontSize, class: "tick" }, short(name)));
    svg.append(svgElement("text", { x: middle + 3, y: margin - 4, "font-size": fontSize, class: "tick",
      transform: `rotate(-90 ${middle + 3} ${margin - 4})` }, short(name)));
  });
  for (let i = 0; i < D; i++) {
    for (let j = 0; j < D; j++) {
      const value = i === j ? 0 : matrix[i][j];
      const square = svgElement("rect", { x: margin + j * cell, y: margin + i * cell, width: cell - 1, height: cell - 1,
        rx: 1, fill: i === j ? "var(--line)" : `var(${variable})`, "fill-opacity": i === j ? 0.35 : 0.05 + 0.95 * value });
      if (i !== j) {
        square.append(svgElement("title", {}, `${names[i]} ${rowWord} ${names[j]}: ${value.toFixed(2)}`));
        square.addEventListener("click", () => onCell(i, j));
        square.style.cursor = "pointer";
      }
      svg.append(square);
    }
  }
  return svg;
}
