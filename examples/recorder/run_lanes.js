// The calls in lanes, and the one at a place.

const row = Math.max(7, Math.min(26, Math.floor(416 / Math.max(1, run.lanes))));
const laneHeight = Math.min(416, Math.max(26, run.lanes * row));
$("scroller").style.height = laneHeight + "px";
$("ground").style.height = Math.max(laneHeight, run.lanes * row) + "px";
$("lanes").style.height = laneHeight + "px";

function firstCallAfter(list, t) {
  return firstThat(list.length, (at) => calls.until[list[at]] >= t);
}

function drawLanes() {
  const sheet = prepared($("lanes"), laneHeight);
  const { pen, x } = sheet;
  drawGrid(sheet);
  pen.font = font(11);
  const above = $("scroller").scrollTop;
  const gap = row > 12 ? 3 : row > 8 ? 2 : 1;
  for (let lane = Math.floor(above / row); lane < run.lanes && lane * row < above + laneHeight; ++lane) {
    const y = lane * row - above;
    if (isHit) {
      pen.globalAlpha = 0.16;
      drawLane(lane, y, gap, sheet, (call) => !isHit[call]);
      pen.globalAlpha = 1;
    }
    drawLane(lane, y, gap, sheet, (call) => !isHit || isHit[call]);
  }
  drawSelection(pen, x, above);
  $("lanes-legend").textContent = `${plural(calls.count, "call")}, ${number(run.lanes)} at most at one time`;
}
function drawLane(lane, y, gap, sheet, isWanted) {
  const list = callsOf.of(lane);
  const drawn = { wait: -9, ok: -9, rejected: -9, failed: -9, cached: -9 };
  for (let i = firstCallAfter(list, view.from); i < list.length && calls.from[list[i]] <= view.until; ++i)
    if (isWanted(list[i])) drawCall(list[i], y, gap, sheet, drawn);
}
/** @param drawn  up to where each kind of bar is drawn: what ends before is not visible */
function drawCall(call, y, gap, { pen, width, x }, drawn) {
  const bar = (kind, color, from, until, thin) => {
    const left = Math.max(-2, x(from));
    const right = Math.min(width + 2, Math.max(x(until), left + 1.25));
    if (right <= drawn[kind] + 1) return 0;
    drawn[kind] = right;
    const height = thin ? Math.max(2, Math.round(row * 0.22)) : row - gap;
    pen.fillStyle = palette[color];
    pen.fillRect(left, y + (row - height) / 2, right - left, height);
    return right - left;
  };
  for (const wait of waitsOf.of(call))
    if (waits.until[wait] >= view.from && waits.from[wait] <= view.until)
      bar("wait", reasonColor(text(waits.reason[wait])), waits.from[wait], waits.until[wait], true);
  for (const attempt of attemptsOf.of(call)) {
    if (attempts.until[attempt] < view.from || attempts.from[attempt] > view.until) continue;
    const outcome = outcomes[attempts.outcome[attempt]];
    const wide = bar(outcome, outcome, attempts.from[attempt], attempts.until[attempt], false);
    if (wide > 34 && row >= 15) drawWords(pen, attempt, Math.max(0, x(attempts.from[attempt])), wide, y);
  }
  const { cache } = summary(call);
  if (cache === "" || cache === "stored") return;
  for (const event of eventsOf.of(call))
    if (kindOf(event) === "cached") bar("cached", "cached", events.t[event], events.t[event], false);
}
function drawWords(pen, attempt, left, wide, y) {
  const ended = attempts.sent[attempt] + attempts.ended[attempt];
  const result = attempts.ended[attempt] > 0 ? text(events.error[ended]) || events.status[ended] : "…";
  const most = Math.floor((wide - 8) / 6);
  const words =
    wide < 110 ? String(result) : `${result} ${shown(withoutPrefix(text(events.url[attempts.sent[attempt]])))}`;
  if (words.length > most && wide < 110) return;
  pen.fillStyle = palette.card;
  pen.fillText(shortened(words, most), left + 5, y + row / 2 + 4);
}
function drawSelection(pen, x, above) {
  if (selected < 0) return;
  const left = x(calls.from[selected]);
  const right = Math.max(x(calls.until[selected]), left + 2);
  const y = calls.lane[selected] * row - above;
  pen.strokeStyle = palette.text;
  pen.lineWidth = 2;
  pen.strokeRect(left - 2, y + 0.5, right - left + 4, row - 1);
}

function draw() {
  drawOverview();
  drawQuota();
  drawRate();
  drawAxis();
  drawLanes();
}
