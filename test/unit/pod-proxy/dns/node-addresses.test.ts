import { expect, test } from 'vitest';
import { nodesAskedFor } from '../../../../src/pod-proxy/dns/external-addresses.ts';
import { createNodeReader } from '../../../../src/pod-proxy/dns/node-addresses.ts';
import type { Replica } from '../../../../src/pod-proxy/dns/proxy-set.ts';

const { signal } = new AbortController();

/** A reader whose API answers each question for a Node with this status. */
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

test('a Node that the proxy may not read is asked for once in 30 s, and has no address', async () => {
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

test('an API that does not answer for a Node holds the records back, and is asked again at once', async () => {
  const { read, asked } = createReader(500);
  expect(await read(['node-1'], signal)).toEqual({
    kind: 'failure',
    message: 'Cannot read Node "node-1": HTTP 500',
  });
  await read(['node-1'], signal);
  expect(asked()).toBe(2);
});

test('no Node is read for replicas whose annotation gives the addresses', () => {
  const replica = (externalIps: string | undefined, node: string): Replica => ({
    ...{ name: node, isReady: true, labels: {}, controller: undefined },
    ...{ externalIps, node },
  });
  expect(nodesAskedFor([replica('192.0.2.1', 'node-1'), replica('192.0.2.2', 'node-2')], [])).toEqual([]);
  expect(nodesAskedFor([replica('192.0.2.1', 'node-1'), replica(undefined, 'node-2')], [])).toEqual([
    'node-2',
  ]);
});
