/* Findings with their suggestions: each can be applied at once, and those about columns that were left out disappear. */

const { element, findingsList } = window;

/** Whether a finding still concerns the columns in use. */
function concerns({ columns, details, fix }, used) {
  if (!columns.length) return true;
  const there = (name) => used.has(name);
  if (fix && fix.section === "read" && fix.option === "drop" && !fix.values.some(there)) return false;
  const pairs = details.pairs instanceof Array ? details.pairs : details.edges instanceof Array ? details.edges : null;
  if (pairs) return pairs.some((pair) => pair.every(there));
  return columns.some(there);
}

/** Returns { show(findings), refresh() }. `dom` has box, list and all; `columns` and `lanes` take what is applied. */
export function createSuggestions(dom, columns, lanes) {
  let findings = [];
  const applied = new Set();

  function apply(finding) {
    applied.add(finding);
    const { section, option, values } = finding.fix;
    if (section === "knowledge" && option === "tiers") lanes.place(values);
    else for (const name of values) columns.set(name, { drop: "drop", nominal: "nominal", roots: "root", sinks: "sink" }[option]);
    refresh();
  }

  const open = (shown) => shown.filter((finding) => finding.fix && !applied.has(finding));

  function fixButton(finding) {
    if (!finding.fix) return null;
    const done = applied.has(finding);
    const button = element("button", { type: "button", class: "fix" }, done ? "Applied ✓" : "Apply");
    button.disabled = done;
    button.addEventListener("click", () => apply(finding));
    return button;
  }

  function refresh() {
    const used = new Set(columns.used());
    const shown = findings.filter((finding) => concerns(finding, used));
    dom.box.hidden = !shown.length;
    dom.all.hidden = open(shown).length < 2;
    dom.list.replaceChildren(findingsList(shown, fixButton));
  }

  dom.all.addEventListener("click", () => open(findings).forEach(apply));

  return {
    show(all) {
      findings = all;
      applied.clear();
      refresh();
    },
    refresh,
  };
}
