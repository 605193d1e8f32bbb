// The configurations, the least time that any client needs for them, and the bars of --check.
import {limiters} from './limiters.js';

export const limit = 50;
const latency = 0.005;
const inFlight = 16;

/** The earliest time of the last request, in seconds after the first, without the latency of the requests in its
 * window. A run has {window, requests, serial}. */
const bounds = {
  // Windows that open with a request, and sliding logs: the last window opens this many windows after the first.
  window: ({window, requests}) => (Math.ceil(requests / limit) - 1) * window,
  // Each request restarts the window: it ends one window after the last of 50.
  elastic: ({window, requests, serial}) =>
    (Math.ceil(requests / limit) - 1) * (window + Math.floor((limit - 1) / (serial ? 1 : inFlight)) * latency),
  twoLogs: ({window, requests}) => {
    const at = [];
    for (let i = 0; i < requests; ++i)
      at.push(Math.max((at[i - 17] ?? -1) + 1, (at[i - limit] ?? -window) + window));
    return at[requests - 1];
  },
  // 17 in each second, and 50 more in each 5 seconds.
  bursty: ({requests}) => {
    let second = 0;
    for (let admitted = 17 + 50; admitted < requests; admitted += second % 5 === 0 ? 17 + 50 : 17) ++second;
    return second;
  },
  bucket: (burst) => ({requests}) => Math.max(0, requests - 1 - burst) / 17,
  connections: ({requests, serial}) => Math.ceil(requests / (serial ? 1 : 4)) * 0.05
};

/** The highest ratio to the bound, and whether the number of rejections meets the bar. A result has {pages, items} with
 * their `rejected`, and `requests`. */
const bars = {
  reported: {
    ratio: (window) => (window < 3 ? 1.2 : 1.08), rejected: '2 in all',
    meets: ({pages, items}) => pages.rejected + items.rejected <= 2
  },
  bursty: {
    ratio: () => 1.7, rejected: '2 in all',
    meets: ({pages, items}) => pages.rejected + items.rejected <= 2
  },
  twoNamed: {
    ratio: () => 1.1, rejected: '2 in all',
    meets: ({pages, items}) => pages.rejected + items.rejected <= 2
  },
  unreported: {
    ratio: () => 1.1, rejected: '30 of items',
    meets: ({items}) => items.rejected <= 30
  },
  nginx: {
    ratio: () => 1.25, rejected: '10 % each',
    meets: ({pages, items, requests}) => Math.max(pages.rejected, items.rejected) <= requests / 10
  }
};

const node = (name, bound = bounds.window, bar = bars.reported) =>
  ({name, command: ['node', 'node_server.js'], bound, bar, needsRedis: name.endsWith('/redis')});
const flask = (name, bound = bounds.window, bar = bars.reported) =>
  ({name, command: ['/usr/bin/python3', 'flask_limiter_server.py'], bound, bar});
const nginx = (name, bound, directives, delay) =>
  ({name, bound, bar: bars.nginx, nginx: {directives, delay}});

const nodeSpecials = {
  'rate-limiter-flexible/bursty': [bounds.bursty, bars.bursty],
  'rate-limiter-flexible/no-headers': [bounds.window, bars.unreported],
  'nestjs-throttler/two-named': [bounds.twoLogs, bars.twoNamed]
};

export const configurations = [
  ...Object.keys(limiters).map((name) => node(name, ...(nodeSpecials[name] ?? []))),
  flask('flask-limiter/fixed-window'),
  flask('flask-limiter/moving-window'),
  flask('flask-limiter/fixed-window-elastic-expiry', bounds.elastic),
  flask('flask-limiter/no-headers', bounds.window, bars.unreported),
  {
    name: 'django-rest-framework/throttle', command: ['/usr/bin/python3', 'django_rest_server.py'],
    bound: bounds.window, bar: bars.unreported
  },
  nginx('nginx/limit_req-burst-50-429', bounds.bucket(50),
    'limit_req zone=requests burst=50 nodelay; limit_req_status 429;', 5),
  nginx('nginx/limit_req-burst-20-429', bounds.bucket(20),
    'limit_req zone=requests burst=20 nodelay; limit_req_status 429;', 5),
  nginx('nginx/limit_req-burst-20-503', bounds.bucket(20), 'limit_req zone=requests burst=20 nodelay;', 5),
  nginx('nginx/limit_conn-429', bounds.connections, 'limit_conn connections 4; limit_conn_status 429;', 50),
  nginx('nginx/limit_conn-503', bounds.connections, 'limit_conn connections 4;', 50)
];
