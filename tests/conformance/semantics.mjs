// node semantics.mjs FOLDER < CASES > VERDICTS: what npm's http-cache-semantics, unpacked in the folder, says of each
// line of JSON that `cache_semantics cases` prints. The first line of the output has the rules below, and the others have
// two verdicts: `plain` is the package's, `judged` the one by those rules that change something.
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';

const CachePolicy = createRequire(import.meta.url)(`${process.argv[2]}/index.js`);
// A private cache without heuristic freshness.
const options = {shared: false, cacheHeuristic: 0, immutableMinTimeToLive: 0};
let clock = 0;
CachePolicy.prototype.now = () => clock;

/** Lower-case names; the values of one name are joined. */
const record = (fields) => {
  const headers = {};
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
  }
  return headers;
};

const blank = {stored: false, lifetime: 0, use: 'ask', age: null, if_none_match: '', if_modified_since: ''};

const decide = ({method, first, second, status, response, now, elapsed}) => {
  clock = now * 1000;
  const policy = new CachePolicy({method, url: '/', headers: first}, {status, headers: response}, options);
  if (!policy.storable()) return {...blank};
  const lifetime = policy.maxAge();
  clock += elapsed * 1000;
  const {response: used, revalidation} = policy.evaluateRequest({method, url: '/', headers: second});
  return {
    stored: true,
    lifetime,
    use: used ? (revalidation ? 'stale' : 'fresh') : 'ask',
    age: used ? Number(used.headers.age) : null,
    if_none_match: revalidation?.headers['if-none-match'] ?? '',
    if_modified_since: revalidation?.headers['if-modified-since'] ?? ''
  };
};

const directives = (headers) => (headers['cache-control'] ?? '').split(',').map((each) => each.trim());
/** Edits the directives, and says whether that changed any. */
const edit = (headers, change) => {
  const before = directives(headers).join(',');
  const after = change(directives(headers)).join(',');
  if (before !== after) headers['cache-control'] = after;
  return before !== after;
};
const without = (headers, name) => edit(headers, (all) => all.filter((each) => each.split('=')[0] !== name));
const remove = (headers, ...names) => names.filter((name) => name in headers && delete headers[name]).length > 0;
const clear = (verdict) => Object.assign(verdict, blank);
const times = ['max-age', 'stale-while-revalidate', 'stale-if-error'];
const isNumber = (text) => /^(\d+|"\d+")$/.test(text ?? '');
const seconds = (text) => parseInt(text.replace('"', ''));
const isSuccess = (status) => status >= 200 && status < 300 && status !== 206;
const storedIfFresh = [301, 302, 303, 307, 308, 404, 410];
const varies = ({first, second, response}) =>
  (response.vary ?? '').toLowerCase().split(',').map((each) => each.trim()).filter((each) => each !== '')
    .some((each) => each === '*' || first[each] !== second[each]);

/**
 * Where noun differs: what it does, and why. `input` changes the case that the package decides, `output` its verdict;
 * both return whether they changed something.
 */
