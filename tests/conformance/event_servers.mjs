// node event_servers.mjs FOLDER PROGRAM DROPS NAME...: serves streams by packages that are installed in the folder, and
// by systemd-journal-gatewayd, and lets the program follow each of them through a proxy that breaks up to DROPS
// connections at random bytes. See tests/conformance/event_servers.
import {spawn} from 'node:child_process';
import {mkdir, mkdtemp, rm} from 'node:fs/promises';
import {createServer as createHttpServer} from 'node:http';
import {createRequire} from 'node:module';
import {connect, createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {once} from 'node:events';
import {setTimeout as pause} from 'node:timers/promises';

const [folder, program, most_drops, ...names] = process.argv.slice(2);
const drops = Number(most_drops);
/** The packages that are installed for a server. */
const packages_of = (name) => createRequire(`${folder}/${name}/`);
const work = await mkdtemp(join(tmpdir(), 'event_servers-'));
process.chdir(work);

const listen = async (server) => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
};
/** A broken connection is no error. */
const quiet = (socket) => socket.on('error', () => {});
const random = (below) => Math.floor(Math.random() * below);

/** Passes bytes on, and breaks `most` connections, each after up to `span` bytes of the response, by FIN or RST. */
const proxy_to = async (port, span, most) => {
  const state = {connections: 0, broken: 0};
  const server = createServer((client) => {
    ++state.connections;
    const target = connect(port, '127.0.0.1');
    quiet(client).pipe(quiet(target));
    let left = state.broken < most ? random(span) : Infinity;
    target.on('data', (bytes) => {
      if (client.destroyed || client.writableEnded) return;
      if (bytes.length <= left) {
        left -= bytes.length;
        if (!client.write(bytes)) target.pause();
        return;
      }
      ++state.broken;
      const last = bytes.subarray(0, left);
      if (state.broken % 2) client.end(last);
      else client.write(last, () => client.resetAndDestroy());
      target.destroy();
    });
    client.on('drain', () => target.resume());
    client.on('close', () => target.destroy());
    target.on('close', () => client.end());
  });
  state.port = await listen(server);
  state.close = () => server.close();
  return state;
};

/** Numbers 1 to `count`, a few at a time: some before a connection breaks, and some while there is none. */
const emit = async (count, use) => {
  for (let number = 1; number <= count; ++number) {
    await use(number);
    if (number % 5 === 0) await pause(1);
  }
};

const http = async (handler) => {
  const server = createHttpServer(handler);
  return {port: await listen(server), close: () => (server.closeAllConnections(), server.close())};
};

const message_of = (number) => ({id: String(number), event: 'change', data: `{"number":${number},\n"text":"\u00fc"}`});

const servers = {
  'sse-channel': async () => {
    const Channel = packages_of('sse-channel')('sse-channel');
    const events = 2 * drops;
    const channel = new Channel({historySize: events, retryTimeout: 1, pingInterval: 2});
    const server = await http((request, response) => channel.addClient(request, response));
    return {...server, events, path: 'events', kind: 'events', span: 600, drops,
            work: () => emit(events, (number) => channel.send({...message_of(number), id: number})),
            close: () => (channel.close(), server.close())};
  },
  'better-sse': async () => {
    const {createSession} = packages_of('better-sse')('better-sse');
    const events = 2 * drops;
    const server = await http(async (request, response) => {
      if (Number(request.headers['last-event-id']) === events) return response.writeHead(204).end();
      const session = await createSession(request, response, {retry: 1, keepAlive: 2});
      for (let number = Number(session.lastId) + 1; number <= events && session.isConnected; ++number) {
        const {id, event, data} = message_of(number);
        session.push(JSON.parse(data), event, id);
        if (number % 5 === 0) await pause(1);
      }
      if (session.isConnected) response.end();
    });
    return {...server, events, path: 'events', kind: 'events', span: 600, drops, work: () => {}};
  },
  'express-pouchdb': async () => {
    const require = packages_of('express-pouchdb');
    const PouchDB = require('pouchdb-core');
    for (const part of ['pouchdb-adapter-memory', 'pouchdb-mapreduce']) PouchDB.plugin(require(part));
    const Memory = PouchDB.defaults({adapter: 'memory'});
    const app = require('express-pouchdb')(Memory, {inMemoryConfig: true, mode: 'minimumForPouchDB'});
    // The server keeps what a broken connection has used.
    const some = Math.min(drops, 200);
    const events = 2 * some;
    const database = new Memory('numbers');
    await database.info();
    const server = await http(app);
    return {...server, events, path: 'numbers/_changes', kind: 'changes', span: 600, drops: some,
            work: () => emit(events, (number) => database.put({_id: String(number)}))};
  }
};

/** The journal of systemd, with MESSAGE=N in its entries. */
const journal = (kind) => async () => {
  const some = kind === 'journal' ? Math.min(drops, 200) : 0;
  const events = Math.max(2 * some, 100);
  const logs = join(work, kind);
  await mkdir(logs);
  const remote = spawn('/lib/systemd/systemd-journal-remote', ['--output', join(logs, 'remote.journal'), '-'],
                       {stdio: ['pipe', 'ignore', 'ignore']});
  const write = (number) => remote.stdin.write(
    `__REALTIME_TIMESTAMP=${1.7e15 + number}\n__MONOTONIC_TIMESTAMP=${number}\n_BOOT_ID=${'f0'.repeat(16)}\n` +
    `MESSAGE=${number}\n\n`);
  if (kind !== 'journal') {
    for (let number = 1; number <= events; ++number) write(number);
    remote.stdin.end();
    await once(remote, 'exit');
  }
  const free = createServer();
  const port = await listen(free);
  free.close();
  const gateway = spawn('systemd-socket-activate',
                        [`--listen=127.0.0.1:${port}`, '/lib/systemd/systemd-journal-gatewayd', '--directory', logs],
                        {stdio: ['ignore', 'ignore', 'pipe']});
  await once(gateway.stderr, 'data');
  gateway.stderr.resume();
  return {port, events, path: 'entries', kind, span: 2000, drops: some,
          work: () => kind === 'journal' && emit(events, write),
          close: () => (remote.kill(), gateway.kill())};
};
servers['journal-lines'] = journal('journal_lines');
servers['journal-events'] = journal('journal_events');
servers['journal-followed'] = journal('journal');

try {
  for (const name of names) {
    const server = await servers[name]();
    const proxy = await proxy_to(server.port, server.span, server.drops);
    const follower = spawn(program, [`http://127.0.0.1:${proxy.port}`, server.path, server.kind, String(server.events)],
                           {stdio: ['ignore', 'inherit', 'inherit']});
    const done = once(follower, 'exit');
    const start = Date.now();
    await server.work();
    const [status] = await done;
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    console.log(`  ${name}: ${server.events} events over ${proxy.connections} connections, ${proxy.broken} of them ` +
      `broken, ${seconds} s: ${status === 0 ? 'each once, in order' : 'FAILED'}`);
    if (status !== 0) process.exitCode = 1;
    proxy.close();
    server.close();
  }
} finally {
  await rm(work, {recursive: true, force: true});
}
process.exit();
