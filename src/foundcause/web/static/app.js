/* The page from the first drop to the last download. Names from tables are only ever set as text. */

import { call, follow, inSentence, Problem, showProgress, upload } from "./api.js";
import { createColumns } from "./columns.js";
import { blankResult, createExplorer } from "./explore.js";
import { createLanes } from "./lanes.js";
import { createRules } from "./rules.js";
import { createSuggestions } from "./suggestions.js";

const { element, percent } = window;
const byId = (id) => document.getElementById(id);
const HEARTBEAT = 30_000;
const DEMO_TIERS = [["visit_to_asia", "smoking"], ["tuberculosis", "lung_cancer", "bronchitis", "tuberculosis_or_cancer"], ["xray", "dyspnoea"]];

// shown: the last graph { id, view, asked }; discovered: whether it is the one on the page.
const state = { about: null, table: null, discovery: null, shown: null, discovered: false, stopReading: null };

if (location.search) history.replaceState(null, "", "/"); // the token now stands in a cookie

const lanes = createLanes(byId("lanes"), changed);
const rules = createRules({ list: byId("rules"), add: byId("rule-add"), cause: byId("rule-cause"), kind: byId("rule-kind"),
  effect: byId("rule-effect") }, () => { changed(); explorer.redraw(); });
const explorer = createExplorer(rules);
const columns = createColumns(byId("columns").tBodies[0], columnChanged);
const suggestions = createSuggestions({ box: byId("trust"), list: byId("findings"), all: byId("apply-all") }, columns, lanes);

// ---- problems and colours ---------------------------------------------------------------------------------------

function complain(message) {
  const box = byId("problem");
  box.textContent = message;
  box.hidden = !message;
  if (message) box.scrollIntoView({ block: "nearest" });
}

byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  explorer.refreshColours();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => explorer.refreshColours());

// ---- the table ----------------------------------------------------------------------------------------------

function take(file) {
  if (!file) return;
  const limit = state.about ? state.about.upload_bytes : Infinity;
  if (file.size > limit) {
    complain(`${file.name} has ${megabytes(file.size)}. This server takes ${megabytes(limit)}. Send fewer rows or columns, or use “foundcause discover” in a terminal.`);
    return;
  }
  const sending = upload(file, (share) => {
    byId("reading-text").textContent = share < 1 ? `Sending ${file.name}: ${percent(share)}` : `Reading ${file.name} …`;
  });
  readTable(file.name, sending.promise, sending.cancel);
}

async function readTable(name, arriving, stop) {
  complain("");
  await forgetTable();
  byId("drop").hidden = true;
  byId("reading").hidden = false;
  byId("reading-text").textContent = `Sending ${name} …`;
  state.stopReading = stop;
  try {
    const sent = await arriving;
    state.stopReading = () => call("DELETE", `/api/tables/${sent.id}`).catch(() => null);
    const table = await follow(`/api/tables/${sent.id}`, (answer) => answer.read, (answer) => {
      byId("reading-text").textContent = answer.read.state === "waiting" ? inSentence(answer.read) : `Reading ${name} …`;
    });
    if (table.read.state !== "done") throw new Problem(0, table.read.error);
    showTable(table);
  } catch (problem) {
    complain(problem.status === 404 ? "" : problem.message);
    byId("drop").hidden = false;
  } finally {
    state.stopReading = null;
    byId("reading").hidden = true;
    byId("file").value = "";
  }
}

async function forgetTable() {
  const old = state.table;
  state.table = state.discovery = state.shown = null;
  state.discovered = false;
  byId("work").hidden = true;
  byId("start").hidden = false;
  byId("drop").hidden = false;
  if (old) await call("DELETE", `/api/tables/${old.id}`).catch(() => null);
}

function showTable(table) {
  state.table = table;
  const { description } = table;
  columns.show(description.columns);
  const names = columns.used();
  byId("start").hidden = true;
  byId("work").hidden = byId("end").hidden = false;
  nameTable();
  byId("within").checked = false;
  byId("runs").max = state.about ? state.about.n_passes : 50;
  byId("status").textContent = "";
  byId("stale").hidden = true;
  lanes.reset(names);
  rules.reset(names);
  explorer.show(blankResult(names));
  suggestions.show(description.findings);
  byId("main").focus({ preventScroll: true });
}

function nameTable() {
  const { name, description } = state.table;
  byId("table-name").replaceChildren(element("strong", {}, name), `: ${description.rows.toLocaleString("en")} rows, ${columns.used().length} columns`);
}

function columnChanged(before, now) {
  if ((before === "drop") !== (now === "drop")) showOtherColumns();
  else changed();
  suggestions.refresh();
}

/** Another set of columns has another graph; what is known of columns left out, and the last graph, wait for their return. */
function showOtherColumns() {
  const names = columns.used();
  lanes.keep(names);
  rules.keep(names);
  nameTable();
  byId("status").textContent = "";
  const { shown } = state;
  state.discovered = Boolean(shown) && JSON.stringify(shown.view.names) === JSON.stringify(names);
  if (state.discovered) explorer.show(shown.view, shown.id, state.about.files);
  else explorer.show(blankResult(names));
  changed();
}

function megabytes(bytes) {
  return bytes >= 1 << 20 ? `${Math.round(bytes / (1 << 20)).toLocaleString("en")} MB` : `${bytes.toLocaleString("en")} bytes`;
}

