// The visible span of time, the selected call, the hits of the search, and the colors.

const view = { from: 0, until: runLength };
let selected = -1;
let hits = null; // the calls that the search found; null without a search
let isHit = null;
let drawing = 0;

function redraw() {
  drawing ||= requestAnimationFrame(() => {
    drawing = 0;
    draw();
  });
}
function show(from, until) {
  const shortest = Math.min(runLength, 20);
  const wanted = Math.min(runLength, Math.max(shortest, until - from));
  const middle = (from + until) / 2;
  view.from = Math.min(Math.max(0, middle - wanted / 2), runLength - wanted);
  view.until = view.from + wanted;
  redraw();
}
/** @param factor  below 1 to see less @param at  the time that keeps its place */
function zoom(factor, at = (view.from + view.until) / 2) {
  const wanted = Math.min(runLength, Math.max(20, (view.until - view.from) * factor));
  const from = at - ((at - view.from) / (view.until - view.from)) * wanted;
  show(from, from + wanted);
}
const move = (by) => show(view.from + by, view.until + by);

let palette = {};
function readPalette() {
  const style = getComputedStyle(document.documentElement);
  palette = new Proxy(
    {},
    {
      get: (known, name) => (known[name] ??= style.getPropertyValue("--" + name).trim()),
    },
  );
}
function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  $("theme").setAttribute("aria-pressed", String(dark));
  readPalette();
  for (const sample of document.querySelectorAll("i[data-color]"))
    sample.style.background = palette[sample.dataset.color];
  redraw();
}
