/* The columns of the table: what each was taken for, and the person's own word on it. */

const { element } = window;

/** Returns { used(), chosen(word), show(columns), adopt(settings) }. Words: "drop" leaves a column out, "nominal" reads its
 * numbers as codes of categories; "" is as it was read. onChange(word before, word now) follows a person's choice. */
export function createColumns(body, onChange) {
  let columns = [];
  let words = new Map(); // name -> "drop" or "nominal"

  const used = () => columns.filter(({ name, role }) => role !== "dropped" && words.get(name) !== "drop").map(({ name }) => name);

  function menu(column) {
    const choices = [["", column.kind], ["drop", "leave out"]];
    if (column.kind !== "nominal") choices.splice(1, 0, ["nominal", "codes"]);
    const select = element("select", { "aria-label": `Take ${column.name} as` }, ...choices.map(([value, text]) => element("option", { value }, text)));
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

  const rowClass = ({ name, role }) => [words.get(name) === "drop" ? "dropped" : role, words.get(name) ? "changed" : ""].join(" ").trim();

  function row(column) {
    const note = column.role === "variable" ? (column.encoding === "as is" ? null : column.encoding) : `${column.role}: ${column.reason}`;
    return element("tr", { class: rowClass(column), "data-name": column.name },
      element("td", {}, element("span", { class: "column-name" }, column.name), note ? element("span", { class: "note" }, note) : null),
      element("td", {}, column.role === "dropped" ? column.kind : menu(column)),
      element("td", {}, column.missing ? `${(100 * column.missing).toFixed(column.missing < 0.1 ? 1 : 0)}%` : "none"));
  }

  const draw = () => body.replaceChildren(...columns.map(row));

  return {
    used,
    chosen: (word) => columns.map(({ name }) => name).filter((name) => words.get(name) === word),
    show(all) {
      columns = all;
      words = new Map();
      draw();
    },
    /** The words that a result was discovered with. */
    adopt({ drop, nominal }) {
      words = new Map([...nominal.map((name) => [name, "nominal"]), ...drop.map((name) => [name, "drop"])]);
      draw();
    },
  };
}
