import { expect, test } from 'vitest';
import type { Wanted } from '../../../../src/engine/monitor/proposal.ts';
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

function listOf(wanted: Wanted<[]>): ServerList {
  return {
    next: async () => wanted,
    latest: () => wanted.input,
    heard: () => undefined,
    observe: () => undefined,
    resume: () => false,
    isOfLastRun: () => false,
    isUpToDate: () => true,
    standing: () => 'none',
    view: () => ({ apiReachable: true, held: null }),
    markServed: () => undefined,
  };
}

test('nothing is proposed while one of two lists is unknown, and the earlier look is the next', async () => {
  const lists = [
    { kind: 'api', list: listOf({ input: [], lookAgainInMs: 900 }), lastRun: [] },
    { kind: 'ingress', list: listOf({ input: undefined, lookAgainInMs: 500 }), lastRun: [] },
  ] as const;
  const { signal } = new AbortController();
  expect(await gatherInput(lists, settings, signal)).toEqual({ input: undefined, lookAgainInMs: 500 });
});
