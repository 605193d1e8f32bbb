// The charts over time: the whole run, the quota, the requests sent.

const font = (px) => `${px}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`;
function prepared(canvas, height = canvas.clientHeight) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const columns = Math.round(width * scale);
  const rows = Math.round(height * scale);
  if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows });
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height, x: (t) => ((t - view.from) / (view.until - view.from)) * width };
}
const timeAt = (canvas, clientX) => {
  const box = canvas.getBoundingClientRect();
  return view.from + ((clientX - box.left) / box.width) * (view.until - view.from);
};
function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999);
}
function timeSteps(width) {
  const rough = (view.until - view.from) / Math.max(2, width / 110);
  const clocks = [15e6, 30e6, 60e6, 120e6, 300e6, 600e6, 900e6, 1800e6, 3600e6, 7200e6, 21600e6, 86400e6];
  const step =
    rough > 10e6 && runLength >= 120e6
      ? clocks.find((each) => each >= rough) || niceStep(rough)
      : Math.max(1, niceStep(rough));
  const steps = [];
  for (let at = Math.ceil(view.from / step) * step; at <= view.until; at += step) steps.push(at);
  return { step, steps };
}
function drawGrid(sheet) {
  sheet.pen.fillStyle = palette.grid;
  for (const at of timeSteps(sheet.width).steps) sheet.pen.fillRect(Math.round(sheet.x(at)), 0, 1, sheet.height);
}
function drawHolds({ pen, width, height, x }, alpha, hasWords) {
  pen.font = font(11);
  let drawn = 0;
  for (let i = firstThat(holds.count, (at) => holds.until[at] > view.from); i < holds.count; ++i) {
    if (holds.from[i] > view.until) break;
    const left = Math.max(0, x(holds.from[i]));
    const right = Math.min(width, Math.max(x(holds.until[i]), left + 1));
    if (right <= drawn) continue;
    drawn = right;
    const reason = text(holds.reason[i]);
    pen.fillStyle = palette[reasonColor(reason)];
    pen.globalAlpha = alpha;
    pen.fillRect(left, 0, right - left, height);
    pen.globalAlpha = 1;
    const room = right - left - 8;
    if (!hasWords || room < 24) continue;
    const words = [`${shown(reasonText(reason))}, ${span(holds.length[i])}`, span(holds.length[i])].find(
      (each) => pen.measureText(each).width < room,
    );
    pen.fillStyle = palette.soft;
    if (words) pen.fillText(words, left + 5, 13);
  }
}

/** The attempts that were sent in each of `columns` equal parts of a time, by outcome. */
function density(from, until, columns) {
  const counts = outcomes.map(() => new Int32Array(columns));
  for (let i = firstThat(attempts.count, (at) => attempts.from[at] >= from); i < attempts.count; ++i) {
    if (attempts.from[i] > until) break;
    const at = Math.min(columns - 1, Math.floor(((attempts.from[i] - from) / (until - from)) * columns));
    ++counts[attempts.outcome[i]][at];
  }
  return counts;
}
function drawDensity(pen, counts, left, each, bottom, highest, height) {
  for (let at = 0; at < counts[0].length; ++at) {
    let y = bottom;
    outcomes.forEach((outcome, kind) => {
      if (counts[kind][at] === 0) return;
      const tall = Math.max(1.5, (counts[kind][at] / highest) * height);
      pen.fillStyle = palette[outcome];
      pen.fillRect(left + at * each, y - tall, each > 3 ? each - 1 : each, tall);
      y -= tall;
    });
  }
}
function highestOf(counts) {
  let highest = 1;
  for (let at = 0; at < counts[0].length; ++at)
    highest = Math.max(highest, counts[0][at] + counts[1][at] + counts[2][at]);
  return highest;
}

function drawOverview() {
  const sheet = prepared($("overview"));
  const { pen, width, height } = sheet;
  const x = (t) => (t / runLength) * width;
  const visible = { ...view };
  Object.assign(view, { from: 0, until: runLength });
  drawHolds(sheet, 0.22, false);
  Object.assign(view, visible);
  const columns = Math.max(1, Math.floor(width / 3));
  const counts = density(0, runLength, columns);
  drawDensity(pen, counts, 0, width / columns, height - 1, highestOf(counts), height - 8);
  if (isHit) {
    pen.fillStyle = palette.accent;
    let last = -2;
    for (const call of hits) {
      const at = Math.round(x(calls.from[call]));
      if (at < last + 2) continue;
      last = at;
      pen.fillRect(at, 0, 2, 5);
    }
  }
  const left = x(view.from);
  const right = Math.max(x(view.until), left + 2);
  pen.fillStyle = palette.page;
  pen.globalAlpha = 0.7;
  pen.fillRect(0, 0, left, height);
  pen.fillRect(right, 0, width - right, height);
  pen.globalAlpha = 1;
  pen.strokeStyle = palette.accent;
  pen.lineWidth = 1.5;
  pen.strokeRect(left + 0.75, 0.75, right - left - 1.5, height - 1.5);
  const part = (view.until - view.from) / runLength;
  $("range").textContent =
    part > 0.999
      ? `${span(runLength)}, drag to zoom`
      : `${clock(view.from, (view.until - view.from) / 100)} – ${clock(view.until, (view.until - view.from) / 100)}`;
}

