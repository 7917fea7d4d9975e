import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { ProxyDriver } from '../../../../src/haproxy/program.ts';
import type { ServerCounters } from '../../../../src/api-lb/suspects/server-counters.ts';
import type { State } from '../../../../src/haproxy/supervise/state.ts';
import { watchServers } from '../../../../src/api-lb/suspects/watch-suspects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

type Program = Pick<ProxyDriver, 'countersOf' | 'setAside'>;

/** `masters/dead` fails ever more attempts and answers no probe; `masters/live` answers. */
async function watch(program: (counters: () => readonly ServerCounters[]) => Program) {
  const live = createServer((socket) => socket.resume()).listen(0, '127.0.0.2');
  await once(live, 'listening');
  const { port } = live.address() as AddressInfo;
  let failedAttempts = 0;
  const server = (name: string, host: string): ServerCounters => ({
    ...{ name: `masters/${name}`, checkedAs: `checks/${name}`, isUp: true, address: { host, port } },
    ...{ failedAttempts: 0, redispatched: 0, longestConnectMs: 0, chosen: 0, bytesFromServer: 0 },
  });
  const counters = () => {
    failedAttempts += 1;
    return [
      { ...server('dead', '255.255.255.255'), failedAttempts, redispatched: 7 },
      // No interface has this address of loopback, so it stands for another node.
      server('live', '127.0.0.2'),
    ];
  };
  const events: Record<string, unknown>[] = [];
  const state = { serving: { number: 1, master: {} } } as State;
  const watched = watchServers(program(counters), {
    state: () => state,
    log: (event) => void events.push(event),
  });
  onTestFinished(() => {
    watched.stop();
    live.close();
  });
  return { events, watched };
}

test('a server that HAProxy does not set aside is not told as set aside', async () => {
  const { events } = await watch((counters) => ({
    countersOf: async () => counters(),
    setAside: async () => 'No such server.',
  }));
  const left = await waitFor('the refusal', () => events.find(({ event }) => event === 'server-left-alone'));
  expect(left).toMatchObject({ verdict: 'refused', message: 'No such server.', server: 'masters/dead' });
  expect(events.filter(({ event }) => event === 'server-set-aside')).toEqual([]);
});

test('an error is reported, and the server is probed again', async () => {
  let calls = 0;
  const { events } = await watch((counters) => ({
    countersOf: async () => counters(),
    setAside: async () => {
      calls += 1;
      if (calls === 1) throw new Error('EMFILE');
      return undefined;
    },
  }));
  await waitFor('it to be set aside', () => events.find(({ event }) => event === 'server-set-aside'));
  expect(events[0]).toMatchObject({ event: 'internal-error', message: 'Error: EMFILE' });
});

test('a look without an answer does not count redispatched connections again', async () => {
  let looks = 0;
  const { watched } = await watch((counters) => ({
    countersOf: async () => {
      looks += 1;
      return looks === 2 ? undefined : counters();
    },
    setAside: async () => undefined,
  }));
  await waitFor('the third look', () => looks > 3);
  expect(watched.connections().redispatched).toBe(7);
});
