// The selected call, the search, and the table of the calls.

// Selection

function callAt(clientX, clientY) {
  const box = $("lanes").getBoundingClientRect();
  const lane = Math.floor((clientY - box.top + $("scroller").scrollTop) / row);
  if (lane < 0 || lane >= run.lanes) return -1;
  const near = (5 * (view.until - view.from)) / box.width;
  const t = timeAt($("lanes"), clientX);
  const list = callsOf.of(lane);
  let best = -1;
  let distance = near;
  for (let i = firstCallAfter(list, t - near); i < list.length && calls.from[list[i]] <= t + near; ++i) {
    const away = Math.max(0, calls.from[list[i]] - t, t - calls.until[list[i]]);
    if (away < distance) [best, distance] = [list[i], away];
    if (away === 0) break;
  }
  return best;
}
function select(call, brings) {
  selected = call;
  if (call >= 0 && brings) {
    const visible = view.until - view.from;
    if (calls.from[call] < view.from || calls.until[call] > view.until)
      show(calls.from[call] - visible * 0.2, calls.from[call] + visible * 0.8);
    const top = calls.lane[call] * row;
    const scroller = $("scroller");
    if (top < scroller.scrollTop || top + row > scroller.scrollTop + laneHeight)
      scroller.scrollTop = top - laneHeight / 2;
  }
  showDetail();
  for (const line of $("calls").tBodies[0].rows) line.classList.toggle("selected", Number(line.dataset.call) === call);
  redraw();
}
function zoomTo(call) {
  const around = Math.max(calls.length[call], 1000) * 0.4;
  show(calls.from[call] - around, calls.until[call] + around);
}
function showDetail() {
  const detail = $("detail");
  detail.replaceChildren();
  if (selected < 0) {
    detail.append(
      element("h2", "", "Selected call"),
      element("p", "soft", "Select a call in the timeline or in the table to see each of its steps."),
    );
    return;
  }
  const call = summary(selected);
  const facts = element("dl", "");
  const fact = (name, value) => facts.append(element("dt", "", name), element("dd", "", value));
  fact("Result", element("span", `badge ${call.look}`, call.result));
  fact(
    "Started",
    clock(calls.from[selected], 1000) +
      (run.started === null
        ? ""
        : ` (${new Date(run.started + calls.from[selected] / 1000).toISOString().slice(11, 23)} UTC)`),
  );
  fact("Took", span(calls.length[selected]));
  fact("Attempts", String(call.tries));
  if (call.waited > 0) fact("Waited", span(call.waited));
  const closer = element("button", "", "Zoom to it");
  closer.type = "button";
  closer.addEventListener("click", () => zoomTo(selected));
  const steps = element("ol", "");
  const all = eventsOf.of(selected);
  const most = 500;
  for (const event of all.slice(0, most)) {
    const [what, more] = eventTexts(event).map(shown);
    const words = element("span", "", what);
    if (more !== "") words.append(element("small", "", more));
    steps.append(element("li", "", element("time", "", "+" + span(events.t[event] - calls.from[selected])), words));
  }
  if (all.length > most) steps.append(element("li", "", element("time", ""), `and ${number(all.length - most)} more`));
  detail.append(
    element("h2", "", `Call ${number(selected + 1)} `),
    element("div", "url", `${call.method} ${shown(call.url)}`),
    facts,
    closer,
    element("h2", "", plural(all.length, "step")),
    steps,
  );
}

// Search

