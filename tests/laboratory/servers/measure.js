// node measure.js CLIENT FOLDER [OPTION...]: tests/laboratory/limiters runs it and describes the options.
import http from 'node:http';
import {availableParallelism} from 'node:os';
import {parseArgs} from 'node:util';
import {configurations} from './configurations.js';
import {jsonOf, startRedis, startServer, stopAll} from './started.js';
import {wait} from './things.js';

const [client, runFolder, ...rest] = process.argv.slice(2);
const usage = 'usage: tests/laboratory/limiters [--window SECONDS] [--requests N] [--jobs N] [--peer] [--headers] ' +
  '[--check] [--list] [PATTERN...]';

function settingsOf(words) {
  const text = {type: 'string'};
  const flag = {type: 'boolean', default: false};
  const {values, positionals} = parseArgs({
    args: words, allowPositionals: true,
    options: {window: text, requests: text, jobs: text, peer: flag, headers: flag, check: flag, list: flag}
  });
  const number = (name, otherwise, least) => {
    const value = Number(values[name] ?? otherwise);
    if (!Number.isInteger(value) || value < least) throw new Error(`--${name} takes an integer from ${least} on`);
    return value;
  };
  return {
    ...values, patterns: positionals, window: number('window', 3, 1),
    requests: number('requests', 400, 100),  // with fewer, the bound of some configurations is 0
    jobs: number('jobs', 3 * availableParallelism(), 1)
  };
}

/** Converts a shell pattern: `*`, `?` and `[...]`. */
const expressionOf = (pattern) =>
  new RegExp(`^${pattern.replace(/[.+^${}()|\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.')}$`);
const isWanted = ({name}, patterns) =>
  patterns.length === 0 || patterns.some((pattern) => expressionOf(pattern).test(name));

/** Calls `work` for each, `jobs` at a time. The starts are staggered. */
async function sideBySide(all, jobs, work) {
  const left = [...all];
  await Promise.all(Array.from({length: Math.min(jobs, all.length)}, async (_, index) => {
    await wait(index * 400);
    for (let next = left.shift(); next; next = left.shift()) await work(next);
  }));
}

async function measured(configuration, settings, server, port, shape, peer) {
  const {window, requests} = settings;
  const bound = configuration.bound({window, requests, serial: shape === 'pages'});
  const patience = Math.ceil(Math.max(60, 3 * bound));
  const words = peer ? ['node', 'got_client.js'] : [client];
  const base = `http://127.0.0.1:${port}`;
  const run = await jsonOf([...words, base, shape, `${requests}`, ...(peer ? [] : ['--seconds', `${patience}`])],
    patience + 30).catch((error) => ({took: NaN, completed: 0, failed: requests, first_error: error.message}));
  const {rejected} = await server.counts(port);
  return {...run, bound, ratio: run.took / bound, rejected};
}

/** Measures one configuration: {noun: {pages, items, requests}, got: the same}. */
async function measure(configuration, settings) {
  const clients = settings.peer ? ['noun', 'got'] : ['noun'];
  const server = await startServer(configuration, {...settings, pages: settings.requests, count: 2 * clients.length});
  const result = {};
  await Promise.all(clients.map(async (name) => {
    const peer = name === 'got';
    const [pages, items] = await Promise.all(['pages', 'items'].map(
      (shape) => measured(configuration, settings, server, server.ports.shift(), shape, peer)));
    result[name] = {pages, items, requests: settings.requests};
  }));
  server.stop();
  return result;
}

function isMet({bar}, window, run) {
  const isGood = ({failed, ratio}) => failed === 0 && ratio <= bar.ratio(window);
  return isGood(run.pages) && isGood(run.items) && bar.meets(run);
}

const cell = ({took, bound, ratio, rejected}) =>
  [took.toFixed(2), bound.toFixed(2), ratio.toFixed(3)].map((text) => text.replace('NaN', '-').padStart(8)).join('') +
  String(rejected).padStart(6);

function lineOf(configuration, settings, name, run) {
  const {bar} = configuration;
  const met = isMet(configuration, settings.window, run) ? 'met' : 'NOT MET';
  const judged = `   ${bar.ratio(settings.window).toFixed(2)}, ${bar.rejected.padEnd(12)} ${met}`;
  const missing = ['pages', 'items'].filter((shape) => run[shape].failed > 0).map((shape) =>
    `\n    ${shape}: ${run[shape].completed} of ${settings.requests}: ${run[shape].first_error}`).join('');
  const label = name === 'noun' ? configuration.name : `  ${name}`;
  return label.padEnd(43) + cell(run.pages) + cell(run.items) + (name === 'noun' ? judged : '') + missing;
}

