import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import {
  parseEndpointSlice,
  parseNode,
  type ServerFinding,
} from '../../../../src/engine/kube/control-plane/server-objects.ts';
import { identify, listPage, statusObject } from '../../../../src/engine/kube/kube-objects.ts';
import { createObjectStore, type ObjectStore } from '../../../../src/engine/kube/object-store.ts';
import { readWatch } from '../../../../src/engine/kube/watch-stream.ts';
import { readRecording } from '../../../helpers/recordings.ts';

const nodes = { project: parseNode(6443) };
const limits = { idleMs: 60_000, maxLineBytes: 1_000_000 };

function listed(name: string) {
  const { metadata, items } = listPage.parse(JSON.parse(readRecording(name).body));
  const objects = (items ?? []).map((item) => {
    const { key, resourceVersion } = identify(item);
    return [key, { resourceVersion, value: nodes.project(item) }] as const;
  });
  return { ...metadata, objects: new Map(objects) };
}

function addresses(store: ObjectStore<ServerFinding>): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...store.objects()].map(([name, { value }]) => [
      name,
      value.candidates.flatMap((candidate) => candidate.addresses),
    ]),
  );
}

test("a real list of nodes gives every node's InternalIP and nothing else", () => {
  const list = listed('nodes-list');
  expect(addresses(createObjectStore(list))).toEqual({
    'cp-1': ['10.20.0.11'],
    'cp-2': ['10.20.0.12'],
    'cp-3': ['10.20.0.13'],
  });
  expect(list.resourceVersion).toBe('334');
  expect([...list.objects.values()].flatMap(({ value }) => value.skipped)).toEqual([]);
});

test('a real list in two pages ends where the token ends', () => {
  expect(listed('nodes-list-limit2').continue).toMatch(/^eyJ/);
  expect(listed('nodes-list-continue').continue).toBeUndefined();
  expect([...listed('nodes-list-continue').objects.keys()]).toEqual(['cp-3']);
});

test('a real watch: label lost and regained, deletion, creation, bookmark at the end', async () => {
  const store = createObjectStore(listed('nodes-list'));
  const steps: string[] = [];
  for await (const message of readWatch(
    Readable.from([Buffer.from(readRecording('nodes-watch').body)]),
    nodes,
    limits,
  )) {
    if (message.kind === 'expired') throw new Error('the recording has no 410');
    store.take(message);
    steps.push(`${store.resourceVersion()} ${Object.keys(addresses(store)).sort().join(' ')}`);
  }
  expect(steps).toEqual([
    '336 cp-1 cp-3',
    '337 cp-1 cp-2 cp-3',
    '338 cp-1 cp-2',
    ...['339 cp-1 cp-2', '340 cp-1 cp-2', '341 cp-1 cp-2'],
    ...['342 cp-1 cp-2 cp-3', '343 cp-1 cp-2 cp-3'],
    ...['344 cp-1 cp-2 cp-3 cp-4', '345 cp-1 cp-2 cp-3 cp-4', '346 cp-1 cp-2 cp-3'],
    ...['346 cp-1 cp-2 cp-3', '346 cp-1 cp-2 cp-3'],
  ]);
  expect(addresses(store)['cp-3']).toEqual(['10.20.0.13']);
});

test('a real watch gives the same messages, however its bytes are split', async () => {
  const bytes = Buffer.from(readRecording('nodes-watch').body);
  const whole = await Readable.from(readWatch(Readable.from([bytes]), nodes, limits)).toArray();
  const cut = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
    bytes.subarray(index * 7, index * 7 + 7),
  );
  expect(await Readable.from(readWatch(Readable.from(cut), nodes, limits)).toArray()).toEqual(whole);
});

test('the real "too old" event requires a new list', async () => {
  const stream = Readable.from([Buffer.from(readRecording('nodes-watch-too-old').body)]);
  expect(await Readable.from(readWatch(stream, nodes, limits)).toArray()).toEqual([{ kind: 'expired' }]);
});

test('the real EndpointSlice gives three endpoints with the https port', () => {
  const { items } = listPage.parse(JSON.parse(readRecording('endpointslices-list').body));
  expect(items?.map((item) => identify(item).key)).toEqual(['default/kubernetes']);
  expect(items?.map(parseEndpointSlice)).toMatchObject([
    {
      candidates: ['10.20.0.11', '10.20.0.12', '10.20.0.13'].map((address) => ({
        name: address,
        addresses: [address],
        port: 6443,
      })),
      skipped: [],
    },
  ]);
});

test.each([
  ['unauthorized', 'Unauthorized'],
  ['forbidden-anonymous', 'nodes is forbidden: User "system:anonymous" cannot list'],
  ['not-found', 'nodes "none" not found'],
  ['nodes-future-rv', 'Too large resource version'],
])('user and resource are found in the real message %s', (name, words) => {
  expect(statusObject.parse(JSON.parse(readRecording(name).body)).message).toContain(words);
});
