// otlp.mjs FOLDER PROGRAM: a collector on loopback, for tests/conformance/otlp. It runs the program, which sends it spans
// and durations, and checks them by the definitions in FOLDER.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const [folder, program] = process.argv.slice(2);
const require = createRequire(`${folder}/package.json`);
const protobuf = require('protobufjs');
const protos = `${folder}/node_modules/@opentelemetry/otlp-grpc-exporter-base/build/protos`;
const root = new protobuf.Root();
root.resolvePath = (_, target) => `${protos}/${target}`;
root.loadSync(['opentelemetry/proto/collector/trace/v1/trace_service.proto',
  'opentelemetry/proto/collector/metrics/v1/metrics_service.proto']);
root.resolveAll();

const faults = [];
const ids = { traceId: 32, spanId: 16, parentSpanId: 16 };

// By the mapping of proto3 to JSON, and OTLP's exceptions: ids are hexadecimal, enumerators are numbers.
function check(value, field, path) {
  const wrong = () => faults.push(`${path} is ${JSON.stringify(value)}, not ${field.type}`);
  if (field.resolvedType instanceof protobuf.Enum) {
    if (!Number.isInteger(value) || field.resolvedType.valuesById[value] === undefined) wrong();
  } else if (field.resolvedType) {
    checkMessage(value, field.resolvedType, path);
  } else if (field.type === 'bytes') {
    if (!new RegExp(`^[0-9a-f]{${ids[field.name]}}$`).test(value) || /^0+$/.test(value)) wrong();
  } else if (field.type === 'string') {
    if (typeof value !== 'string') wrong();
  } else if (field.type === 'bool') {
    if (typeof value !== 'boolean') wrong();
  } else if (field.type === 'double') {
    if (typeof value !== 'number') wrong();
  } else if (field.type.endsWith('64')) {
    if (typeof value !== 'string' || !/^-?[0-9]+$/.test(value)) wrong();
  } else if (!Number.isInteger(value)) {
    wrong();
  }
}

function checkMessage(message, type, path) {
  if (message === null || typeof message !== 'object' || Array.isArray(message)) {
    faults.push(`${path} is no object`);
    return;
  }
  for (const [name, value] of Object.entries(message)) {
    const field = type.fields[name];
    if (!field) {
      faults.push(`${path}.${name} is not in ${type.name}`);
    } else if (field.repeated) {
      if (!Array.isArray(value)) faults.push(`${path}.${name} is no array`);
      else value.forEach((each, index) => check(each, field, `${path}.${name}[${index}]`));
    } else {
      check(value, field, `${path}.${name}`);
    }
  }
  for (const choice of type.oneofsArray ?? [])
    if (choice.oneof.filter((name) => name in message).length > 1) faults.push(`${path} has two of ${choice.name}`);
}

function expect(condition, what) {
  if (!condition) faults.push(what);
}

const attributesOf = (list) => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
const spans = [];
const points = [];

function takeSpans(body) {
  for (const { scopeSpans } of body.resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
}

function takeMetrics(body) {
  for (const { scopeMetrics } of body.resourceMetrics)
    for (const { metrics } of scopeMetrics)
      for (const metric of metrics) {
        expect(metric.name === 'http.client.request.duration' && metric.unit === 's', `the metric ${metric.name}`);
        points.push(...metric.histogram.dataPoints);
      }
}

const routes = {
  '/v1/traces': ['opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest', takeSpans],
  '/v1/metrics': ['opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest', takeMetrics],
};

const collector = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const route = routes[request.url];
    expect(route && request.method === 'POST', `${request.method} ${request.url}`);
    expect(request.headers['content-type'] === 'application/json', `the type ${request.headers['content-type']}`);
    const body = JSON.parse(Buffer.concat(parts).toString());
    if (route) {
      checkMessage(body, root.lookupType(route[0]), request.url);
      route[1](body);
    }
    response.setHeader('Content-Type', 'application/json');
    response.end('{}');
  });
});

function look() {
  const bySpan = new Map(spans.map((span) => [span.spanId, span]));
  expect(bySpan.size === spans.length, 'two spans have one id');
  const requests = spans.filter((span) => span.kind === 3);
  expect(requests.length >= 4, `${requests.length} attempts`);
  for (const span of spans) {
    expect(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano), `${span.name} ends before it starts`);
    const parent = bySpan.get(span.parentSpanId);
    expect((span.kind === 3) === Boolean(parent), `${span.name} has a wrong parent`);
    if (parent) expect(parent.traceId === span.traceId, `${span.name} is in another trace than its call`);
  }
  const waits = spans.flatMap((span) => span.events ?? []).filter((event) => event.name === 'noun.wait');
  expect(waits.length > 0, 'no wait for the quota');
  const failed = requests.filter((span) => attributesOf(span.attributes)['error.type'] === '404');
  expect(failed.length === 1 && failed[0].status?.code === 2, 'the missing item is no failed span');
  const counted = points.reduce((sum, point) => sum + Number(point.count), 0);
  expect(counted === requests.length, `${counted} durations of ${requests.length} attempts`);
  for (const point of points) {
    expect(point.bucketCounts.length === point.explicitBounds.length + 1, 'the buckets do not fit to their bounds');
    expect(point.bucketCounts.reduce((sum, count) => sum + Number(count), 0) === Number(point.count), 'buckets and count');
  }
}

collector.listen(0, '127.0.0.1', () => {
  const endpoint = `http://127.0.0.1:${collector.address().port}`;
  const child = spawn(program, { stdio: 'inherit', env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
  child.on('exit', (status) => {
    collector.close();
    collector.closeAllConnections();
    expect(status === 0, `the example ended with status ${status}`);
    look();
    for (const fault of faults) console.error(fault);
    console.log(`${spans.length} spans and ${points.length} histograms, ${faults.length} faults`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  });
});
