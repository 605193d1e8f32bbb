// What every server here serves: a listing of `pages` pages with one item each, and the items.

/** The duration of a request that is not rejected. */
export const wait = (milliseconds = 5) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The body of the resource and, unless the page is the last, the Link header. */
export function things(target, pages) {
  const url = new URL(target, 'http://127.0.0.1');
  const id = url.pathname.match(/^\/things\/(.+)$/)?.[1];
  if (id) return {body: JSON.stringify({id})};
  const page = Number(url.searchParams.get('page') ?? 1);
  const next = `</things?page=${page + 1}&per_page=1>; rel="next"`;
  return {body: JSON.stringify([{id: `thing-${page}`}]), link: page < pages ? next : undefined};
}
