/* The columns of the table: how each was read, and what the user says about it. */

const { element } = window;

/** Returns { used(), chosen(word), placed(role), set(name, word), show(columns), adopt(options, knowledge) }.
 *
 * Words: "drop" leaves a column out, "nominal" reads its numbers as codes of categories, "" is as it was read. Roles:
 * nothing causes a "root", a "sink" causes nothing. onChange(word before, word now) follows a choice. */
export function createColumns(body, onChange) {
  let columns = [];
  let words = new Map(); // name -> "drop" or "nominal"
  let roles = new Map(); // name -> "root" or "sink"

  const used = () => columns.filter(({ name, role }) => role !== "dropped" && words.get(name) !== "drop").map(({ name }) => name);

  function menu(column) {
    const choices = [["", column.kind], ["drop", "leave out"]];
    if (column.kind !== "nominal") choices.splice(1, 0, ["nominal", "codes"]);
    const select = element("select", { "aria-label": `Read ${column.name} as` }, ...choices.map(([value, text]) => element("option", { value }, text)));
    select.value = words.get(column.name) || "";
    select.addEventListener("change", () => {
      const before = words.get(column.name) || "";
      select.setCustomValidity(select.value === "drop" && used().length <= 2 ? "A graph needs at least two columns." : "");
      if (!select.reportValidity()) {
        select.value = before;
        return;
      }
      words.set(column.name, select.value);
      select.closest("tr").className = rowClass(column);
      onChange(before, select.value);
    });
    select.addEventListener("blur", () => select.setCustomValidity(""));
    return select;
  }

  function roleMenu(column) {
    const choices = [["", "anything"], ["root", "nothing causes it"], ["sink", "causes nothing"]];
    const select = element("select", { "aria-label": `Role of ${column.name}` }, ...choices.map(([value, text]) => element("option", { value }, text)));
    select.value = roles.get(column.name) || "";
    select.addEventListener("change", () => {
      roles.set(column.name, select.value);
      select.closest("tr").className = rowClass(column);
      onChange("", "");
    });
    return select;
  }

  const rowClass = ({ name, role }) => [words.get(name) === "drop" ? "dropped" : role, words.get(name) || roles.get(name) ? "changed" : ""].join(" ").trim();

  function row(column) {
    const note = column.role === "variable" ? (column.encoding === "as is" ? null : column.encoding) : `${column.role}: ${column.reason}`;
    return element("tr", { class: rowClass(column), "data-name": column.name },
      element("td", {}, element("span", { class: "column-name" }, column.name), note ? element("span", { class: "note" }, note) : null),
      element("td", {}, column.role === "dropped" ? column.kind : menu(column)),
      element("td", {}, column.role === "variable" ? roleMenu(column) : column.role),
      element("td", {}, column.missing ? `${(100 * column.missing).toFixed(column.missing < 0.1 ? 1 : 0)}%` : "none"));
  }

  const draw = () => body.replaceChildren(...columns.map(row));

  return {
    used,
    chosen: (word) => columns.map(({ name }) => name).filter((name) => words.get(name) === word),
    placed: (role) => used().filter((name) => roles.get(name) === role),
    /** What a suggestion says of a column. */
    set(name, word) {
      const before = words.get(name) || "";
      if (word === "root" || word === "sink") roles.set(name, word);
      else if (word !== "drop" || used().length > 2) words.set(name, word);
      draw();
      onChange(before, words.get(name) || "");
    },
    show(all) {
      columns = all;
      words = new Map();
      roles = new Map();
      draw();
    },
    /** The words and roles that a result was discovered with. */
    adopt({ drop, nominal }, known) {
      words = new Map([...nominal.map((name) => [name, "nominal"]), ...drop.map((name) => [name, "drop"])]);
      roles = new Map([...(known.roots || []).map((name) => [name, "root"]), ...(known.sinks || []).map((name) => [name, "sink"])]);
      draw();
    },
  };
}
