// node node_server.js NAME '{"limit":50,"window":3,"pages":400,"count":2,"redis":6379}': serves `count` ports, each
// with its own quota, and prints {"ports":[...]} when they are open. GET /__counts is not limited; it returns how many
// requests the port received, how many it rejected, and when the first arrived, in epoch seconds.
import http from 'node:http';
import {limiters} from './limiters.js';

/** Counts requests outside of the limiter, so that the figures are the server's own. */
function counted(listener) {
  const counts = {requests: 0, rejected: 0, first: 0};
  return (request, response) => {
    if (request.url === '/__counts') return response.end(JSON.stringify(counts));
    if (counts.requests++ === 0) counts.first = Date.now() / 1000;
    response.on('finish', () => { counts.rejected += [429, 503].includes(response.statusCode) ? 1 : 0; });
    listener(request, response);
  };
}

const [name, text] = process.argv.slice(2);
const settings = JSON.parse(text);
const ports = [];
for (let i = 0; i < settings.count; ++i) {
  const server = http.createServer(counted(await limiters[name]({...settings, key: `${name}:${i}`})));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  ports.push(server.address().port);
}
console.log(JSON.stringify({ports}));