/** The number of a quota is its color; further ones share the last. */
const quotaColor = (index) => `quota-${Math.min(index + 1, 5)}`;
/** The readings in view, with the one before: of each pixel the first, the lowest, the highest and the last. */
function thinned(quota, x) {
  const kept = [];
  let first = Math.max(0, firstThat(quota.count, (at) => quota.t[at] > view.from) - 1);
  while (first < quota.count && quota.t[first] <= view.until) {
    let [low, high, next] = [first, first, first];
    for (
      const pixel = Math.floor(x(quota.t[first]));
      next < quota.count && Math.floor(x(quota.t[next])) === pixel;
      ++next
    ) {
      if (quota.left[next] < quota.left[low]) low = next;
      if (quota.left[next] > quota.left[high]) high = next;
    }
    kept.push(...[...new Set([first, low, high, next - 1])].sort((one, other) => one - other));
    first = next;
  }
  return kept;
}
function drawReadings({ pen, width, x }, quota, color, top, bottom) {
  const y = (at) => bottom - (quota.left[at] / Math.max(quota.limit, 1)) * (bottom - top);
  const readings = thinned(quota, x);
  if (readings.length === 0) return;
  const start = Math.max(0, x(quota.t[readings[0]]));
  pen.beginPath();
  pen.moveTo(start, y(readings[0]));
  readings.forEach((reading, i) => {
    if (i > 0) pen.lineTo(Math.max(0, x(quota.t[reading])), y(readings[i - 1]));
    pen.lineTo(Math.max(0, x(quota.t[reading])), y(reading));
  });
  pen.lineTo(width, y(readings.at(-1)));
  const isDense = readings.length > 2 * width;
  pen.lineWidth = isDense ? 1 : 1.75;
  pen.globalAlpha = isDense ? 0.5 : 1;
  pen.lineJoin = isDense ? "bevel" : "round";
  pen.strokeStyle = color;
  pen.stroke();
  if (quotas.length === 1) {
    pen.lineTo(width, bottom);
    pen.lineTo(start, bottom);
    pen.globalAlpha = 0.12;
    pen.fillStyle = color;
    pen.fill();
  }
  pen.globalAlpha = 1;
}
function drawQuota() {
  const sheet = prepared($("quota"));
  const { pen, width, height } = sheet;
  drawGrid(sheet);
  drawHolds(sheet, 0.2, true);
  pen.font = font(11);
  if (quotas.length === 0) {
    pen.fillStyle = palette.soft;
    pen.fillText("The server reported none.", 8, height / 2 + 4);
    return;
  }
  const top = 20;
  const bottom = height - 4;
  quotas.forEach((quota, index) => drawReadings(sheet, quota, palette[quotaColor(index)], top, bottom));
  pen.textAlign = "right";
  for (const part of [0, 0.5, 1]) {
    const words = quotas.length === 1 ? number(Math.round(quotas[0].limit * part)) : `${part * 100} %`;
    const y = bottom - part * (bottom - top);
    pen.fillStyle = palette.grid;
    pen.fillRect(0, Math.round(y), width, 1);
    pen.fillStyle = palette.card;
    pen.globalAlpha = 0.75;
    pen.fillRect(width - pen.measureText(words).width - 8, y - (part === 0 ? 14 : 7), width, 14);
    pen.globalAlpha = 1;
    pen.fillStyle = palette.soft;
    pen.fillText(words, width - 4, y + (part === 0 ? -3 : 4));
  }
  pen.textAlign = "left";
}

function drawRate() {
  const sheet = prepared($("rate"));
  const { pen, width, height, x } = sheet;
  drawGrid(sheet);
  drawHolds(sheet, 0.12, false);
  const columns = Math.max(1, Math.floor(width / 6));
  const counts = density(view.from, view.until, columns);
  const highest = highestOf(counts);
  drawDensity(pen, counts, 0, width / columns, height - 12, highest, height - 18);
  pen.fillStyle = palette["page-mark"];
  let last = -9;
  for (
    let i = firstThat(pageEvents.length, (at) => events.t[pageEvents[at]] >= view.from);
    i < pageEvents.length;
    ++i
  ) {
    if (events.t[pageEvents[i]] > view.until) break;
    const at = x(events.t[pageEvents[i]]);
    if (at - last < 2) continue;
    last = at;
    pen.fillRect(at - 0.75, height - 8, 1.5, 7);
  }
  $("rate-legend").textContent = `at most ${number(highest)} in ${span((view.until - view.from) / columns)}`;
}

function drawAxis() {
  const { pen, width, x } = prepared($("axis"));
  pen.font = font(11.5);
  pen.textAlign = "center";
  const { step, steps } = timeSteps(width);
  for (const at of steps) {
    pen.fillStyle = palette.grid;
    pen.fillRect(Math.round(x(at)), 0, 1, 5);
    const words = clock(at, step);
    const half = pen.measureText(words).width / 2;
    pen.fillStyle = palette.soft;
    pen.fillText(words, Math.min(width - half, Math.max(half, x(at))), 17);
  }
}
