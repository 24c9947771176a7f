/* Tiers: columns are dragged into lanes, or moved with the menu that each column carries. */

const { element } = window;
const START_TIERS = 2;

/** Draw lanes for `names` into `container`; returns { tiers(), addTier(), place(tiers), reset(names), keep(names) }. */
export function createLanes(container, onChange) {
  let names = [];
  let place = []; // tier of each column, -1 for none
  let before = new Map(); // name -> tier, those of columns left out among them: they may come back
  let count = START_TIERS;
  let dragged = null;

  const title = (tier) => (tier < 0 ? "No tier" : `Tier ${tier + 1}${tier === 0 ? " (earliest)" : tier === count - 1 ? " (latest)" : ""}`);

  function move(index, tier, refocus) {
    if (place[index] === tier) return;
    place[index] = tier;
    draw();
    if (refocus) container.querySelector(`select[data-index="${index}"]`).focus();
    onChange();
  }

  function chip(index) {
    const menu = element("select", { "aria-label": `Tier of ${names[index]}`, "data-index": index });
    for (let tier = -1; tier < count; tier++) menu.append(element("option", { value: tier }, tier < 0 ? "–" : String(tier + 1)));
    menu.value = String(place[index]);
    menu.addEventListener("change", () => move(index, Number(menu.value), true));
    const item = element("li", { class: "chip", draggable: "true", "data-name": names[index] }, element("span", {}, names[index]), menu);
    item.addEventListener("dragstart", (event) => {
      dragged = index;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", names[index]);
    });
    item.addEventListener("dragend", () => { dragged = null; });
    return item;
  }

  function lane(tier) {
    const members = names.map((_, k) => k).filter((k) => place[k] === tier);
    const list = element("ul", { "aria-label": `Columns in ${title(tier)}` }, ...members.map(chip));
    if (!members.length) list.append(element("li", { class: "empty" }, "drop columns here"));
    const box = element("div", { class: tier < 0 ? "lane none" : "lane", "data-tier": tier, role: "group", "aria-label": title(tier) },
      element("h3", {}, title(tier)), list);
    box.addEventListener("dragover", (event) => {
      if (dragged === null) return;
      event.preventDefault();
      box.classList.add("over");
    });
    box.addEventListener("dragleave", () => box.classList.remove("over"));
    box.addEventListener("drop", (event) => {
      event.preventDefault();
      box.classList.remove("over");
      if (dragged !== null) move(dragged, tier, false);
    });
    return box;
  }

  function draw() {
    const lanes = [lane(-1)];
    for (let tier = 0; tier < count; tier++) lanes.push(lane(tier));
    container.replaceChildren(...lanes);
  }

  return {
    tiers() {
      const all = Array.from({ length: count }, (_, tier) => names.filter((_, k) => place[k] === tier));
      return all.filter((tier) => tier.length);
    },
    addTier() {
      count += 1;
      draw();
    },
    /** Put columns into tiers, the earliest first; others stay where they are. */
    place(tiers) {
      count = Math.max(count, tiers.length);
      tiers.forEach((members, tier) => members.forEach((name) => {
        const index = names.indexOf(name);
        if (index >= 0) place[index] = tier;
      }));
      draw();
      onChange();
    },
    reset(columns) {
      names = columns;
      place = columns.map(() => -1);
      before = new Map();
      count = START_TIERS;
      draw();
    },
    keep(columns) {
      names.forEach((name, k) => before.set(name, place[k]));
      names = columns;
      place = columns.map((name) => before.get(name) ?? -1);
      draw();
    },
  };
}