const haystacks = new Array(calls.count);
function haystack(call) {
  if (haystacks[call] === undefined) {
    const words = new Set();
    for (const event of eventsOf.of(call)) {
      for (const name of ["method", "url", "error", "reason", "cache", "note", "partition"])
        words.add(text(events[name][event]));
      if (events.status[event] > 0) words.add(String(events.status[event]));
      if (kindOf(event) === "cached") words.add("cached");
    }
    haystacks[call] = [...words].join("\n").toLowerCase();
  }
  return haystacks[call];
}
/** A term is a part of a text, a whole status (429), or a class of them (5xx). */
function matcher(term) {
  if (/^[1-5]xx$/.test(term)) return (words) => new RegExp(`^${term[0]}\\d\\d$`, "m").test(words);
  if (/^[1-5]\d\d$/.test(term)) return (words) => new RegExp(`^${term}$`, "m").test(words);
  return (words) => words.includes(term);
}
function find() {
  const terms = $("query")
    .value.toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== "")
    .map(matcher);
  hits = null;
  isHit = null;
  if (terms.length > 0) {
    isHit = new Uint8Array(calls.count);
    hits = [];
    for (let call = 0; call < calls.count; ++call)
      if (terms.every((matches) => matches(haystack(call)))) {
        isHit[call] = 1;
        hits.push(call);
      }
  }
  showHits();
  fillTable();
  redraw();
}
const found = () => hits || Array.from({ length: calls.count }, (_, call) => call);
function showHits() {
  const all = found();
  $("hits").textContent =
    hits === null ? plural(calls.count, "call") : `${number(hits.length)} of ${plural(calls.count, "call")}`;
  $("previous").disabled = $("next").disabled = all.length === 0;
}
function step(by) {
  const all = found();
  if (all.length === 0) return;
  const at = firstThat(all.length, (i) => all[i] >= selected);
  const next = selected < 0 ? (by > 0 ? 0 : -1) : by > 0 && all[at] !== selected ? at : at + by;
  select(all[(next + all.length) % all.length], true);
}

// Table

const columns = [
  {
    name: "Started",
    key: (call) => calls.from[call],
    look: "number",
    value: (call) => clock(calls.from[call], 1000),
  },
  { name: "Method", key: (call) => summary(call).method, look: "wide", value: (call) => summary(call).method },
  {
    name: "URL",
    key: (call) => summary(call).url,
    look: "url",
    value: (call) => {
      const open = element("button", "", shown(shortened(withoutPrefix(summary(call).url), 200)));
      open.type = "button";
      open.addEventListener("click", () => select(call, true));
      return open;
    },
  },
  {
    name: "Result",
    key: (call) => summary(call).result,
    look: "",
    value: (call) => element("span", `badge ${summary(call).look}`, summary(call).result),
  },
  {
    name: "Attempts",
    key: (call) => summary(call).tries,
    look: "number wide",
    value: (call) => number(summary(call).tries),
  },
  {
    name: "Waited",
    key: (call) => summary(call).waited,
    look: "number wide",
    value: (call) => (summary(call).waited > 0 ? span(summary(call).waited) : "–"),
  },
  { name: "Took", key: (call) => calls.length[call], look: "number", value: (call) => span(calls.length[call]) },
];
const order = { column: 0, descends: false };
let rowsWanted = 50;
let listed = [];
function fillTable() {
  const { key } = columns[order.column];
  listed = found().slice();
  if (order.column > 0 || order.descends)
    listed.sort((a, b) => {
      const [left, right] = [key(a), key(b)];
      return (left < right ? -1 : left > right ? 1 : 0) * (order.descends ? -1 : 1) || a - b;
    });
  rowsWanted = 50;
  $("calls").tBodies[0].replaceChildren();
  addRows();
}
function addRows() {
  const body = $("calls").tBodies[0];
  for (const call of listed.slice(body.rows.length, rowsWanted)) {
    const line = element("tr", call === selected ? "selected" : "");
    line.dataset.call = call;
    for (const { look, value } of columns) line.append(element("td", look, value(call)));
    body.append(line);
  }
  $("more").hidden = body.rows.length >= listed.length;
  $("listed").textContent = `${number(body.rows.length)} of ${number(listed.length)} shown`;
}
function makeHead() {
  columns.forEach(({ name, look }, index) => {
    const sorter = element("button", "", name);
    sorter.type = "button";
    const head = element("th", look, sorter);
    head.scope = "col";
    sorter.addEventListener("click", () => {
      order.descends = order.column === index ? !order.descends : index > 2;
      order.column = index;
      showOrder();
      fillTable();
    });
    $("calls").tHead.rows[0].append(head);
  });
  showOrder();
}
function showOrder() {
  [...$("calls").tHead.rows[0].cells].forEach((cell, index) => {
    const here = index === order.column;
    cell.toggleAttribute("aria-sort", here);
    if (here) cell.setAttribute("aria-sort", order.descends ? "descending" : "ascending");
    cell.firstChild.textContent = columns[index].name + (here ? (order.descends ? " ▾" : " ▴") : "");
  });
}
