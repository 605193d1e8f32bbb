// Starts and stops the servers of a configuration.
import {spawn} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {mkdtemp, readFile, writeFile} from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {limit} from './configurations.js';
import {things, wait} from './things.js';

const folder = import.meta.dirname;
const children = new Set();
const patience = 30_000;

/** Starts a process that ends together with this program. */
function start(words, options = {}) {
  const child = spawn(words[0], words.slice(1), {stdio: ['ignore', 'pipe', 'inherit'], cwd: folder, ...options});
  children.add(child);
  child.on('exit', () => children.delete(child));
  child.on('error', (error) => console.error(`${words[0]}: ${error.message}`));
  return child;
}

export function stopAll() {
  for (const child of children) child.kill();
}
process.on('exit', stopAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

/** The last line that the program prints, as JSON. It may take `seconds`. */
export async function jsonOf(words, seconds) {
  const child = start(words, {timeout: seconds * 1000});
  let text = '';
  child.stdout.on('data', (bytes) => { text += bytes; });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code === null) throw new Error(`it was stopped, after ${seconds} s at the latest`);
  if (code !== 0) throw new Error(`${words[0]} ended with status ${code}`);
  return JSON.parse(text.trim().split('\n').at(-1));
}

const listen = (server) => new Promise((resolve) => {
  server.listen(0, '127.0.0.1', () => resolve(server.address().port));
});

async function freePort() {
  const server = net.createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilOpen(port, name) {
  for (const end = Date.now() + patience; Date.now() < end; await wait(20)) {
    const open = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (open) return;
  }
  throw new Error(`${name} does not listen on port ${port}`);
}

export async function startRedis(runFolder) {
  const port = await freePort();
  start(['redis-server', '--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no',
    '--dir', runFolder], {stdio: 'ignore'});
  await untilOpen(port, 'redis-server');
  return port;
}

async function startLimiter({name, command}, settings) {
  const child = start([...command, name, JSON.stringify(settings)]);
  const line = await new Promise((resolve, reject) => {
    createInterface({input: child.stdout}).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${name} ended with status ${code}`)));
    setTimeout(() => reject(new Error(`${name} does not start`)), patience).unref();
  });
  const {ports} = JSON.parse(line);
  const counts = async (port) => (await fetch(`http://127.0.0.1:${port}/__counts`)).json();
  return {ports, counts, stop: () => child.kill()};
}

async function startNginx({name, nginx}, {pages, count}, runFolder) {
  const upstream = http.createServer(async (request, response) => {
    await wait(nginx.delay);
    const {body, link} = things(request.url, pages);
    if (link) response.setHeader('Link', link);
    response.setHeader('Content-Type', 'application/json');
    response.end(body);
  });
  const own = await mkdtemp(join(runFolder, 'nginx-'));
  const ports = await Promise.all(Array.from({length: count}, freePort));
  const marks = {
    folder: own, upstream: await listen(upstream), limit: nginx.directives,
    listen: ports.map((port) => `    listen 127.0.0.1:${port};`).join('\n')
  };
  const text = readFileSync(join(folder, 'nginx.conf'), 'utf8').replace(/@(\w+)/g, (all, mark) => marks[mark] ?? all);
  await writeFile(join(own, 'nginx.conf'), text);
  const child = start(['nginx', '-e', 'stderr', '-p', own, '-c', join(own, 'nginx.conf')],
    {env: {...process.env, PATH: `${process.env.PATH}:/usr/sbin`}});
  await Promise.all(ports.map((port) => untilOpen(port, name)));
  const counts = async (port) => {
    const lines = (await readFile(join(own, 'access.log'), 'utf8')).split('\n').map((line) => line.split(' '))
      .filter(([of, status]) => of === `${port}` && Number(status) !== 0 && status !== '400' && status !== '499');
    const first = Math.min(...lines.map(([, , end, took]) => end - took));
    return {requests: lines.length, rejected: lines.filter(([, status]) => /429|503/.test(status)).length, first};
  };
  return {ports, counts, stop: () => { child.kill(); upstream.close(); upstream.closeAllConnections(); }};
}

/** Serves `count` ports, each with its own quota: {ports, counts(port), stop()}. */
export function startServer(configuration, {window, pages, count, redis, runFolder}) {
  if (configuration.nginx) return startNginx(configuration, {pages, count}, runFolder);
  return startLimiter(configuration, {limit, window, pages, count, redis});
}
