// node got_client.js BASE_URL pages|items REQUESTS: like limiter_client, with got and its defaults.
import got from 'got';

const [base, shape, text] = process.argv.slice(2);
const requests = Number(text);
let completed = 0;
let firstError = '';
const began = performance.now();

if (shape === 'pages') {
  try {
    for (let next = '/things?page=1&per_page=1'; next; ++completed) {
      const {headers} = await got(base + next);
      next = headers.link?.match(/<([^>]*)>; rel="next"/)?.[1];
    }
  } catch (error) {
    firstError = error.message;
  }
} else {
  let id = 0;
  await Promise.all(Array.from({length: 16}, async () => {
    while (++id <= requests) {
      try {
        await got(`${base}/things/${id}`).json();
        ++completed;
      } catch (error) {
        firstError ||= error.message;
      }
    }
  }));
}
const took = (performance.now() - began) / 1000;
console.log(JSON.stringify({took, completed, failed: requests - completed, first_error: firstError}));
