import fc from 'fast-check';
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

test('a list that hung while another was answered starts no outage; a later one does', () => {
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

test('views that share an outage report it once, and refusals separately', () => {
  const events: string[] = [];
  const outage = trackApi(({ event }) => events.push(event));
  const one = createView([nodes], outage);
  const other = createView([masters], outage);
  const hungSinceMs = monotonicMs();
  for (const { view } of [one, other]) view.unavailable(silence, hungSinceMs);
  one.view.relisted(nodes, list(), from);
  other.view.unavailable(silence, hungSinceMs);
  other.view.unavailable({ ...silence, status: 403 }, monotonicMs());
  expect(events).toEqual(['api-unavailable', 'api-recovered']);
  expect(other.seen).toEqual(['unavailable', 'api-unavailable', 'unavailable']);
});

test('there are no objects until every resource has been listed', () => {
  const { view, seen } = createView([nodes, masters]);
  view.relisted(nodes, list(), from);
  expect([view.objects(), seen]).toEqual([undefined, []]);
  view.relisted(masters, list(), from);
  expect([view.objects(), seen]).toEqual([['cp-1'], ['objects']]);
});

test('a change of an unused object is kept and not reported', () => {
  const unused = { ...nodes, isUsed: (value: string) => value.startsWith('used') };
  const { view, seen } = createView([unused]);
  view.relisted(unused, list(), from);
  const change = (version: number, key: string, value: string | undefined) =>
    view.changed(unused, { kind: 'object', key, resourceVersion: `${version}`, value }, from);
  change(2, 'a', 'one');
  change(3, 'a', 'two');
  expect([view.objects(), seen]).toEqual([['cp-1', 'two'], ['objects']]);
  change(4, 'a', 'used');
  change(5, 'a', 'one');
  change(6, 'a', undefined);
  expect([view.objects(), seen]).toEqual([['cp-1'], ['objects', 'objects', 'objects']]);
});

test('a bookmark and a heartbeat keep the identical list', () => {
  const { view } = createView([nodes]);
  view.relisted(nodes, list(), from);
  const before = view.objects();
  view.changed(nodes, { kind: 'reached', resourceVersion: '2' }, from);
  view.changed(nodes, { kind: 'object', key: 'cp-1', resourceVersion: '3', value: 'cp-1' }, from);
  expect(view.objects()).toBe(before);
  view.changed(nodes, { kind: 'object', key: 'cp-1', resourceVersion: '4', value: 'other' }, from);
  expect([before, view.objects()]).toEqual([['cp-1'], ['other']]);
});

const named = (key: string): Resource<string> => ({ ...nodes, what: key, labelSelector: key });
const kept = fc.record({ version: fc.nat(9), value: fc.constantFrom('one', 'two', undefined) });
const news = fc.record({
  kind: fc.constantFrom('relisted', 'changed', 'polled'),
  resource: fc.nat(1),
  key: fc.constantFrom('a', 'b'),
  objects: fc.tuple(kept, kept),
});

test('the objects of a view do not depend on when they are read', () => {
  fc.assert(
    fc.property(fc.array(news, { maxLength: 12 }), (all) => {
      const resources = [named('x'), named('y')];
      const asked = createView(resources).view;
      const silent = createView(resources).view;
      for (const { kind, resource: index, key, objects } of all) {
        const resource = resources[index] ?? nodes;
        const [{ version, value }] = objects;
        const listed = () => ({
          resourceVersion: `${version}`,
          objects: new Map(
            objects.map((each, at) => [
              at === 0 ? 'a' : 'b',
              { resourceVersion: `${each.version}`, value: each.value ?? 'none' },
            ]),
          ),
        });
        for (const view of [asked, silent])
          if (kind === 'relisted') view.relisted(resource, listed(), from);
          else if (kind === 'polled') view.polled(new Map([[resource, listed()]]), new Map(), from);
          else view.changed(resource, { kind: 'object', key, resourceVersion: `${version}`, value }, from);
        asked.objects();
      }
      expect(asked.objects()).toEqual(silent.objects());
    }),
  );
});
