/* Single edges that must be or cannot be: the list, the form, and the buttons that the graph's details show. */

const { element } = window;

/** Returns { indexed(), of(kind), buttons(i, j), reset(names), keep(names) }; columns are spoken of by index. */
export function createRules(dom, onChange) {
  let names = [];
  let said = []; // { cause, effect, kind } by name, those of columns left out among them: they may come back

  /** The rules that count now, { i, j, kind }. */
  const indexed = () => said.map(({ cause, effect, kind }) => ({ i: names.indexOf(cause), j: names.indexOf(effect), kind }))
    .filter(({ i, j }) => i >= 0 && j >= 0);
  const find = (i, j) => indexed().find((rule) => rule.i === i && rule.j === j);

  function put(i, j, kind) {
    if (i === j) return;
    const [cause, effect] = [names[i], names[j]];
    const others = said.filter((rule) => !(rule.cause === cause && rule.effect === effect));
    // Two opposite required edges are a cycle; the newer wish counts.
    const kept = kind === "required" ? others.filter((rule) => !(rule.cause === effect && rule.effect === cause && rule.kind === "required")) : others;
    said = kind ? [...kept, { cause, effect, kind }] : kept;
    draw();
    onChange();
  }

  function draw() {
    dom.list.replaceChildren(...indexed().map(({ i, j, kind }) => {
      const text = `${names[i]} ${kind === "required" ? "causes" : "does not cause"} ${names[j]}`;
      const remove = element("button", { type: "button", "aria-label": `Remove: ${text}` }, "✕");
      remove.addEventListener("click", () => { put(i, j, null); dom.add.focus(); });
      return element("li", { class: kind }, element("span", {}, text), remove);
    }));
  }

  dom.add.addEventListener("click", () => {
    const [i, j] = [Number(dom.cause.value), Number(dom.effect.value)];
    dom.effect.setCustomValidity(i === j ? "Choose two different columns." : "");
    if (i === j) dom.effect.reportValidity();
    else put(i, j, dom.kind.value);
  });
  dom.effect.addEventListener("change", () => dom.effect.setCustomValidity(""));

  function offer(columns) {
    names = columns;
    for (const select of [dom.cause, dom.effect]) {
      select.replaceChildren(...names.map((name, k) => element("option", { value: k }, name)));
    }
    if (names.length > 1) dom.effect.value = "1";
    draw();
  }

  function button(i, j, kind) {
    const current = find(i, j);
    const pressed = Boolean(current && current.kind === kind);
    const words = kind === "required" ? "Require" : "Forbid";
    const node = element("button", { type: "button", class: `rule-button ${kind}`, "aria-pressed": String(pressed),
      "data-rule": `${kind}-${i}-${j}` }, `${words} ${names[i]} → ${names[j]}`);
    node.addEventListener("click", () => {
      put(i, j, pressed ? null : kind);
      const group = node.parentElement;
      const fresh = buttons(i, j);
      group.replaceWith(fresh);
      fresh.querySelector(`[data-rule="${kind}-${i}-${j}"]`).focus();
    });
    return node;
  }

  function buttons(i, j) {
    return element("div", { class: "rule-buttons", role: "group", "aria-label": "What you know about this pair" },
      button(i, j, "forbidden"), button(i, j, "required"), button(j, i, "forbidden"), button(j, i, "required"));
  }

  return {
    indexed,
    of: (kind) => indexed().filter((rule) => rule.kind === kind).map(({ i, j }) => [names[i], names[j]]),
    buttons,
    reset(columns) {
      said = [];
      offer(columns);
    },
    keep: offer,
  };
}
