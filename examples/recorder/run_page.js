// The summary, the legend, and what a person does.

// Summary

function makeSummary() {
  const rejected = run.rejected === 0 ? "none rejected" : `${number(run.rejected)} rejected`;
  $("title").textContent = `${plural(attempts.count, "request")} in ${span(run.length)}, ${rejected}`;
  document.title = $("title").textContent;
  const started =
    run.started === null ? "" : new Date(run.started).toISOString().slice(0, 19).replace("T", " ") + " UTC";
  $("subtitle").textContent = [shown(shortened(run.prefix, 200)), started].filter((part) => part !== "").join("  ·  ");
  if (run.dropped > 0) {
    const left = `${plural(run.dropped, "event")} before it ${run.dropped === 1 ? "is" : "are"} not in the report`;
    $("dropped").textContent = `This is the end of the run: ${left}.`;
    $("dropped").hidden = false;
  }
  const took = Float64Array.from(attempts.until, (until, i) => until - attempts.from[i]).sort();
  const quantile = (part) => span(took[Math.min(took.length - 1, Math.floor(took.length * part))]);
  const held = holds.length.reduce((sum, each) => sum + each, 0);
  const used = cachedEvents.filter((event) => text(events.cache[event]) !== "stored").length;
  const retries =
    attempts.count - calls.from.reduce((sum, _, call) => sum + Math.min(1, attemptsOf.of(call).length), 0);
  const tile = (value, name, more = "", look = "") =>
    $("tiles").append(
      element("li", look, element("b", "", value), element("span", "", name), element("small", "", more)),
    );
  tile(number(attempts.count), attempts.count === 1 ? "request" : "requests", `for ${plural(calls.count, "call")}`);
  if (run.pages > 0) tile(number(run.items), run.items === 1 ? "item" : "items", `on ${plural(run.pages, "page")}`);
  tile(number(run.rejected), "rejected", "over the quota", run.rejected > 0 ? "rejected" : "");
  tile(
    number(run.failed),
    run.failed === 1 ? "fault" : "faults",
    plural(retries, "further attempt"),
    run.failed > 0 ? "failed" : "",
  );
  if (used > 0) tile(number(used), "from the cache", "", "cached");
  tile(
    span(held),
    "without requests",
    `${Math.round((held / runLength) * 100)} % of the run, ${plural(holds.count, "hold")}`,
  );
  if (took.length > 0) tile(quantile(0.5), "median request", `95 % within ${quantile(0.95)}`);
}
function makeLegend() {
  const add = (where, look, color, words) => {
    const sample = element("i", look);
    sample.dataset.color = color;
    where.append(element("li", "", sample, words));
  };
  const legend = $("legend");
  add(legend, "", "ok", "response");
  if (run.rejected > 0) add(legend, "", "rejected", "rejected");
  if (run.failed > 0) add(legend, "", "failed", "fault");
  if (cachedEvents.length > 0) add(legend, "", "cached", "cache");
  if (run.pages > 0) add(legend, "line", "page-mark", "page");
  const waited = new Map();
  for (let i = 0; i < waits.count; ++i) {
    const reason = text(waits.reason[i]);
    const sum = waited.get(reason) || { count: 0, length: 0 };
    waited.set(reason, { count: sum.count + 1, length: sum.length + waits.length[i] });
  }
  for (const [reason, { count, length: sum }] of [...waited].sort((a, b) => b[1].length - a[1].length))
    add(legend, "wait", reasonColor(reason), `waits: ${shown(reasonText(reason))}, ${number(count)}×, ${span(sum)}`);
  if (quotas.length === 1) {
    $("quota-legend").textContent = [`of ${number(quotas[0].limit)}`, shown(quotas[0].name)].filter(Boolean).join(", ");
  } else {
    quotas.slice(0, 5).forEach((quota, index) => {
      const sample = element("i", "line");
      sample.dataset.color = quotaColor(index);
      const more = index === 4 && quotas.length > 5 ? ` and ${quotas.length - 5} more` : "";
      $("quota-legend").append(sample, `${shown(shortened(quota.name, 40))}, of ${number(quota.limit)}${more}  `);
    });
  }
}
function makeNotices() {
  $("notices").hidden = notices.length === 0;
  const most = 100;
  for (const event of notices.slice(0, most))
    $("notices").lastElementChild.append(
      element("li", "", `${clock(events.t[event], 1000)}: ${shown(text(events.note[event]))}`),
    );
  if (notices.length > most)
    $("notices").lastElementChild.append(element("li", "", `and ${number(notices.length - most)} more`));
}

// Input

