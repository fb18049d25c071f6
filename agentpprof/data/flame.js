// Lets one walk in the flame graph: zoom, search, keyboard, details, state in the address.
// The picture is complete without it. It rebuilds the tree from the packed stacks, then draws the
// boxes anew, since those under half a pixel are in the data only. Texts go in as text nodes, never
// as markup.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const HTML = "http://www.w3.org/1999/xhtml";
  const svg = document.currentScript.closest("svg");
  const area = svg.querySelector(".boxes");
  const note = svg.querySelector(".note");
  const detail = svg.querySelectorAll(".detail");
  const hint = detail[0].textContent;
  const state = { zoom: 0, query: "", regex: false };
  const tools = {};
  let data, tree, page, text; // set once, by start()
  let found = null; // for each name whether the search finds it
  let drawn = []; // groups in the order of their boxes, left to right on each level

  async function unpack(block) {
    const bytes = Uint8Array.from(atob(block), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  const nameOf = (node) => data.names[tree.name[node]];
  const share = (node, of) => text.percent(tree.total[node], tree.total[of]);

  function facts(node) {
    const path = tree.lineage(node).map(nameOf).join(" › ") || nameOf(0);
    if (data.sides) return [path, ...sidesOf(node)];
    const lines = [path, text.amount(tree.total[node])];
    if (node) lines.push(`${share(node, 0)} of all, ${share(node, tree.parent[node])} of parent`);
    return lines;
  }

  // What a box of a difference says: both values, and how one became the other.
  function sidesOf(node) {
    const [old, now] = [tree.old[node], tree.now[node]];
    const values = [old, now].map((value, side) => `${data.sides[side]}: ${text.amount(value)}`);
    return [`${values.join(", ")} (${text.change(old, now)})`];
  }

  function colourOf(node) {
    if (!data.sides) return data.classes[tree.name[node]];
    const [old, now] = [tree.old[node], tree.now[node]];
    return `d${5 + Math.floor((5 * (now - old)) / Math.max(old, now, 1) + 0.5)}`;
  }

  function isStriped(node) {
    if (data.sides) return !tree.old[node] !== !tree.now[node];
    return data.classes[tree.name[node]].startsWith(data.failed);
  }

  function noteOf(node) {
    if (data.sides) return text.change(tree.old[node], tree.now[node]);
    return node ? share(node, 0) : "";
  }

  const yOf = (level) => page.top + (page.flame ? page.rows - 1 - level : level) * page.row;

  // ---- drawing ---------------------------------------------------------------------------------

  function layOut() {
    const boxes = [];
    const hidden = { count: 0, weight: 0 };
    const above = state.zoom ? [0, ...tree.lineage(state.zoom).slice(0, -1)] : [];
    above.forEach((node) => boxes.push({ node, x: 0, width: page.width, above: true }));
    const waiting = [{ node: state.zoom, x: 0, width: page.width }];
    while (waiting.length) {
      const box = waiting.pop();
      boxes.push(box);
      const inner = [];
      let x = box.x;
      for (const node of tree.children(box.node)) {
        const width = (page.width * tree.total[node]) / tree.total[state.zoom];
        if (width < page.smallest || tree.depth[node] > page.deepest) {
          hidden.count += tree.end[node] - node;
          hidden.weight += tree.total[node];
        } else inner.push({ node, x, width });
        x += width;
      }
      waiting.push(...inner.reverse());
    }
    return { boxes, hidden };
  }

  function element(name, attributes, parent, content) {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (content) made.textContent = content;
    if (parent) parent.append(made);
    return made;
  }

  function drawLabel({ node, x, width }, y, group) {
    const room = Math.floor((width - 2 * page.padding) / page.cell);
    const name = nameOf(node);
    const percent = noteOf(node);
    const long = text.cells(name) > room;
    const label = long ? text.fitted(name.slice(name.indexOf(":") + 1), room) : name;
    if (!label) return;
    const place = { x: (page.left + x + page.padding).toFixed(2), y: y + 14 };
    const line = element("text", place, group, label);
    if (percent && !long && text.cells(name) + 2 + percent.length <= room) {
      element("tspan", { class: "share", dx: 8 }, line, percent);
    }
  }

  function drawBox(box) {
    const { node } = box;
    const level = tree.depth[node];
    const group = element("g", { role: "treeitem", "aria-level": level + 1, tabindex: -1 });
    group.node = node;
    group.classList.toggle("above", Boolean(box.above));
    group.classList.toggle("match", Boolean(found && found[tree.name[node]]));
    element("title", {}, group, facts(node).join("\n"));
    const y = yOf(level);
    const x = (page.left + box.x).toFixed(2);
    const place = { x, y, width: box.width.toFixed(2), height: page.height };
    element("rect", { class: colourOf(node), ...place }, group);
    if (isStriped(node)) element("rect", { class: "stripes", ...place }, group);
    drawLabel(box, y, group);
    return group;
  }

  function draw() {
    found = search();
    const { boxes, hidden } = layOut();
    drawn = boxes.map(drawBox);
    area.replaceChildren(...drawn);
    groupOf(state.zoom).setAttribute("tabindex", 0);
    svg.classList.toggle("searching", Boolean(state.query));
    const weight = text.percent(hidden.weight, tree.total[state.zoom]);
    const count = hidden.count === 1 ? "1 box" : `${hidden.count.toLocaleString("en-US")} boxes`;
    const left = `${count} under ${page.smallest} px not drawn (${weight} of weight)`;
    note.textContent = hidden.count ? text.fitted(left, Math.floor(page.width / page.letter)) : "";
    tools.reset.disabled = !state.zoom && !state.query;
    tell();
  }

  // The details of a box, else what the search found, else how to go on.
  function tell(node = state.zoom || undefined) {
    let lines = [hint];
    if (node !== undefined) lines = facts(node);
    if (state.query && (node === undefined || node === state.zoom)) lines = [matched()];
    const room = Math.floor(page.width / page.letter);
    detail[0].textContent = text.fitted(lines[0], room);
    detail[1].textContent = text.fitted(lines.slice(1).join(" · "), room);
  }

  // ---- search ----------------------------------------------------------------------------------

  // A broken pattern finds nothing and marks the field.
  function search() {
    tools.input.removeAttribute("aria-invalid");
    if (!state.query) return null;
    const wanted = state.query.toLowerCase();
    if (!state.regex) return data.names.map((name) => name.toLowerCase().includes(wanted));
    try {
      const pattern = new RegExp(state.query, "iu");
      return data.names.map((name) => pattern.test(name));
    } catch {
      tools.input.setAttribute("aria-invalid", "true");
      return data.names.map(() => false);
    }
  }

  // A match inside a match counts once.
  function matched() {
    let weight = 0;
    for (let node = state.zoom; node < tree.end[state.zoom]; ) {
      const hit = found[tree.name[node]];
      if (hit) weight += tree.total[node];
      node = hit ? tree.end[node] : node + 1;
    }
    const of = state.zoom ? ` of ${nameOf(state.zoom)}` : "";
    return `Found ${text.percent(weight, tree.total[state.zoom])}${of}: ${text.amount(weight)}`;
  }

  // ---- state, kept in the address --------------------------------------------------------------

  function change(next, remember = true) {
    Object.assign(state, next);
    draw();
    const address = new URLSearchParams();
    tree.lineage(state.zoom).forEach((node) => address.append("zoom", nameOf(node)));
    if (state.query) address.set("search", state.query);
    if (state.regex) address.set("regex", "1");
    if (`#${address}` === (location.hash || "#")) return;
    if (remember) location.hash = address;
    else location.replace(`#${address}`);
  }

  function restore() {
    const address = new URLSearchParams(location.hash.slice(1));
    let zoom = 0;
    for (const name of address.getAll("zoom")) {
      zoom = tree.children(zoom).find((child) => nameOf(child) === name) ?? zoom;
    }
    const next = { zoom, query: address.get("search") || "", regex: address.has("regex") };
    if (drawn.length && Object.keys(next).every((key) => next[key] === state[key])) return;
    Object.assign(state, next);
    tools.input.value = state.query;
    tools.regex.setAttribute("aria-pressed", state.regex);
    draw();
  }

  // ---- controls --------------------------------------------------------------------------------

  function addTools() {
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const size = Math.min(314, page.width);
    const below = width < 660; // no room beside the title
    if (below) svg.setAttribute("viewBox", `0 0 ${width} ${height + 36}`);
    const place = { x: width - page.left - size, y: below ? height : 12, width: size, height: 32 };
    const bar = document.createElementNS(HTML, "div");
    bar.className = "tools";
    element("foreignObject", place, svg).append(bar);
    const add = (name, label, properties) => {
      const made = Object.assign(document.createElementNS(HTML, name), properties);
      made.setAttribute("aria-label", label);
      bar.append(made);
      return made;
    };
    tools.input = add("input", "Search frames", { type: "search", placeholder: "Search" });
    tools.regex = add("button", "Regular expression", { textContent: ".*" });
    tools.reset = add("button", "Show everything", { textContent: "Reset" });
    tools.input.addEventListener("input", () => change({ query: tools.input.value }, false));
    tools.regex.addEventListener("click", () => {
      tools.regex.setAttribute("aria-pressed", !state.regex);
      change({ regex: !state.regex }, false);
    });
    tools.reset.addEventListener("click", () => goBack({ zoom: 0, query: "" }));
  }

  function goBack(next) {
    change(next);
    tools.input.value = state.query;
  }

  const groupOf = (node) => drawn.find((group) => group.node === node);

  function focus(node) {
    const group = groupOf(node);
    if (!group) return;
    drawn.forEach((other) => other.setAttribute("tabindex", other === group ? 0 : -1));
    group.focus();
  }

  function zoomTo(node) {
    change({ zoom: node });
    focus(node);
  }

  function neighbour(node, step) {
    const nodes = drawn.map((group) => group.node);
    const level = nodes.filter((other) => tree.depth[other] === tree.depth[node]);
    return level[level.indexOf(node) + step];
  }

  function onKey(event) {
    const node = nodeAt(event);
    const moves = {
      [page.flame ? "ArrowDown" : "ArrowUp"]: () => focus(tree.parent[node]),
      [page.flame ? "ArrowUp" : "ArrowDown"]: () => focus(tree.children(node).find(groupOf)),
      ArrowLeft: () => focus(neighbour(node, -1)),
      ArrowRight: () => focus(neighbour(node, 1)),
      Home: () => focus(0),
      Enter: () => zoomTo(node),
      " ": () => zoomTo(node),
    };
    if (node === undefined || !moves[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    moves[event.key]();
  }

  function onPageKey(event) {
    const find = event.key === "f" && (event.ctrlKey || event.metaKey);
    if (event.key === "Escape") goBack(state.query ? { query: "" } : { zoom: 0 });
    else if (find || (event.key === "/" && event.target !== tools.input)) {
      event.preventDefault();
      tools.input.focus();
    }
  }

  const nodeAt = (event) => event.target.closest(".boxes > g")?.node;

  function listen() {
    area.addEventListener("click", (event) => {
      if (nodeAt(event) !== undefined) zoomTo(nodeAt(event));
    });
    area.addEventListener("mouseover", (event) => tell(nodeAt(event)));
    area.addEventListener("mouseleave", () => tell());
    area.addEventListener("focusin", (event) => tell(nodeAt(event)));
    area.addEventListener("keydown", onKey);
    window.addEventListener("hashchange", restore);
    // Inside a page of others these keys are not ours.
    if (document.documentElement === svg) document.addEventListener("keydown", onPageKey);
  }

  async function start() {
    data = await unpack(svg.querySelector(".data").textContent);
    text = flameText(data.unit, data.noun);
    tree = flameTree(data.stacks);
    page = data.page;
    svg.setAttribute("role", "group");
    svg.classList.add("live");
    area.setAttribute("role", "tree");
    addTools();
    listen();
    restore();
  }

  start();
})();
