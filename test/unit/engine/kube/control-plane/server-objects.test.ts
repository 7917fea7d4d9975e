import { expect, test } from 'vitest';
import {
  parseEndpointSlice,
  parseNode,
} from '../../../../../src/engine/kube/control-plane/server-objects.ts';
import { kubernetesSlice, node } from '../../../../helpers/api-server/objects.ts';

const parse = parseNode(6443);

test.each([
  [null, '(unnamed)', /no readable metadata.name/],
  ['text', '(unnamed)', /no readable metadata.name/],
  [{ metadata: { name: 7 } }, '(unnamed)', /no readable metadata.name/],
  [{ metadata: { name: 'a' } }, 'a', /no readable status.addresses/],
  [{ metadata: { name: 'a' }, status: { addresses: 'x' } }, 'a', /no readable status.addresses/],
  [{ metadata: { name: 'a' }, status: { addresses: [{ type: 1 }] } }, 'a', /no readable status.addresses/],
])('the broken node %j is skipped with a reason', (item, name, reason) => {
  const { candidates, skipped } = parse(item);
  expect(candidates).toEqual([]);
  expect(skipped).toEqual([{ name, reason: expect.stringMatching(reason) }]);
});

test('a node without an address is a candidate, and the choice reports it', () => {
  expect(parse({ metadata: { name: 'a' }, status: {} }).candidates).toEqual([
    { name: 'a', addresses: [], port: 6443 },
  ]);
});

test('only addresses of type InternalIP are used, in order', () => {
  const item = node('a', ['fd00::1', '10.0.0.1']);
  expect(parse(item).candidates[0]?.addresses).toEqual(['fd00::1', '10.0.0.1']);
});

test('endpoints that are not ready are omitted; unknown readiness counts as ready', () => {
  const slice = kubernetesSlice('s', ['10.0.0.1', '10.0.0.2'], { notReady: ['10.0.0.1'] });
  expect(parseEndpointSlice(slice).candidates.map((item) => item.name)).toEqual(['10.0.0.2']);
  const unknown = [{}, { conditions: {} }, { conditions: null }, { conditions: { ready: null } }];
  const endpoints = unknown.map((more, index) => ({ addresses: [`10.0.0.${index}`], ...more }));
  expect(parseEndpointSlice({ ...slice, endpoints }).candidates).toHaveLength(4);
});

test('an endpoint gets the name of its node', () => {
  const endpoints = [{ addresses: ['10.0.0.1'], nodeName: 'cp-1' }];
  expect(parseEndpointSlice({ ...kubernetesSlice('s', []), endpoints }).candidates[0]?.name).toBe('cp-1');
});

test.each([
  [
    [
      { name: 'metrics', port: 9 },
      { name: 'https', port: 7443 },
    ],
    7443,
  ],
  [[{ port: 6443 }], 6443],
  [
    [
      { name: 'https', port: 1, protocol: 'UDP' },
      { name: 'x', port: 2 },
    ],
    2,
  ],
])('with the ports %j the API port is %i', (ports, port) => {
  expect(parseEndpointSlice({ ...kubernetesSlice('s', ['10.0.0.1']), ports }).candidates[0]?.port).toBe(port);
});

test.each([
  [[]],
  [null],
  [
    [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ],
  ],
  [[{ name: 'https' }]],
])('a slice with the ports %j is skipped', (ports) => {
  expect(parseEndpointSlice({ ...kubernetesSlice('s', ['10.0.0.1']), ports }).skipped[0]?.reason).toMatch(
    /port/,
  );
});

test('a slice without endpoints is not an error', () => {
  for (const endpoints of [null, undefined, []])
    expect(parseEndpointSlice({ ...kubernetesSlice('s', []), endpoints })).toMatchObject({
      candidates: [],
      skipped: [],
    });
});

test('a node with hawser.dev/api-server=drain is drained; another value is ignored and reported', () => {
  const annotated = (value: unknown) => {
    const item = node('a', ['10.0.0.1']);
    return parse({
      ...item,
      metadata: { ...item.metadata, annotations: { 'hawser.dev/api-server': value } },
    });
  };
  const candidate = { name: 'a', addresses: ['10.0.0.1'], port: 6443 };
  expect(annotated('drain')).toMatchObject({ candidates: [{ ...candidate, drained: true }], skipped: [] });
  expect(annotated('Drain')).toMatchObject({
    candidates: [candidate],
    skipped: [{ name: 'a', reason: 'ignored annotation hawser.dev/api-server="Drain": expected "drain"' }],
  });
  expect(annotated('Drain').candidates[0]).not.toHaveProperty('drained');
  expect(annotated('x'.repeat(200_000)).skipped[0]?.reason.length).toBeLessThan(120);
});
