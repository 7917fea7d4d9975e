import { expect, test } from 'vitest';
import { type Outage, trackApi } from '../../../../src/engine/kube/outage.ts';
import type { Resource } from '../../../../src/engine/kube/resource.ts';
import { createResourceView } from '../../../../src/engine/kube/resource-view.ts';
import { monotonicMs } from '../../../../src/engine/system/time/monotonic-clock.ts';

const nodes: Resource<string> = { what: 'nodes', apiVersion: 'v1', plural: 'nodes', project: () => 'cp-1' };
const masters: Resource<string> = { ...nodes, what: 'masters', labelSelector: 'master' };
const list = () => ({
  resourceVersion: '1',
  objects: new Map([['cp-1', { resourceVersion: '1', value: 'cp-1' }]]),
});
const silence = { kind: 'failure', status: undefined, message: 'no answer within 5000 ms' } as const;
const from = 'https://10.0.0.1:6443';

function createView(resources: readonly Resource<string>[], outage?: Outage) {
  const seen: string[] = [];
  const view = createResourceView(
    resources,
    { report: ({ event }) => seen.push(event), ...(outage && { outage }) },
    ({ kind }) => seen.push(kind),
  );
  return { view, seen };
}

test('a list that hung since before another one was answered is no new outage, a later one is', () => {
  const { view, seen } = createView([nodes]);
  const hungSinceMs = monotonicMs();
  view.unavailable(silence, hungSinceMs);
  view.polled(new Map([[nodes, list()]]), new Map(), from);
  expect(seen).toEqual(['api-unavailable', 'unavailable', 'api-recovered', 'available', 'objects']);
  view.unavailable(silence, hungSinceMs);
  expect(seen).toHaveLength(5);
  view.unavailable(silence, monotonicMs());
  expect(seen.slice(5)).toEqual(['api-unavailable', 'unavailable']);
});

test('several views with one outage tell of it once, and of what one of them alone is refused', () => {
  const events: string[] = [];
  const outage = trackApi(({ event }) => events.push(event));
  const [one, other] = [createView([nodes], outage), createView([masters], outage)];
  const hungSinceMs = monotonicMs();
  for (const { view } of [one, other]) view.unavailable(silence, hungSinceMs);
  one.view.relisted(nodes, list(), from);
  other.view.unavailable(silence, hungSinceMs);
  other.view.unavailable({ ...silence, status: 403 }, monotonicMs());
  expect(events).toEqual(['api-unavailable', 'api-recovered']);
  expect(other.seen).toEqual(['unavailable', 'api-unavailable', 'unavailable']);
});

test('there are no objects before every resource was listed', () => {
  const { view, seen } = createView([nodes, masters]);
  view.relisted(nodes, list(), from);
  expect([view.objects(), seen]).toEqual([undefined, []]);
  view.relisted(masters, list(), from);
  expect([view.objects(), seen]).toEqual([['cp-1'], ['objects']]);
});
