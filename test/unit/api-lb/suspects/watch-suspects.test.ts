import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { watchSuspects } from '../../../../src/api-lb/suspects/watch-suspects.ts';
import type { ProxyDriver } from '../../../../src/haproxy/program.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

type Program = Pick<ProxyDriver, 'serverStatistics' | 'setAside'>;

/** `masters/dead` counts one more failed attempt at each poll and answers no probe; `masters/live` answers. */
async function watch(program: (statistics: () => string) => Program) {
  const live = createServer((socket) => socket.resume()).listen(0, '127.0.0.2');
  await once(live, 'listening');
  const { port } = live.address() as AddressInfo;
  let failedAttempts = 0;
  const statistics = () => {
    failedAttempts += 1;
    return [
      '# pxname,svname,type,status,econ,wredis,tracked,addr',
      `masters,dead,2,UP,${failedAttempts},7,checks/dead,255.255.255.255:${port}`,
      // No interface has this loopback address, so the server counts as on another node.
      `masters,live,2,UP,0,0,checks/live,127.0.0.2:${port}`,
      '',
    ].join('\n');
  };
  const events: Record<string, unknown>[] = [];
  const watched = watchSuspects({
    program: program(statistics),
    serving: () => ({ generation: 1, master: { pid: 1, startTicks: 1 } }),
    log: (event) => void events.push(event),
  });
  onTestFinished(() => {
    watched.stop();
    live.close();
  });
  return { events, watched };
}

test('a server that HAProxy refuses to set aside is logged as left alone', async () => {
  const { events } = await watch((statistics) => ({
    serverStatistics: async () => statistics(),
    setAside: async () => 'No such server.',
  }));
  const left = await waitFor('the refusal', () => events.find(({ event }) => event === 'server-left-alone'));
  expect(left).toMatchObject({ verdict: 'refused', message: 'No such server.', server: 'masters/dead' });
  expect(events.filter(({ event }) => event === 'server-set-aside')).toEqual([]);
});

test('an error is reported, and the server is probed again', async () => {
  let calls = 0;
  const { events } = await watch((statistics) => ({
    serverStatistics: async () => statistics(),
    setAside: async () => {
      calls += 1;
      if (calls === 1) throw new Error('EMFILE');
      return undefined;
    },
  }));
  await waitFor('it to be set aside', () => events.find(({ event }) => event === 'server-set-aside'));
  expect(events[0]).toMatchObject({ event: 'internal-error', message: 'Error: EMFILE' });
});

test('a poll without an answer does not count redispatched connections again', async () => {
  let polls = 0;
  const { watched } = await watch((statistics) => ({
    serverStatistics: async () => {
      polls += 1;
      return polls === 2 ? undefined : statistics();
    },
    setAside: async () => undefined,
  }));
  await waitFor('the third poll', () => polls > 3);
  expect(watched.connections().redispatched).toBe(7);
});