async function table(wanted, settings) {
  const {requests, window} = settings;
  console.log(`${requests} requests, window ${window} s: seconds taken, least possible, ratio, rejected by the server`);
  console.log(`${''.padEnd(43)}${'pages'.padStart(8)}${''.padEnd(22)}${'items'.padStart(8)}${''.padEnd(22)}   bars`);
  const results = new Map();
  let printed = 0;
  await sideBySide(wanted, settings.jobs, async (configuration) => {
    results.set(configuration, await measure(configuration, settings));
    for (; results.has(wanted[printed]); ++printed) {
      const result = results.get(wanted[printed]);
      for (const name of ['noun', 'got'])
        if (result[name]) console.log(lineOf(wanted[printed], settings, name, result[name]));
    }
  });
  const met = wanted.filter((each) => isMet(each, settings.window, results.get(each).noun)).length;
  console.log(`met ${met} of ${wanted.length}`);
  return met === wanted.length;
}

function get(agent, port, id) {
  return new Promise((resolve, reject) => {
    http.get({agent, host: '127.0.0.1', port, path: `/things/${id}`}, (response) => {
      let body = '';
      response.on('data', (bytes) => { body += bytes; });
      response.on('end', () => resolve({status: response.statusCode, raw: response.rawHeaders, body}));
    }).on('error', reject);
  });
}

/** The headers of a response that are about limits, one line each. */
function described(title, {status, raw, body}) {
  const rejected = status !== 200;
  const wanted = rejected ? /rate|limit|retry|reset|^date$|^content-type$/i : /rate|limit|retry|reset|^date$/i;
  const lines = [`  ${title}: ${status}`];
  for (let i = 0; i < raw.length; i += 2) if (wanted.test(raw[i])) lines.push(`    ${raw[i]}: ${raw[i + 1]}`);
  if (rejected) lines.push(`    body: ${JSON.stringify(body.slice(0, 160))}`);
  return lines.join('\n');
}

async function headersOf(configuration, settings) {
  const server = await startServer(configuration, {...settings, pages: settings.requests, count: 1});
  const [port] = server.ports;
  const agent = new http.Agent({keepAlive: true});
  const lines = [configuration.name];
  const side = /limit_conn/.test(configuration.name) ? 16 : 1;
  let rejected;
  for (let id = 1; id <= settings.requests && !rejected; id += side) {
    const all = await Promise.all(Array.from({length: side}, (_, i) => get(agent, port, id + i)));
    for (const [i, response] of all.entries()) {
      if (response.status !== 200) rejected ??= [id + i, response];
      else if ([1, 2, 50].includes(id + i)) lines.push(described(`request ${id + i}`, response));
    }
  }
  if (rejected) lines.push(described(`rejected, request ${rejected[0]}`, rejected[1]));
  const pause = Math.max(settings.window, /bursty/.test(configuration.name) ? 5 : 0) + 1.1;
  await wait(pause * 1000);
  lines.push(described(`${pause.toFixed(1)} s later`, await get(agent, port, 1)));
  agent.destroy();
  server.stop();
  return lines.join('\n');
}

async function main() {
  let settings;
  try {
    settings = settingsOf(rest);
  } catch (error) {
    throw new Error(`${error.message}\n${usage}`);
  }
  const wanted = configurations.filter((each) => isWanted(each, settings.patterns));
  if (wanted.length === 0) throw new Error('no configuration has such a name: see --list');
  if (settings.list) return wanted.forEach(({name}) => console.log(name));
  settings.runFolder = runFolder;
  if (wanted.some(({needsRedis}) => needsRedis)) settings.redis = await startRedis(runFolder);
  if (settings.headers) {
    const texts = new Map();
    await sideBySide(wanted, settings.jobs, async (each) => texts.set(each, await headersOf(each, settings)));
    return wanted.forEach((each) => console.log(`${texts.get(each)}\n`));
  }
  const isGood = await table(wanted, settings);
  if (settings.check && !isGood) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
stopAll();
process.exit();
