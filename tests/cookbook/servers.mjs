// node servers.mjs FOLDER PROGRAMS [NAME...]: runs programs of the cookbook against real servers. FOLDER has the packages
// of npm. See tests/cookbook/servers.
import assert from 'node:assert/strict';
import {execFile, execFileSync, spawn} from 'node:child_process';
import {createHash, createPrivateKey, randomUUID, sign, X509Certificate} from 'node:crypto';
import {once} from 'node:events';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {createServer as createSocketServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';

const [folder, programs, ...names] = process.argv.slice(2);
const program_folder = resolve(programs);
const packages = createRequire(`${folder}/`);
const work = await mkdtemp(join(tmpdir(), 'cookbook-'));
process.chdir(work);

/** What a program prints, or its status and errors. */
const run = (name, words, environment = {}) => new Promise((done) => {
  execFile(join(program_folder, name), words, {env: {...process.env, ...environment}, timeout: 60_000, maxBuffer: 2 ** 24},
           (failure, out, err) => done(failure ? `${out}status ${failure.code}: ${err}` : out));
});

const listen = async (server) => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
};
const free_port = async () => {
  const server = createSocketServer();
  const port = await listen(server);
  server.close();
  return port;
};
/** Starts a program, and waits until its URL responds. */
const start = async (path, words, url) => {
  const server = spawn(path, words, {stdio: 'ignore'});
  for (let tries = 0; tries < 200; ++tries) {
    if (await fetch(url).then((response) => response.status < 500, () => false)) return server;
    await pause(50);
  }
  server.kill();
  throw new Error(`${path} does not start`);
};
const digest_of = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Puts an image with these tags into a registry, and returns its digest. */
const push = async (registry, image, tags, headers) => {
  const request = async (path, options) => {
    const response = await fetch(new URL(path, registry), {...options, headers: {...headers, ...options.headers}});
    assert.ok(response.ok, `${options.method} ${path}: ${response.status}`);
    return response;
  };
  const config = Buffer.from('{}');
  const upload = await request(`/v2/${image}/blobs/uploads/`, {method: 'POST'});
  const place = new URL(upload.headers.get('Location'), registry);
  place.searchParams.set('digest', digest_of(config));
  await request(place, {method: 'PUT', body: config, headers: {'Content-Type': 'application/octet-stream'}});
  const type = 'application/vnd.docker.distribution.manifest.v2+json';
  const manifest = Buffer.from(JSON.stringify({
    schemaVersion: 2, mediaType: type, layers: [],
    config: {
      mediaType: 'application/vnd.docker.container.image.v1+json', size: config.length, digest: digest_of(config)
    }
  }));
  for (const tag of tags)
    await request(`/v2/${image}/manifests/${tag}`, {method: 'PUT', body: manifest, headers: {'Content-Type': type}});
  return digest_of(manifest);
};

/** A registry with this part of its configuration, and an image with many tags. */
const registry = async (auth, headers) => {
  const port = await free_port();
  const url = `http://127.0.0.1:${port}`;
  await writeFile('registry.yml', `version: 0.1\nstorage: {inmemory: {}}\nhttp: {addr: "127.0.0.1:${port}"}\n${auth}`);
  const server = await start('docker-registry', ['serve', 'registry.yml'], `${url}/v2/`);
  try {
    const tags = Array.from({length: 120}, (_, number) => `v${String(number).padStart(3, '0')}`);
    const digest = await push(url, 'harbor/crane', tags, headers);
    assert.equal(await run('docker_registry', [url, 'harbor/crane']),
                 tags.map((tag) => `${tag} ${digest}\n`).join(''));
    assert.match(await run('docker_registry', [url, 'harbor/none']), /^status 1: .*404 Not Found/);
    return `${tags.length} tags`;
  } finally {
    server.kill();
  }
};

