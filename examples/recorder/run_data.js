// The data of the page: #run, whose form run_report.cpp describes. Times are microseconds since the first event.

const $ = (id) => document.getElementById(id);
const run = JSON.parse($("run").textContent);

/** All values of a column, or [indices, values] of those that are not 0. */
function column(packed, count, isDelta) {
  const all = new Float64Array(count);
  if (Array.isArray(packed[0])) {
    let at = 0;
    packed[0].forEach((step, i) => {
      all[(at += step)] = packed[1][i];
    });
  } else {
    all.set(packed);
  }
  if (isDelta) for (let i = 1; i < count; ++i) all[i] += all[i - 1];
  return all;
}
function table(packed, ...deltas) {
  const columns = { count: packed.count };
  for (const name of Object.keys(packed))
    if (name !== "count") columns[name] = column(packed[name], packed.count, deltas.includes(name));
  return columns;
}
/** For each owner the indices of what belongs to it: `of(owner)`. */
function grouped(owners, count) {
  const ends = new Int32Array(count + 1);
  for (const owner of owners) if (owner >= 0) ++ends[owner + 1];
  for (let i = 0; i < count; ++i) ends[i + 1] += ends[i];
  const members = new Int32Array(ends[count]);
  const next = ends.slice();
  owners.forEach((owner, i) => {
    if (owner >= 0) members[next[owner]++] = i;
  });
  return { of: (owner) => members.subarray(ends[owner], ends[owner + 1]) };
}
/** The first index in [0, count) for which `isAfter` holds; `count` if there is none. */
function firstThat(count, isAfter) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const text = (index) => run.texts[index];
const events = table(run.events, "t");
const calls = table(run.calls, "first");
const attempts = table(run.attempts, "sent");
const waits = table(run.waits);
const holds = table(run.holds, "from");
const runLength = Math.max(run.length, 1);
const kindOf = (event) => text(events.kind[event]);

calls.from = calls.first.map((event) => events.t[event]);
calls.until = calls.from.map((from, i) => from + calls.length[i]);
attempts.from = attempts.sent.map((event) => events.t[event]);
attempts.until = attempts.ended.map((steps, i) => (steps > 0 ? events.t[attempts.sent[i] + steps] : run.length));
waits.from = waits.from.map((from, i) => from + calls.from[waits.call[i]]);
waits.until = waits.from.map((from, i) => from + waits.length[i]);
holds.until = holds.from.map((from, i) => from + holds.length[i]);
const quotas = run.quotas.map((quota) => ({
  name: text(quota.partition),
  limit: quota.limit,
  count: quota.count,
  t: column(quota.t, quota.count, true),
  left: column(quota.remaining, quota.count),
}));
const eventsOf = grouped(
  events.call.map((call) => call - 1),
  calls.count,
);
const attemptsOf = grouped(attempts.call, calls.count);
const waitsOf = grouped(waits.call, calls.count);
const callsOf = grouped(calls.lane, run.lanes);
const cachedEvents = [];
const pageEvents = [];
const notices = [];
for (let i = 0; i < events.count; ++i) {
  const kind = kindOf(i);
  if (kind === "cached") cachedEvents.push(i);
  if (kind === "page_delivered") pageEvents.push(i);
  if (kind === "notice") notices.push(i);
}

const outcomes = ["ok", "rejected", "failed"];
const reasons = {
  quota: "quota exhausted",
  reset_probe: "reset probe",
  first_response: "first response",
  probe: "probe of the new window",
  concurrency: "concurrency limit",
  share: "share of the quota",
  same_request: "same request in flight",
  rejected: "rejection",
  retry_after: "Retry-After",
  backoff: "backoff",
  polling: "poll of an operation",
};
const reasonText = (reason) => reasons[reason] || reason;
const reasonColor = (reason) => (Object.hasOwn(reasons, reason) ? "w-" + reason : "w-other");

const summaries = new Array(calls.count);
function summary(call) {
  if (summaries[call]) return summaries[call];
  let waited = 0;
  for (const wait of waitsOf.of(call)) waited += waits.length[wait];
  const found = { waited, tries: attemptsOf.of(call).length, result: "", look: "", cache: "", method: "", url: "" };
  for (const event of eventsOf.of(call)) {
    found.method ||= text(events.method[event]);
    found.url ||= text(events.url[event]);
    if (kindOf(event) === "cached") {
      found.cache = text(events.cache[event]);
      found.result = String(events.status[event]);
    } else if (kindOf(event) === "attempt_ended" || kindOf(event) === "ended") {
      found.result = text(events.error[event]) || String(events.status[event] || found.result);
    }
  }
  const last = attemptsOf.of(call).at(-1);
  found.look =
    found.cache !== "" && found.cache !== "stored"
      ? "cached"
      : outcomes[last === undefined ? 0 : attempts.outcome[last]];
  found.result ||= "no response";
  return (summaries[call] = found);
}
