// The rate limiters of npm packages, by the name of the configuration. Each function takes {limit, window (s), pages,
// key, redis} and returns a listener for node's http server. `key` separates the ports of one process.
import {getRequestListener} from '@hono/node-server';
import rateLimit from '@fastify/rate-limit';
import express from 'express';
import {rateLimit as expressRateLimit} from 'express-rate-limit';
import Fastify from 'fastify';
import {Hono} from 'hono';
import {rateLimiter as honoRateLimiter} from 'hono-rate-limiter';
import Redis from 'ioredis';
import Koa from 'koa';
import koaRateLimit from 'koa-ratelimit';
import {BurstyRateLimiter, RateLimiterMemory} from 'rate-limiter-flexible';
import {nestThrottler} from './nest_throttler.js';
import {things, wait} from './things.js';

/** Serves a request that was not rejected, with node's own response. */
const respond = (settings) => async (request, response) => {
  await wait();
  const {body, link} = things(request.url, settings.pages);
  if (link) response.setHeader('Link', link);
  response.setHeader('Content-Type', 'application/json');
  response.end(body);
};

const expressWith = (options) => (settings) => {
  const app = express();
  app.use(expressRateLimit({limit: settings.limit, windowMs: settings.window * 1000, ...options}));
  app.use(respond(settings));
  return app;
};

const fastifyWith = (options) => async (settings) => {
  const app = Fastify();
  await app.register(rateLimit, {max: settings.limit, timeWindow: settings.window * 1000, ...options});
  const handler = async (request, reply) => {
    await wait();
    const {body, link} = things(request.url, settings.pages);
    if (link) reply.header('Link', link);
    return reply.type('application/json').send(body);
  };
  app.get('/things', handler);
  app.get('/things/:id', handler);
  await app.ready();
  return (request, response) => app.routing(request, response);
};

const hono = (settings) => {
  const app = new Hono();
  app.use(honoRateLimiter({
    limit: settings.limit, windowMs: settings.window * 1000, keyGenerator: () => 'everybody'
  }));
  app.get('*', async (context) => {
    await wait();
    const url = new URL(context.req.url);
    const {body, link} = things(url.pathname + url.search, settings.pages);
    if (link) context.header('Link', link);
    return context.body(body, 200, {'Content-Type': 'application/json'});
  });
  return getRequestListener(app.fetch);
};

const koaWith = (store, options) => (settings) => {
  const app = new Koa();
  app.use(koaRateLimit({
    ...store(settings), duration: settings.window * 1000, max: settings.limit, namespace: settings.key, ...options
  }));
  app.use(async (context) => {
    await wait();
    const {body, link} = things(context.url, settings.pages);
    if (link) context.set('Link', link);
    context.type = 'application/json';
    context.body = body;
  });
  return app.callback();
};

const inMemory = () => ({driver: 'memory', db: new Map()});
const inRedis = (settings) => ({driver: 'redis', db: new Redis({host: '127.0.0.1', port: settings.redis})});

/** The headers in the package's README. */
const flexibleHeaders = (result, points) => ({
  'Retry-After': result.msBeforeNext / 1000,
  'X-RateLimit-Limit': points,
  'X-RateLimit-Remaining': result.remainingPoints,
  'X-RateLimit-Reset': Math.ceil((Date.now() + result.msBeforeNext) / 1000)
});

const flexibleWith = (limiterOf, hasHeaders) => (settings) => {
  const {limiter, points} = limiterOf(settings);
  const app = express();
  app.use(async (request, response, next) => {
    try {
      const result = await limiter.consume(request.ip);
      if (hasHeaders) response.set(flexibleHeaders(result, points));
      next();
    } catch (result) {
      if (result instanceof Error) return next(result);
      if (hasHeaders) response.set(flexibleHeaders(result, points));
      response.status(429).send('Too Many Requests');
    }
  });
  app.use(respond(settings));
  return app;
};

const flexibleMemory = ({limit, window}) => ({
  limiter: new RateLimiterMemory({points: limit, duration: window}), points: limit
});
const flexibleBursty = () => ({
  limiter: new BurstyRateLimiter(
    new RateLimiterMemory({points: 17, duration: 1}),
    new RateLimiterMemory({keyPrefix: 'burst', points: 50, duration: 5})),
  points: 17
});

export const limiters = {
  'express-rate-limit/default': expressWith({}),
  'express-rate-limit/draft-6': expressWith({standardHeaders: 'draft-6', legacyHeaders: false}),
  'express-rate-limit/draft-7': expressWith({standardHeaders: 'draft-7', legacyHeaders: false}),
  'express-rate-limit/draft-8': expressWith({standardHeaders: 'draft-8', legacyHeaders: false}),
  'fastify-rate-limit/default': fastifyWith({}),
  'fastify-rate-limit/draft': fastifyWith({enableDraftSpec: true}),
  'hono-rate-limiter/default': hono,
  'koa-ratelimit/memory': koaWith(inMemory, {}),
  'koa-ratelimit/redis': koaWith(inRedis, {}),
  'koa-ratelimit/readme-headers': koaWith(inMemory, {
    headers: {remaining: 'Rate-Limit-Remaining', reset: 'Rate-Limit-Reset', total: 'Rate-Limit-Total'}
  }),
  'rate-limiter-flexible/memory': flexibleWith(flexibleMemory, true),
  'rate-limiter-flexible/bursty': flexibleWith(flexibleBursty, true),
  'rate-limiter-flexible/no-headers': flexibleWith(flexibleMemory, false),
  'nestjs-throttler/default': (settings) =>
    nestThrottler(settings, [{limit: settings.limit, ttl: settings.window * 1000}]),
  'nestjs-throttler/two-named': (settings) => nestThrottler(settings, [
    {name: 'short', limit: 17, ttl: 1000},
    {name: 'long', limit: settings.limit, ttl: settings.window * 1000}
  ])
};
