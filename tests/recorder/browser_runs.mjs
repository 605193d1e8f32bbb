// Recorded runs, as examples/recorder/run_log.hpp describes their lines.

export const hostileTexts = [
  "</script><script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<!--<script>",
  "\"'`&amp;${1}",
  "]]>\u2028\u202etxt.exe",
  "javascript:alert(1)",
];

/** Six calls at a time under a quota of 30 requests in 4 s, some of them rejected, failing, repeated, or in a cache.
 *  @param texts  URLs and notices of the first calls */
export function recordedRun(calls, texts = []) {
  const lines = [];
  const freeAt = new Array(6).fill(0);
  const quota = { left: 30, reset: 4 };
  for (let call = 1; call <= calls; ++call) {
    const lane = freeAt.indexOf(Math.min(...freeAt));
    const url = ["https://api.example.com/orders?page=" + call, ...texts].join("/");
    const add = (t, kind, more = {}) => lines.push({ t, kind, call, method: "GET", url, ...more });
    freeAt[lane] = call % 29 === 0 ? cached(freeAt[lane], add) : requested(freeAt[lane], call, quota, add);
    if (quota.left === 0)
      freeAt.forEach((t, i) => {
        freeAt[i] = i === lane ? t : Math.max(t, quota.reset - 0.5);
      });
    if (call % 150 === 1) for (const note of texts) add(freeAt[lane], "notice", { note });
  }
  lines.sort((a, b) => a.t - b.t);
  lines[0] = { ...lines[0], started: "2026-01-20T12:00:00.000Z" };
  return lines.map((line) => JSON.stringify(line) + "\n").join("");
}

function cached(t, add) {
  add(t, "cached", { status: 200, cache: "fresh" });
  add(t, "page_delivered", { page: 1, items: 50, cache: "fresh", status: 200 });
  return t + 0.001;
}

function requested(start, call, quota, add) {
  let t = start;
  for (let attempt = 1; ; ++attempt) {
    if (t >= quota.reset) Object.assign(quota, { left: 30, reset: t + 4 });
    if (quota.left === 0) {
      add(t, "holding", { attempt: attempt - 1, reason: "quota", wait: quota.reset - t, until: quota.reset });
      t = quota.reset;
      Object.assign(quota, { left: 30, reset: t + 4 });
    }
    --quota.left;
    add(t, "sent", { attempt });
    const elapsed = 0.05 + ((call * 37) % 100) / 1000;
    t += elapsed;
    const reading = { limit: 30, remaining: quota.left, resets_in: Math.max(0, quota.reset - t) };
    const fault = attempt > 1 ? "" : call % 41 === 0 ? "rejected" : call % 53 === 0 ? "backoff" : "";
    const status = { rejected: 429, backoff: 503 }[fault] || 200;
    add(t, "attempt_ended", { attempt, status, elapsed, ...reading });
    if (fault === "") break;
    add(t, "retrying", { attempt, reason: fault, wait: 0.5, until: t + 0.5 });
    t += 0.5;
  }
  add(t, "page_delivered", { page: call, items: 50 });
  return t + 0.002;
}
