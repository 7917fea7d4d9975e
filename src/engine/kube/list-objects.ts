import { overLimit } from '../system/limit.ts';
import { type ApiFailure, type ApiTarget, getJson } from './api-request.ts';
import { identify, listPage } from './kube-objects.ts';
import type { Kept, ListedObjects } from './object-store.ts';
import { queryPath, type Resource } from './resource.ts';
import type { ListWatchTiming } from './timing.ts';

/** Ends a list whose pages always announce another one. */
const MAX_PAGES = 1_000;
/** Lists whose `continue` expired before one is given up. */
const mostLists = 3;

interface ListLimits {
  readonly signal: AbortSignal;
  /** For each page. */
  readonly timeoutMs: number;
  readonly timing: ListWatchTiming;
}

/**
 * Lists every object of a resource, page by page, as of the resource version of the first page. The read sets no
 * version, so it is consistent with etcd even if the API server's cache lags. A list whose next page has expired (HTTP
 * 410: etcd was compacted meanwhile) begins anew. Never throws.
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
  { signal, timeoutMs, timing }: ListLimits,
): Promise<({ readonly kind: 'listed' } & ListedObjects<T>) | ApiFailure> {
  const objects = new Map<string, Kept<T>>();
  const limit = `${timing.pageLimit}`;
  const { maxObjects, maxPageBytes } = timing;
  let token: string | undefined;
  for (let page = 1; ; page += 1) {
    const tooMany = overLimit(page, 'pages', { MAX_PAGES });
    if (tooMany !== undefined) return tooLarge(`the list has ${tooMany}`);
    const path = queryPath(resource, { limit, ...(token !== undefined && { continue: token }) });
    const answer = await getJson(target, path, { signal, timeoutMs, maxBytes: { maxPageBytes } });
    if (answer.kind === 'failure') return answer;
    const parsed = listPage.safeParse(answer.value);
    if (!parsed.success) return { kind: 'failure', status: undefined, message: 'the answer is no list' };
    for (const item of parsed.data.items ?? []) {
      const value = resource.project(item);
      const { key, resourceVersion } = identify(item);
      if (value !== undefined) objects.set(key, { resourceVersion, value });
    }
    const over = overLimit(objects.size, 'objects', { maxObjects });
    if (over !== undefined) return tooLarge(`the list has ${over}`);
    const { resourceVersion } = parsed.data.metadata;
    token = parsed.data.metadata.continue;
    if (token === undefined || token === '') return { kind: 'listed', resourceVersion, objects };
  }
}

/** The API server answers, so that what else is asked of it goes on. */
function tooLarge(message: string): ApiFailure {
  return { kind: 'failure', status: 200, message, isTooLarge: true };
}
