import { expect, test } from 'vitest';
import { createServerView } from '../../../../../src/engine/kube/control-plane/server-view.ts';
import type { Resource } from '../../../../../src/engine/kube/list-objects.ts';
import { monotonicMs } from '../../../../../src/engine/system/time/monotonic-clock.ts';

const nodes: Resource = { what: 'nodes', path: '/api/v1/nodes', labelSelector: '', parse: () => item };
const item = { key: 'cp-1', resourceVersion: '1', candidates: [], skipped: [] };
const list = { resourceVersion: '1', items: [item] };
const silence = { kind: 'failure', status: undefined, message: 'no answer within 5000 ms' } as const;

test('a list that hung since before another one was answered is no new outage, a later one is', () => {
  const seen: string[] = [];
  const view = createServerView({
    resources: [nodes],
    choose: () => ({ servers: [], skipped: [] }),
    session: { remember: () => undefined },
    report: ({ event }) => seen.push(event),
    push: ({ kind }) => seen.push(kind),
  });
  const hungSinceMs = monotonicMs();
  view.unavailable(silence, hungSinceMs);
  view.polled(new Map([[nodes, list]]), 'https://10.0.0.1:6443');
  expect(seen).toEqual(['api-unavailable', 'unavailable', 'api-recovered', 'servers']);
  view.unavailable(silence, hungSinceMs);
  expect(seen).toHaveLength(4);
  view.unavailable(silence, monotonicMs());
  expect(seen.slice(4)).toEqual(['api-unavailable', 'unavailable']);
});
