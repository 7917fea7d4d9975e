import { expect, test } from 'vitest';
import {
  createNodeReader,
  externalAddresses,
  nodesNeeded,
} from '../../../../src/pod-proxy/dns/external-addresses.ts';
import type { LoadBalancer, Replica } from '../../../../src/pod-proxy/dns/proxy-set.ts';

const nodes = new Map([
  ['node-1', ['203.0.113.10', '2001:db8::10']],
  ['node-2', ['203.0.113.9']],
  ['inner', []],
]);

function replica(name: string, more: Partial<Replica> = {}): Replica {
  const labels = { app: 'haproxy' };
  return {
    name,
    isReady: true,
    labels,
    node: 'node-1',
    externalIps: undefined,
    controller: undefined,
    ...more,
  };
}

function balancer(more: Partial<LoadBalancer> = {}): LoadBalancer {
  return { name: 'edge', selector: { app: 'haproxy' }, addresses: ['198.51.100.7'], ...more };
}

const of = (replicas: readonly Replica[], balancers: readonly LoadBalancer[] = []) =>
  externalAddresses(replicas, balancers, nodes);

test('the addresses are the IPv4 ExternalIPs of the Nodes of ready replicas, in numerical order', () => {
  const replicas = [
    replica('a'),
    replica('b', { node: 'node-2' }),
    replica('c', { isReady: false, node: 'x' }),
  ];
  expect(of(replicas)).toEqual({ addresses: ['203.0.113.9', '203.0.113.10'], problems: [] });
  expect(nodesNeeded(replicas, [])).toEqual(['node-1', 'node-2']);
});

test('a Service of type LoadBalancer for the replicas takes precedence over their Nodes', () => {
  expect(of([replica('a')], [balancer()])).toEqual({ addresses: ['198.51.100.7'], problems: [] });
  expect(nodesNeeded([replica('a')], [balancer()])).toEqual([]);
  const others = [balancer({ selector: { app: 'web' } }), balancer({ selector: {} })];
  expect(of([replica('a')], others).addresses).toEqual(['203.0.113.10']);
});

test('a Service without an address is not replaced by the Nodes', () => {
  const { addresses, problems } = of([replica('a'), replica('b')], [balancer({ addresses: [] })]);
  expect(addresses).toEqual([]);
  expect(problems).toEqual([
    'Cannot publish Service "edge": it has no external IPv4 address, expected one, or the pod\'s annotation external-ips',
  ]);
});

test("a pod's annotation takes precedence over all other sources for that pod", () => {
  const replicas = [replica('a', { externalIps: '192.0.2.4, 192.0.2.3' }), replica('b')];
  expect(of(replicas).addresses).toEqual(['192.0.2.3', '192.0.2.4', '203.0.113.10']);
  expect(of([replica('a', { externalIps: '192.0.2.4' })], [balancer()]).addresses).toEqual(['192.0.2.4']);
});

test.each([
  '',
  'example.com',
  '2001:db8::1',
  '127.0.0.1',
  '0.0.0.0',
  '169.254.169.254',
  '224.0.0.1',
  '1.2.3',
])('the annotation %j is refused, and no other source is used instead', (externalIps) => {
  const { addresses, problems } = of([replica('a', { externalIps })]);
  expect(addresses).toEqual([]);
  expect(problems).toEqual([expect.stringMatching(/external-ips of pod "a": ".*" is not an IPv4 address/)]);
});

test('thousands of words in one annotation are one problem of at most 20 addresses, and other pods are published', () => {
  const words = Array.from({ length: 5_000 }, (_, index) => index);
  const numbers = words.map((index) => `198.18.${index >> 8}.${index & 255}`);
  const many = of([replica('a', { externalIps: [...numbers, ...numbers].join() }), replica('b')]);
  expect(many.addresses).toEqual([...numbers.slice(0, 20), '203.0.113.10']);
  expect(many.problems).toEqual([expect.stringContaining('it has 5000 addresses, expected at most 20')]);
  const wrong = of([replica('a', { externalIps: words.map((index) => `${index}`.repeat(200)).join() })]);
  expect(wrong.addresses).toEqual([]);
  expect(wrong.problems).toHaveLength(1);
  expect(wrong.problems[0]?.length).toBeLessThan(250);
});

test('a Node without an external address is reported, and the others are published', () => {
  const { addresses, problems } = of([replica('a'), replica('b', { node: 'inner' })]);
  expect(addresses).toEqual(['203.0.113.10']);
  expect(problems).toEqual([expect.stringContaining('Node "inner" of pod "b"')]);
});

test('a proxy without a ready replica has no address, and this is reported', () => {
  for (const replicas of [[], [replica('a', { isReady: false })]])
    expect(of(replicas, [balancer()])).toEqual({
      addresses: [],
      problems: ['No proxy is ready: the records stay as they are'],
    });
});

const { signal } = new AbortController();

/** A reader whose API answers each request for a Node with this status. */
function createReader(status: number) {
  const clock = { nowMs: 0 };
  let asked = 0;
  const session = {
    firstAnswer: async () => {
      asked += 1;
      return { kind: 'failure', status, message: `HTTP ${status}` } as const;
    },
  };
  const read = createNodeReader(session, 30_000, () => clock.nowMs);
  return { read, clock, asked: () => asked };
}

test('a Node without read permission is requested once in 30 s and has no address', async () => {
  const { read, clock, asked } = createReader(403);
  for (; clock.nowMs < 60_000; clock.nowMs += 1_500) {
    const found = await read(['node-1'], signal);
    expect(found).toMatchObject({ kind: 'known', nodes: new Map([['node-1', []]]) });
  }
  expect(asked()).toBe(2);
  expect(await read(['node-1'], signal)).toMatchObject({
    problems: [expect.stringMatching(/^Cannot read Node "node-1": HTTP 403, expected .*dns-nodes\.yaml/)],
  });
});

test('an API that does not answer for a Node delays the records and is queried again at once', async () => {
  const { read, asked } = createReader(500);
  expect(await read(['node-1'], signal)).toEqual({
    kind: 'failure',
    message: 'Cannot read Node "node-1": HTTP 500',
  });
  await read(['node-1'], signal);
  expect(asked()).toBe(2);
});

test('replicas whose addresses are in the annotation need no Node', () => {
  const replica = (externalIps: string | undefined, node: string): Replica => ({
    name: node,
    isReady: true,
    labels: {},
    controller: undefined,
    externalIps,
    node,
  });
  expect(nodesNeeded([replica('192.0.2.1', 'node-1'), replica('192.0.2.2', 'node-2')], [])).toEqual([]);
  expect(nodesNeeded([replica('192.0.2.1', 'node-1'), replica(undefined, 'node-2')], [])).toEqual(['node-2']);
});
