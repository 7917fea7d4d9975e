import { type ApiFailure, type ApiTarget, getJson } from './api-request.ts';
import { listPage, type ParsedItem, type ParseItem } from './kube-objects.ts';
import type { ListedObjects } from './object-store.ts';
import type { ListWatchTiming } from './timing.ts';

/** A kind of objects to list and watch. */
export interface Resource {
  /** The name for messages: `control-plane nodes`. */
  readonly what: string;
  readonly path: string;
  readonly labelSelector: string;
  readonly parse: ParseItem;
}

/** More pages than any cluster has control planes. It ends a list whose pages always announce another one. */
const mostPages = 200;

/**
 * Lists every object of a resource, page by page, as of the resource version of the first page. The read sets no
 * version, so it is consistent with etcd even if the API server's cache lags. Never throws.
 */
export async function listObjects(
  target: ApiTarget,
  resource: Resource,
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number; readonly timing: ListWatchTiming },
): Promise<({ readonly kind: 'listed' } & ListedObjects) | ApiFailure> {
  const items: ParsedItem[] = [];
  const { signal, timeoutMs, timing } = limits;
  let token: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const path = pathOf(resource, timing.pageLimit, token);
    const answer = await getJson(target, path, { signal, timeoutMs, maxBytes: timing.maxPageBytes });
    if (answer.kind === 'failure') return answer;
    const parsed = listPage.safeParse(answer.value);
    if (!parsed.success) return broken('the answer is no list');
    items.push(...(parsed.data.items ?? []).map(resource.parse));
    const { resourceVersion } = parsed.data.metadata;
    token = parsed.data.metadata.continue;
    if (token === undefined || token === '') return { kind: 'listed', resourceVersion, items };
  }
  return broken(`the list has more than ${mostPages} pages`);
}

function pathOf(resource: Resource, limit: number, token: string | undefined): string {
  const query = new URLSearchParams({ labelSelector: resource.labelSelector, limit: `${limit}` });
  if (token !== undefined) query.set('continue', token);
  return `${resource.path}?${query}`;
}

function broken(message: string): ApiFailure {
  return { kind: 'failure', status: undefined, message };
}