byId("file").addEventListener("change", (event) => take(event.target.files[0]));
byId("demo").addEventListener("click", async () => {
  await readTable("the demo table", call("POST", "/api/demo"), () => null);
  if (!state.table) return;
  lanes.place(DEMO_TIERS);
  byId("status").textContent = "The demo starts with what a physician knows, as tiers: exposures, then diseases, then symptoms and tests. Change them below.";
});
byId("reading-cancel").addEventListener("click", () => { if (state.stopReading) state.stopReading(); });
byId("another").addEventListener("click", async () => { await cancel(); await forgetTable(); byId("file").focus(); });
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const files = event.dataTransfer && [...event.dataTransfer.types].includes("Files");
    if (!files) return;
    event.preventDefault(); // a file dropped beside the box must not replace the page
    byId("drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop" && !byId("start").hidden) take(event.dataTransfer.files[0]);
  });
}

// ---- knowledge ----------------------------------------------------------------------------------------------

byId("add-tier").addEventListener("click", () => lanes.addTier());
byId("within").addEventListener("change", changed);

function knowledge() {
  return { tiers: lanes.tiers(), forbidden: rules.of("forbidden"), required: rules.of("required"), forbid_within_tiers: byId("within").checked,
    roots: columns.placed("root"), sinks: columns.placed("sink") };
}

/** All that a graph depends on but passes and seed. */
function asked() {
  return { knowledge: knowledge(), drop: columns.chosen("drop"), nominal: columns.chosen("nominal") };
}

function changed() {
  byId("stale").hidden = !state.discovered || JSON.stringify(asked()) === state.shown.asked;
}

// ---- discovery ----------------------------------------------------------------------------------------------

async function discover() {
  for (const id of ["runs", "seed"]) if (!byId(id).reportValidity()) return;
  if (!state.table || state.discovery) return;
  complain("");
  busy(true);
  const started = performance.now();
  const { id: table } = state.table;
  try {
    const sent = asked();
    const body = { ...sent, n_passes: Number(byId("runs").value), random_state: Number(byId("seed").value) };
    const job = await call("POST", `/api/tables/${table}/discoveries`, body);
    state.discovery = job.id;
    const last = await follow(`/api/discoveries/${job.id}`, (answer) => answer, (answer) => {
      byId("status").textContent = inSentence(answer);
      showProgress(byId("bar"), answer);
    });
    if (last.state === "cancelled") byId("status").textContent = "Cancelled.";
    else if (last.state !== "done") throw new Problem(0, last.error);
    else await showResult(job.id, sent, (performance.now() - started) / 1000);
  } catch (problem) {
    if (state.table && state.table.id === table) {
      complain(problem.message);
      byId("status").textContent = "No graph was discovered.";
    }
  } finally {
    state.discovery = null;
    busy(false);
  }
}

/** `sent` is what the graph was asked for; rules may have changed since. */
async function showResult(id, sent, seconds) {
  const [result, given] = await Promise.all([call("GET", `/api/discoveries/${id}/result`), call("GET", `/api/discoveries/${id}/given`)]);
  if (!state.discovered) { // the first of this table, perhaps of a page that was loaded again
    columns.adopt(result.provenance.options.read, result.knowledge || {});
    nameTable();
    lanes.keep(result.names);
    rules.keep(result.names);
  }
  state.shown = { id, view: { ...result, ...given }, asked: JSON.stringify(sent || asked()) };
  state.discovered = true;
  changed();
  const edges = result.edges.length;
  byId("status").textContent = `Done${seconds ? ` in ${seconds.toFixed(1)} seconds` : ""}: ${edges} ${edges === 1 ? "edge" : "edges"}.`;
  explorer.show(state.shown.view, id, state.about.files);
  suggestions.show(result.findings);
}

async function cancel() {
  if (state.discovery) await call("DELETE", `/api/discoveries/${state.discovery}`).catch(() => null);
}

function busy(on) {
  byId("run").disabled = byId("again").disabled = on;
  byId("cancel").hidden = !on;
  byId("columns").inert = on; // the graph must be that of the columns chosen
  if (on) byId("status").textContent = "Starting …";
  showProgress(byId("bar"), on ? { state: "waiting" } : null);
}

byId("run").addEventListener("click", discover);
byId("again").addEventListener("click", discover);
byId("cancel").addEventListener("click", cancel);

// ---- the session --------------------------------------------------------------------------------------------------

byId("end").addEventListener("click", async () => {
  await cancel();
  await forgetTable();
  await call("DELETE", "/api/session").catch((problem) => complain(problem.message));
  byId("end").hidden = true;
});
addEventListener("pagehide", () => { if (state.table) navigator.sendBeacon("/api/session/leave"); });
addEventListener("pageshow", (event) => { if (event.persisted) call("GET", "/api/session").catch(() => null); });
setInterval(() => { if (state.table) call("GET", "/api/session").catch(() => null); }, HEARTBEAT);

async function begin() {
  try {
    state.about = await call("GET", "/api/about");
    byId("limits").textContent = `One row per observation, one column per variable; up to ${megabytes(state.about.upload_bytes)}, ${state.about.rows.toLocaleString("en")} rows and ${state.about.columns} columns.`;
    const { tables } = await call("GET", "/api/session");
    const last = tables.filter((table) => table.description).pop();
    if (!last || state.table) return; // nothing to take up, or a new table came first
    showTable(last); // the page was loaded again
    const done = last.discoveries.filter((job) => job.state === "done").pop();
    if (done) await showResult(done.id);
  } catch (problem) {
    complain(problem.message);
  }
}

begin();
