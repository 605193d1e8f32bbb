// node fleet_bottleneck.mjs URL REDIS_PORT COUNT IN_FLIGHT: like fleet_worker, with Bottleneck and its documented
// clustering: a reservoir of 50 that is refreshed every 2 s. A rejected request is sent again after Retry-After. With the
// default heartbeat of 5 s the reservoir would be refreshed too late: 400 requests take 2.9 times the bound.
import Bottleneck from 'bottleneck';
import Redis from 'ioredis';

const [url, port, count, inFlight] = process.argv.slice(2);
const limiter = new Bottleneck({
  id: 'fleet', datastore: 'ioredis', clearDatastore: false, clientOptions: {host: '127.0.0.1', port: Number(port)}, Redis,
  heartbeatInterval: 250, reservoir: 50, reservoirRefreshAmount: 50, reservoirRefreshInterval: 2000
});
limiter.on('failed', (error) => error.retryAfter);
await limiter.ready();

let sent = 0;
let rejected = 0;
let failed = 0;
let firstError = '';
async function get() {
  ++sent;
  const response = await fetch(url);
  await response.text();
  if (response.status !== 429) return;
  ++rejected;
  throw Object.assign(new Error('429'), {retryAfter: 1000 * Number(response.headers.get('retry-after') ?? 1)});
}

let left = Number(count);
await Promise.all(Array.from({length: Number(inFlight)}, async () => {
  while (left-- > 0) await limiter.schedule(get).catch((error) => { ++failed; firstError ||= error.message; });
}));
console.log(`sent ${sent} rejected ${rejected} failed ${failed} reads 0 swaps 0 ${firstError}`);
process.exit();
