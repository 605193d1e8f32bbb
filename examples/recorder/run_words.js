// Numbers, times and events as texts. Texts of the server reach the page only as textContent and on canvases.

const number = (value) => value.toLocaleString("en-US");
const plural = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;
function span(us) {
  if (us < 0.5) return "0 s";
  if (us < 1000) return `${Math.round(us)} µs`;
  if (us < 9950) return `${(us / 1e3).toFixed(1)} ms`;
  if (us < 999500) return `${Math.round(us / 1e3)} ms`;
  if (us < 9.995e6) return `${(us / 1e6).toFixed(2)} s`;
  if (us < 120e6) return `${(us / 1e6).toFixed(1)} s`;
  if (us < 7200e6) return `${(us / 60e6).toFixed(1)} min`;
  return `${(us / 3600e6).toFixed(1)} h`;
}
/** A time as 12.35 s, 2:05 or 1:02:05, so exact that two times a `step` apart differ. */
function clock(us, step) {
  const digits = Math.min(6, Math.max(0, Math.ceil(6 - Math.log10(step) - 1e-9)));
  if (runLength < 120e6) return `${(us / 1e6).toFixed(digits)} s`;
  const seconds = us / 1e6;
  const two = (value) => String(value).padStart(2, "0");
  const rest = (seconds % 60).toFixed(digits).padStart(digits > 0 ? digits + 3 : 2, "0");
  const minutes = Math.floor(seconds / 60);
  return runLength < 3600e6 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}
const size = (bytes) => (bytes < 1e6 ? `${number(Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
/** Controls and marks that change the direction of text are written as escapes. */
const shown = (words) =>
  words.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (mark) => "\\u" + mark.charCodeAt(0).toString(16).padStart(4, "0"),
  );
const shortened = (words, most) => (words.length > most ? words.slice(0, most - 1) + "…" : words);
const withoutPrefix = (url) =>
  run.prefix !== "" && url.startsWith(run.prefix) && url.length > run.prefix.length
    ? "…" + url.slice(run.prefix.lastIndexOf("/"))
    : url;

function quotaText(event) {
  const words = [];
  const limit = events.limit[event] > 0 ? ` of ${number(events.limit[event] - 1)}` : "";
  if (events.remaining[event] > 0) words.push(`${number(events.remaining[event] - 1)}${limit} left`);
  if (events.resets_in[event] > 0) words.push(`resets in ${span(events.resets_in[event] - 1)}`);
  if (words.length > 0 && events.partition[event] > 0) words.push(text(events.partition[event]));
  return words.join(", ");
}
/** What happened, and more about it. */
function eventTexts(event) {
  const status = events.status[event];
  const reason = text(events.reason[event]);
  switch (kindOf(event)) {
    case "sent":
      return [`sent, attempt ${events.attempt[event]}`, ""];
    case "attempt_ended":
      return [`${text(events.error[event]) || status} after ${span(events.elapsed[event])}`, quotaText(event)];
    case "holding":
      return [`waits ${span(events.wait[event])}`, reasonText(reason)];
    case "retrying":
      return [`retries after ${span(events.wait[event])}`, reasonText(reason)];
    case "cached":
      return [`${status} from the cache`, text(events.cache[event])];
    case "redirected":
      return ["continues at", text(events.url[event])];
    case "page_delivered":
      return [`page ${number(events.page[event])}`, plural(events.items[event], "item")];
    case "polling":
      return [
        `not finished${events.percent[event] > 0 ? `, ${events.percent[event] - 1} %` : ""}`,
        `waits ${span(events.wait[event])}`,
      ];
    case "progress":
      return events.body_size[event] > 0
        ? [`sent ${size(events.sent_bytes[event])}`, `of ${size(events.body_size[event] - 1)}`]
        : [
            size(events.bytes[event]),
            events.total_bytes[event] > 0 ? `of ${size(events.total_bytes[event] - 1)}` : "",
          ];
    case "ended":
      return [`ended: ${text(events.error[event]) || status || "without a response"}`, ""];
    default:
      return [text(events.note[event]) || kindOf(event), ""];
  }
}

/** An element with text, or with elements. */
function element(name, look, ...content) {
  const made = document.createElement(name);
  if (look) made.className = look;
  made.append(...content);
  return made;
}