const servers = {
  'docker-registry': () => registry('', {}),

  /** A server of tokens, whose certificate the registry knows. */
  'docker-registry-tokens': async () => {
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=tokens', '-days', '2',
                             '-keyout', 'key.pem', '-out', 'certificate.pem'], {stdio: 'ignore'});
    const key = createPrivateKey(await readFile('key.pem'));
    const certificate = new X509Certificate(await readFile('certificate.pem')).raw.toString('base64');
    const token = (actions) => {
      const now = Math.floor(Date.now() / 1000);
      const part = (json) => Buffer.from(JSON.stringify(json)).toString('base64url');
      const text = `${part({typ: 'JWT', alg: 'RS256', x5c: [certificate]})}.${part({
        iss: 'tokens', sub: '', aud: 'registry', exp: now + 300, nbf: now - 10, iat: now, jti: randomUUID(),
        access: ['harbor/crane', 'harbor/none'].map((name) => ({type: 'repository', name, actions}))
      })}`;
      return `${text}.${sign('sha256', text, key).toString('base64url')}`;
    };
    const asked = [];
    const tokens = createServer((request, response) => {
      asked.push(request.url);
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({token: token(['pull'])}));
    });
    const realm = `http://127.0.0.1:${await listen(tokens)}/token`;
    try {
      const tags = await registry(`auth:\n  token: {realm: "${realm}", service: registry, issuer: tokens, ` +
                                    'rootcertbundle: certificate.pem}\n',
                                  {Authorization: `Bearer ${token(['pull', 'push'])}`});
      assert.deepEqual(asked, ['crane', 'none'].map(
        (image) => `/token?service=registry&scope=repository%3Aharbor%2F${image}%3Apull`));
      return `${tags}, ${asked.length} tokens`;
    } finally {
      tokens.close();
    }
  },

  prometheus: async () => {
    const port = await free_port();
    const url = `http://127.0.0.1:${port}`;
    // More points than one response may have, a second apart.
    const points = 12_001;
    const start_time = Math.floor(Date.now() / 1000) - 2 * points;
    const samples = Array.from({length: points}, (_, number) => [start_time + number, number]);
    await writeFile('samples', '# TYPE load gauge\n' +
      samples.map(([time, value]) => `load{job="node"} ${value} ${time}\n`).join('') + '# EOF\n');
    execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', 'samples', 'data'], {stdio: 'ignore'});
    await writeFile('prometheus.yml', 'scrape_configs: []\n');
    const server = await start('prometheus', ['--config.file=prometheus.yml', '--storage.tsdb.path=data',
                                              `--web.listen-address=127.0.0.1:${port}`], `${url}/-/ready`);
    try {
      assert.equal(await run('prometheus', ['load', start_time, start_time + points - 1, 1], {PROMETHEUS_URL: url}),
                   samples.map(([time, value]) => `${time}.000\t${value}\t{"__name__":"load","job":"node"}\n`).join(''));
      assert.match(await run('prometheus', ['up{', '0', '60', '15'], {PROMETHEUS_URL: url}),
                   /^status 1: .*400 Bad Request.*parse error/);
      return `${points} samples`;
    } finally {
      server.kill();
    }
  },

  'express-pouchdb': async () => {
    const PouchDB = packages('pouchdb-core');
    for (const part of ['pouchdb-adapter-memory', 'pouchdb-mapreduce']) PouchDB.plugin(packages(part));
    const Memory = PouchDB.defaults({adapter: 'memory'});
    const app = packages('express-pouchdb')(Memory, {inMemoryConfig: true, mode: 'minimumForPouchDB'});
    const orders = new Memory('orders');
    await orders.bulkDocs(Array.from({length: 250}, (_, number) => ({_id: String(number), total: number})));
    await orders.remove(await orders.get('7'));
    const server = createServer(app);
    const COUCHDB_URL = `http://127.0.0.1:${await listen(server)}/orders`;
    try {
      const first = await run('couchdb', ['0'], {COUCHDB_URL});
      const next = first.match(/the next run starts at (\d+)\n$/)?.[1];
      assert.equal(first.match(/: seen\n/g)?.length, 249, first);
      assert.ok((await orders.allDocs({include_docs: true})).rows.every(({doc}) => doc.seen && 'total' in doc));
      const second = await run('couchdb', [next], {COUCHDB_URL});
      assert.match(second, /^the next run starts at \d+\n$/);
      return '249 documents';
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
};

let failed = false;
for (const name of names.length ? names : Object.keys(servers)) {
  try {
    console.log(`${name}: ${await servers[name]()}`);
  } catch (failure) {
    failed = true;
    console.log(`${name}: failed: ${failure.stack}`);
  }
}
await rm(work, {recursive: true});
process.exit(failed ? 1 : 0);