function tip(event, words) {
  const box = $("tip");
  box.hidden = words === "";
  if (words === "") return;
  box.textContent = words;
  const right = event.clientX + 14 + box.offsetWidth > window.innerWidth;
  box.style.left = Math.max(4, right ? event.clientX - box.offsetWidth - 14 : event.clientX + 14) + "px";
  box.style.top = Math.min(event.clientY + 14, window.innerHeight - box.offsetHeight - 4) + "px";
}
function tipOfCall(call) {
  if (call < 0) return "";
  const { method, url, result, tries, waited } = summary(call);
  return (
    `${method} ${shortened(shown(url), 160)}\n${result} · ${span(calls.length[call])} · ${plural(tries, "attempt")}` +
    (waited > 0 ? ` · waited ${span(waited)}` : "")
  );
}
function tipOfQuota(t) {
  const lines = [clock(t, (view.until - view.from) / 100)];
  for (const quota of quotas.slice(0, 5)) {
    const at = firstThat(quota.count, (i) => quota.t[i] > t) - 1;
    if (at >= 0) lines.push(`${shown(quota.name)} ${number(quota.left[at])} of ${number(quota.limit)} left`.trim());
  }
  const hold = firstThat(holds.count, (i) => holds.until[i] > t);
  if (hold < holds.count && holds.from[hold] <= t)
    lines.push(`no requests for ${span(holds.length[hold])}: ${shown(reasonText(text(holds.reason[hold])))}`);
  return lines.join("\n");
}
/** Drags move the time; what is no drag is a click. */
function dragged(canvas, onClick, onHover) {
  let start = null;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    start = { x: event.clientX, from: view.from, moved: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (start === null) return tip(event, onHover(event));
    const by = ((event.clientX - start.x) / canvas.clientWidth) * (view.until - view.from);
    start.moved ||= Math.abs(event.clientX - start.x) > 4;
    if (!start.moved) return;
    tip(event, "");
    show(start.from - by, start.from - by + view.until - view.from);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (start !== null && !start.moved) onClick(event);
    start = null;
  });
  canvas.addEventListener("pointercancel", () => {
    start = null;
  });
  canvas.addEventListener("pointerleave", (event) => tip(event, ""));
  canvas.addEventListener(
    "wheel",
    (event) => {
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      event.preventDefault();
      if (Math.abs(sideways) > Math.abs(event.deltaY) || event.shiftKey)
        move((sideways / canvas.clientWidth) * (view.until - view.from));
      else zoom(2 ** (Math.max(-120, Math.min(120, event.deltaY)) / 240), timeAt(canvas, event.clientX));
    },
    { passive: false },
  );
  canvas.addEventListener("dblclick", (event) => zoom(0.25, timeAt(canvas, event.clientX)));
}
function brushed(canvas) {
  let start = null;
  const at = (event) => ((event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth) * runLength;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const t = at(event);
    const inside = t > view.from && t < view.until && view.until - view.from < runLength * 0.999;
    start = { t, view: inside ? { ...view } : null };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (start === null) return;
    const t = at(event);
    if (start.view) show(start.view.from + t - start.t, start.view.until + t - start.t);
    else if (Math.abs(t - start.t) > runLength / 400) show(Math.min(t, start.t), Math.max(t, start.t));
  });
  for (const name of ["pointerup", "pointercancel"])
    canvas.addEventListener(name, () => {
      start = null;
    });
  canvas.addEventListener("dblclick", () => show(0, runLength));
}
const keys = {
  ArrowLeft: () => move((view.from - view.until) / 5),
  ArrowRight: () => move((view.until - view.from) / 5),
  "+": () => zoom(0.5),
  "=": () => zoom(0.5),
  "-": () => zoom(2),
  0: () => show(0, runLength),
  n: () => step(1),
  p: () => step(-1),
  Escape: () => select(-1),
  Enter: () => selected >= 0 && zoomTo(selected),
  ArrowUp: () => {
    $("scroller").scrollTop -= row;
  },
  ArrowDown: () => {
    $("scroller").scrollTop += row;
  },
};

function listen() {
  dragged(
    $("lanes"),
    (event) => select(callAt(event.clientX, event.clientY)),
    (event) => tipOfCall(callAt(event.clientX, event.clientY)),
  );
  for (const id of ["quota", "rate"])
    dragged(
      $(id),
      () => {},
      (event) => tipOfQuota(timeAt($(id), event.clientX)),
    );
  brushed($("overview"));
  $("lanes").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  $("scroller").addEventListener("scroll", redraw);
  $("finder").addEventListener("submit", (event) => {
    event.preventDefault();
    step(1);
  });
  $("previous").addEventListener("click", () => step(-1));
  $("closer").addEventListener("click", () => zoom(0.5));
  $("farther").addEventListener("click", () => zoom(2));
  $("whole").addEventListener("click", () => show(0, runLength));
  let typing = 0;
  $("query").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(find, 120);
  });
  $("more").addEventListener("click", () => {
    rowsWanted += 50;
    addRows();
  });
  new ResizeObserver(redraw).observe($("pictures"));
  const darkness = matchMedia("(prefers-color-scheme: dark)");
  darkness.addEventListener("change", () => setTheme(darkness.matches));
  $("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
  setTheme(darkness.matches);
}

makeSummary();
makeLegend();
makeNotices();
makeHead();
showHits();
fillTable();
showDetail();
listen();
