import type * as z from 'zod/mini';
import { overLimit } from '../system/limit.ts';
import { type ApiFailure, type ApiTarget, getJson } from './api-request.ts';
import { identify, listPage } from './kube-objects.ts';
import type { Kept, ListedObjects } from './object-store.ts';
import { queryPath, type Resource } from './resource.ts';
import type { ListWatchTiming } from './timing.ts';

/** Limit for lists that start over after an expired `continue` token. */
const mostLists = 3;

interface ListLimits {
  readonly signal: AbortSignal;
  /** Timeout of each page. */
  readonly timeoutMs: number;
  readonly timing: ListWatchTiming;
}

/**
 * Lists all objects of a resource, page by page, as of the resource version of the first page. The request sets no version, so the list is consistent
 * with etcd even if the API server's cache lags. If the next page has expired (HTTP 410: etcd was compacted meanwhile), the list starts over. Never
 * throws.
 */
export async function listObjects<T>(
  target: ApiTarget,
  resource: Resource<T>,
  limits: ListLimits,
): Promise<({ readonly kind: 'listed' } & ListedObjects<T>) | ApiFailure> {
  for (let lists = 1; ; lists += 1) {
    const answer = await listPages(target, resource, limits);
    const isExpired = answer.kind === 'failure' && answer.status === 410;
    if (!isExpired || lists === mostLists) return answer;
  }
}

async function listPages<T>(
  target: ApiTarget,
  resource: Resource<T>,
  limits: ListLimits,
): Promise<({ readonly kind: 'listed' } & ListedObjects<T>) | ApiFailure> {
  const objects = new Map<string, Kept<T>>();
  const { maxObjects, maxPages, pageLimit } = limits.timing;
  let next: NextPage = { token: undefined, limit: pageLimit };
  for (let pages = 1; ; pages += 1) {
    const tooMany = overLimit(pages, 'pages', { maxPages });
    if (tooMany !== undefined) return tooLarge(`the list has ${tooMany}`);
    const answer = await readPage(target, resource, next, limits);
    if (answer.kind === 'failure') return answer;
    for (const item of answer.page.items ?? []) {
      const value = resource.project(item);
      const { key, resourceVersion } = identify(item);
      if (value !== undefined) objects.set(key, { resourceVersion, value });
    }
    const over = overLimit(objects.size, 'objects', { maxObjects });
    if (over !== undefined) return tooLarge(`the list has ${over}`);
    const { resourceVersion, continue: token } = answer.page.metadata;
    if (token === undefined || token === '') return { kind: 'listed', resourceVersion, objects };
    next = { token, limit: Math.min(answer.limit * 2, pageLimit) };
  }
}

interface NextPage {
  /** From the previous page. */
  readonly token: string | undefined;
  /** Maximum number of objects. */
  readonly limit: number;
}

/**
 * Reads one page, and returns the limit that was used. A page over `maxPageBytes` is requested again with half as many objects: large objects in one
 * namespace must not prevent listing the others.
 */
async function readPage(
  target: ApiTarget,
  resource: Resource<unknown>,
  next: NextPage,
  { signal, timeoutMs, timing: { maxPageBytes } }: ListLimits,
): Promise<
  { readonly kind: 'page'; readonly page: z.infer<typeof listPage>; readonly limit: number } | ApiFailure
> {
  for (let { limit } = next; ; limit = Math.floor(limit / 2)) {
    const parameters = { limit: `${limit}`, ...(next.token !== undefined && { continue: next.token }) };
    const path = queryPath(resource, parameters);
    const answer = await getJson(target, path, { signal, timeoutMs, maxBytes: { maxPageBytes } });
    if (answer.kind === 'failure' && answer.isTooLarge && limit > 1) continue;
    if (answer.kind === 'failure') return answer;
    const parsed = listPage.safeParse(answer.value);
    if (!parsed.success) return { kind: 'failure', status: undefined, message: 'the answer is not a list' };
    return { kind: 'page', page: parsed.data, limit };
  }
}

/** Status 200: the API server answers, so its other requests continue. */
function tooLarge(message: string): ApiFailure {
  return { kind: 'failure', status: 200, message, isTooLarge: true };
}
