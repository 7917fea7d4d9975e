import { expect, test } from 'vitest';
import type { NextInput } from '../../../../src/engine/monitor/proposal.ts';
import type { ServerList } from '../../../../src/engine/monitor/servers/server-list.ts';
import { gatherInput } from '../../../../src/vip/configuration/node-lists.ts';

const settings = {
  clusterName: 'c',
  apiVips: ['10.0.0.100'],
  ingressVips: ['10.0.0.101'],
  nodeName: 'cp-1',
  notifyFifo: '/f',
  trackFiles: { api: '/a', ingress: '/i' },
};

function listOf(next: NextInput<[]>): ServerList {
  return {
    next: async () => next,
    latest: () => next.input,
    lastObservation: () => undefined,
    observe: () => undefined,
    resume: () => false,
    isFromLastRun: () => false,
    isUpToDate: () => true,
    standing: () => 'none',
    view: () => ({ apiReachable: true, held: null }),
    markServed: () => undefined,
  };
}

test('there is no input while one of two lists is unknown, and the earlier recheck applies', async () => {
  const lists = [
    { kind: 'api', list: listOf({ input: [], recheckInMs: 900 }), lastRun: [] },
    { kind: 'ingress', list: listOf({ input: undefined, recheckInMs: 500 }), lastRun: [] },
  ] as const;
  const { signal } = new AbortController();
  expect(await gatherInput(lists, settings, signal)).toEqual({ input: undefined, recheckInMs: 500 });
});
