// node event_streams.mjs FOLDER [--examples] < LINES: compares what noun read, which `event_streams` prints, with what
// npm's eventsource-parser reads, which is unpacked in the folder. See tests/conformance/event_streams.
import {createInterface} from 'node:readline';
import {pathToFileURL} from 'node:url';

const [folder, option] = process.argv.slice(2);
const {createParser} = await import(pathToFileURL(`${folder}/dist/index.js`));
const mostShown = 10;

/** What the package reads of the pieces of a text. An event without the field has null as its type or id. */
const read = (pieces) => {
  const verdict = {events: [], last_id: '', retry: null};
  const parser = createParser({
    onEvent: ({data, event = null, id = null}) => {
      verdict.events.push({data, event, id});
      verdict.last_id = id ?? '';
    },
    onRetry: (milliseconds) => (verdict.retry = milliseconds)
  });
  for (const piece of pieces) parser.feed(piece);
  return verdict;
};

/** The data line that ends an event, so that the package reports events without data. */
const mark = '\u{10FFFE}end';
const longestRetry = Math.floor(2 ** 63 / 1e6);

/**
 * Where noun differs: what it does, and why. `input` returns the text that the package reads, `output` changes its
 * verdict and returns whether it did.
 */
const rules = [
  {
    name: 'the characters U+00EF U+00BB U+00BF are not a byte order mark',
    why: 'the package looks for its bytes in decoded text; the decoder has removed the mark already',
    input: (text) => (text.startsWith('\u00EF\u00BB\u00BF') ? `\n${text}` : text)
  },
  {
    name: 'CR ends a line before the next byte arrives',
    why: 'the package waits for a possible LF, at the end of the stream in vain',
    input: (text) => (text.endsWith('\r') ? `${text}\n` : text)
  },
  {
    name: 'an id stays for the events after it, also that of an event without data',
    why: 'the standard; the package reports the field of each event',
    input: (text) =>
      text.replace(/([^\r\n]*)(\r\n|\r|\n)/g, (line, content, end) => (content ? line : `data:${mark}${end}${end}`)),
    output: (verdict) => {
      verdict.last_id = '';
      const events = [];
      let changed = false;
      for (const {data, event, id} of verdict.events) {
        changed ||= data === mark ? id !== null : id === null && verdict.last_id !== '';
        verdict.last_id = id ?? verdict.last_id;
        if (data !== mark) events.push({data: data.slice(0, -mark.length - 1), event, id: verdict.last_id});
      }
      verdict.events = events;
      return changed;
    }
  },
  {
    name: 'an event without a type is a message',
    why: 'the standard; the package leaves it to its caller',
    output: ({events}) => {
      const bare = events.filter(({event}) => event === null);
      for (const each of bare) each.event = 'message';
      return bare.length > 0;
    }
  },
  {
    name: 'a retry that does not fit is the longest duration',
    why: 'the package has a floating-point number',
    output: (verdict) => verdict.retry > longestRetry && Boolean((verdict.retry = longestRetry))
  }
];

const judge = (text) => {
  const applied = new Set();
  for (const rule of rules) {
    const changed = rule.input?.(text) ?? text;
    // The mark alone says nothing.
    if (changed !== text && !rule.output) applied.add(rule);
    text = changed;
  }
  const verdict = read([text]);
  for (const rule of rules) if (rule.output?.(verdict)) applied.add(rule);
  return {verdict, applied};
};

const bytesOf = (hex) => Buffer.from(hex, 'hex');
/** The value of a field: a byte order mark in it is a character. */
const textOf = (hex) => new TextDecoder('utf-8', {ignoreBOM: true}).decode(bytesOf(hex));
const equal = (left, right) => JSON.stringify(left) === JSON.stringify(right);

const needed = new Map(rules.map((rule) => [rule, 0]));
let cases = 0;
let same = 0;
let events = 0;
let unjudged = 0;
for await (const line of createInterface({input: process.stdin})) {
  const {stream, pieces, ...read_by_noun} = JSON.parse(line);
  const own = {
    events: read_by_noun.events.map(
      ({data, event, id}) => ({data: textOf(data), event: textOf(event), id: textOf(id)})),
    last_id: textOf(read_by_noun.last_id),
    retry: read_by_noun.retry
  };
  const decoder = new TextDecoder();
  let at = 0;
  const texts = pieces.map((size) => decoder.decode(bytesOf(stream).subarray(at, (at += size)), {stream: true}));
  const plain = read(texts);
  for (const each of plain.events) each.id ??= '';
  ++cases;
  events += own.events.length;
  if (equal(own, plain)) {
    ++same;
    continue;
  }
  const {verdict: judged, applied} = judge(texts.join(''));
  let isShown = false;
  let name = 'not judged';
  if (equal(own, judged)) {
    for (const rule of applied) {
      needed.set(rule, needed.get(rule) + 1);
      if (needed.get(rule) === 1 && option === '--examples') [isShown, name] = [true, rule.name];
    }
  } else {
    isShown = ++unjudged <= mostShown;
  }
  if (isShown) {
    console.log(`${name}: ${JSON.stringify(texts)}`);
    for (const [reader, verdict] of Object.entries({noun: own, package: plain, judged}))
      console.log(`  ${reader}: ${JSON.stringify(verdict)}`);
  }
}

console.log(`${cases} streams with ${events} events: ${same} the same, ${unjudged} not judged, ` +
  `${cases - same - unjudged} the same by these rules of noun:`);
for (const [{name, why}, count] of needed) console.log(`${String(count).padStart(7)} ${name} (${why})`);
process.exitCode = cases > 0 && unjudged === 0 && [...needed.values()].every((count) => count > 0) ? 0 : 1;