const rules = [
  {
    name: 'the names of directives compare without case',
    why: 'RFC 9111, section 5.2',
    input: ({response}) => edit(response, (all) => all.map((each) => each.replace(/^[^=]*/, (it) => it.toLowerCase())))
  },
  {
    name: 'of equal directives the shortest time counts',
    why: 'RFC 9111, section 4.2.1, leaves it open; the package takes the last',
    input: ({response}) => edit(response, (all) => {
      const parts = all.map((each, place) => ({name: each.split('=')[0], value: each.split('=')[1], place}));
      return all.filter((_, at) => {
        const {name, value} = parts[at];
        const same = parts.filter((other) => other.name === name);
        return !times.includes(name) || !same.every((other) => isNumber(other.value)) ||
          same.every((other) => seconds(other.value) > seconds(value) ||
            (seconds(other.value) === seconds(value) && other.place >= at));
      });
    })
  },
  {
    name: 'a Date of 0 is invalid, and the time of arrival counts',
    why: 'RFC 9110, sections 5.6.7 and 6.6.1; the package reads it as the year 2000',
    input: ({response}) => response.date === '0' && Boolean(response.date = 'foo')
  },
  {
    name: 'Pragma is ignored',
    why: 'RFC 9111, section 5.4, deprecates it',
    input: ({second, response}) => [remove(second, 'pragma'), remove(response, 'pragma')].includes(true)
  },
  {
    name: 'max-stale of a request is ignored',
    why: 'RFC 9111, section 5.2.1, lets a cache do so',
    input: ({second}) => without(second, 'max-stale')
  },
  {
    name: 'request fields compare without spaces between elements, and Accept and its like without case',
    why: 'RFC 9111, section 4.1',
    input: ({first, second}) => {
      const normal = (name, value) => {
        const elements = value.split(',').map((each) => each.trim()).join(',');
        return name.startsWith('accept') ? elements.toLowerCase() : elements;
      };
      const differ = Object.keys(second).filter((name) =>
        name in first && first[name] !== second[name] && normal(name, first[name]) === normal(name, second[name]));
      for (const name of differ) second[name] = first[name];
      return differ.length > 0;
    }
  },
  {
    name: 'an invalid Age is ignored',
    why: 'RFC 9111, section 5.1; the package reads the number that it starts with, also a negative one',
    input: ({response}) => 'age' in response && !/^\d+(, .*)?$/.test(response.age) && remove(response, 'age')
  },
  {
    name: 'what is fresh is used in spite of must-revalidate',
    why: 'RFC 9111, section 5.2.2.2: it is about what is stale',
    output: (sample, verdict) => {
      const {response} = sample;
      if (!directives(response).includes('must-revalidate')) return false;
      const fields = {...response};
      without(fields, 'must-revalidate');
      without(fields, 'stale-while-revalidate');
      const relaxed = decide({...sample, response: fields});
      return relaxed.use === 'fresh' && Boolean(Object.assign(verdict, relaxed));
    }
  },
  {
    name: 'stale-while-revalidate does not apply beside no-cache',
    why: 'RFC 9111, section 5.2.2.4: it must not be used before it is validated',
    output: ({response}, verdict) => {
      if (verdict.use !== 'stale' || !directives(response).some((each) => /^no-cache(=|$)/.test(each))) return false;
      return Boolean(Object.assign(verdict, {use: 'ask', age: null}));
    }
  },
  {
    name: 'what has neither a lifetime nor a validator is not stored',
    why: 'stale-while-revalidate extends a lifetime, and there is none',
    output: ({response}, verdict) => verdict.stored && verdict.lifetime === 0 && !response.etag &&
      !response['last-modified'] && Boolean(clear(verdict))
  },
  {
    name: 'the ETags of all variants are sent',
    why: 'RFC 9111, section 4.3.1',
    output: (sample, verdict) => {
      const {etag, vary} = sample.response;
      if (!verdict.stored || !varies(sample) || !etag || vary.includes('*')) return false;
      verdict.if_none_match = etag;
      return true;
    }
  },
  {
    name: 'a HEAD is validated like a GET',
    why: 'RFC 9110, sections 13.1.2 and 13.1.3: If-None-Match compares weakly',
    output: (sample, verdict) => {
      if (sample.method !== 'HEAD' || !verdict.stored || verdict.use === 'fresh' || varies(sample)) return false;
      const before = verdict.if_none_match + verdict.if_modified_since;
      verdict.if_none_match = sample.response.etag ?? '';
      verdict.if_modified_since = sample.response['last-modified'] ?? '';
      return before !== verdict.if_none_match + verdict.if_modified_since;
    }
  },
  {
    name: 'there is no If-Modified-Since beside If-None-Match',
    why: 'RFC 9110, section 13.1.3: it would be ignored',
    output: (_, verdict) => {
      if (!verdict.if_none_match || !verdict.if_modified_since) return false;
      verdict.if_modified_since = '';
      return true;
    }
  },
  {
    name: 'few statuses are stored',
    why: '200, and if the response says how long it is fresh some others: the contract',
    // The package does not store what it does not know.
    input: (sample) => {
      sample.received = sample.status;
      if (isSuccess(sample.status)) sample.status = 200;
      return sample.received === 201 || sample.received === 299;
    },
    output: (sample, verdict) => {
      const {received} = sample;
      const response = {...sample.response};
      without(response, 'no-cache');
      const {lifetime} = decide({...sample, response});
      const isKept = received === 200 || (lifetime > 0 && (isSuccess(received) || storedIfFresh.includes(received)));
      return verdict.stored && !isKept && Boolean(clear(verdict));
    }
  },
  {
    name: 'a malformed Cache-Control is no-store',
    why: 'the contract; the package reads the number that it starts with, or 0',
    output: ({response}, verdict) => {
      const malformed = directives(response).some((each) => {
        const [name, value] = each.split(/=(.*)/s, 2);
        return /\s$/.test(name) || value === '' || (times.includes(name) && !isNumber(value));
      });
      return malformed && verdict.stored && Boolean(clear(verdict));
    }
  },
  {
    name: 'a request with conditions or a Range bypasses the cache',
    why: 'the contract; the package adds its conditions, and uses what is stored whole',
    output: ({second}, verdict) =>
      ['if-none-match', 'if-modified-since', 'range'].some((name) => name in second) && Boolean(clear(verdict))
  }
];

console.log(JSON.stringify(rules.map(({name, why}) => [name, why])));
for await (const line of createInterface({input: process.stdin})) {
  const sample = JSON.parse(line);
  for (const part of ['first', 'second', 'response']) sample[part] = record(sample[part]);
  const plain = decide(sample);
  const applied = [];
  rules.forEach(({input}, number) => input?.(sample) && applied.push(number));
  const judged = decide(sample);
  rules.forEach(({output}, number) => output?.(sample, judged) && applied.push(number));
  console.log(JSON.stringify({plain, judged, applied}));
}
