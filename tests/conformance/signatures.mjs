// node signatures.mjs AWS4 HTTP_MESSAGE_SIGNATURES < REQUESTS: judges the signatures of each line of JSON that `signatures`
// prints, by the packages in the folders. Prints the differences and their number.
import {createHash, createHmac, createPublicKey, timingSafeEqual} from 'node:crypto';
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';

const require = createRequire(import.meta.url);
const aws4 = require(`${process.argv[2]}/aws4.js`);
const {createVerifier, httpbis} = require(`${process.argv[3]}/lib/index.js`);

/** All values of each name, in lower case. */
const valuesOf = (fields) => {
  const values = {};
  for (const [name, value] of fields) (values[name.toLowerCase()] ??= []).push(value);
  return values;
};

/** What aws4 puts into Authorization. */
const signedByAws4 = ({aws, method, url, headers, body}) => {
  const {pathname, search} = new URL(url);
  // As libcurl sends it: in the case that the URL has.
  const host = url.split(/[/?]/)[2];
  const {authorization, ...values} = valuesOf(headers);
  const signed = {host};
  for (const name in values) signed[name] = values[name].join();
  const request = {host, method, path: pathname + search, headers: signed, body, service: aws.service, region: aws.region,
                   extraHeadersToIgnore: {'content-length': true}};  // which libcurl adds
  const keys = {accessKeyId: aws.access_key, secretAccessKey: aws.secret_key, sessionToken: aws.token || undefined};
  return aws4.sign(request, keys).headers.Authorization;
};

const verifierOf = ({key, algorithm}) => {
  if (algorithm !== 'hmac-sha256') return createVerifier(createPublicKey(key.private), algorithm);
  return async (text, signature) =>
    timingSafeEqual(createHmac('sha256', key.secret).update(text).digest(), signature);
};

const hasDigest = (headers, body) => {
  const digest = headers['content-digest'];
  return digest === undefined || digest[0] === `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
};

const isVerified = async ({http, method, url, headers, body}) => {
  const fields = valuesOf(headers);
  // Otherwise the package compares it with the time of this machine.
  const created = new Date(1000 * Number(/;created=(\d+)/.exec(fields['signature-input'])[1]));
  const keyLookup = async () => ({id: http.key.id, algs: [http.algorithm], verify: verifierOf(http)});
  // As a server knows it: with the host in lower case, and a path.
  const target = new URL(url);
  const config = {keyLookup, requiredParams: ['created', 'keyid', 'alg'], notAfter: created, maxAge: undefined};
  return hasDigest(fields, body) && (await httpbis.verifyMessage(config, {method, url: target, headers: fields}));
};

const count = {aws: 0, http: 0, different: 0};
for await (const line of createInterface({input: process.stdin})) {
  const request = JSON.parse(line);
  let expected;
  if (request.aws) {
    ++count.aws;
    expected = signedByAws4(request);
    if (expected === valuesOf(request.headers).authorization[0]) continue;
  } else {
    ++count.http;
    expected = await isVerified(request).catch((error) => String(error));
    if (expected === true) continue;
  }
  ++count.different;
  if (count.different <= 5) console.log(`expected: ${expected}\n${line}`);
}
console.log(`${count.aws} by AWS Signature Version 4, ${count.http} HTTP message signatures; ${count.different} different`);
process.exitCode = count.different === 0 && count.aws > 0 && count.http > 0 ? 0 : 1;
