import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost, patientTimes, type SupervisedHost } from '../../helpers/supervisor-host.ts';
import type { SupervisorProcess } from '../../helpers/supervisor-process.ts';
import { times, waitFor } from '../../helpers/wait-for.ts';

/** Enough connections that a second HAProxy on the same port could not go unnoticed. */
const TRIES = 40;

async function versions(host: SupervisedHost): Promise<readonly string[]> {
  const url = `http://127.0.0.1:${ports.version}/`;
  const text = await host.namespace.run(
    'sh',
    '-c',
    `for n in $(seq ${TRIES}); do curl -sf ${url}; echo; done`,
  );
  return [...new Set(text.trim().split('\n'))];
}

/** The next supervisor serves the newest file, nothing else answers, and no process outlives it. */
async function expectTakenOver(host: SupervisedHost, next: SupervisorProcess, after: number): Promise<void> {
  await next.waitForServing(after);
  await host.waitForGenerations(1);
  expect(await versions(host)).toEqual(['v3']);
  expect(await next.reload()).toMatchObject({ ok: true });
  next.kill('SIGTERM');
  expect(await next.ended).toBe(0);
  expect(host.haproxys()).toEqual([]);
}

async function killed(host: SupervisedHost, supervisor: SupervisorProcess): Promise<void> {
  supervisor.kill('SIGKILL');
  await supervisor.ended;
  host.install('v3');
}

test('a full run directory, a reload, and a killed supervisor: the unrecorded HAProxy is taken over', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const first = host.supervise();
  await first.waitForServing();
  // Like a full disk: the record cannot be written.
  mkdirSync(`${host.paths.record}.new`);
  host.install('v2');
  expect(await first.reload()).toMatchObject({ ok: true, generation: 2 });
  expect(host.events('record-not-written')).toHaveLength(1);
  await host.waitForGenerations(1);
  await killed(host, first);
  const next = host.supervise();
  await expectTakenOver(host, next, 2);
  expect(host.events('unrecorded-generation')).toMatchObject([{ generation: 2 }]);
});

test('the record is written once it can be, and names what runs', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  mkdirSync(`${host.paths.record}.new`, { recursive: true });
  const first = host.supervise();
  await first.waitForServing();
  rmSync(`${host.paths.record}.new`, { recursive: true });
  await times('record-written', () => host.events('record-written'), 1);
  await killed(host, first);
  await expectTakenOver(host, host.supervise(), 1);
  expect(host.events('unrecorded-generation')).toEqual([]);
});

test.each([
  ['removed', (record: string) => rmSync(record)],
  ['damaged', (record: string) => writeFileSync(record, '{"epoch":')],
] as const)('if the record was %s while the supervisor was dead, no HAProxy is lost', async (_, harm) => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const first = host.supervise(patientTimes);
  await first.waitForServing();
  await host.serve(ports.backend);
  const streams = await host.load({ port: ports.stream, streams: 2 });
  await waitFor('the streams', async () => (await first.status()).current?.sessions === 2);
  // Two generations run, one of them draining.
  host.install('v2');
  expect(await first.reload()).toMatchObject({ ok: true, generation: 2 });
  await host.waitForGenerations(2);
  await killed(host, first);
  harm(host.paths.record);
  const load = await host.load({ ratePerSecond: 100, servers: ['v2', 'v3'] });
  const next = host.supervise(patientTimes);
  await next.waitForServing(2);
  expect((await load.stop()).lost).toEqual({});
  expect(host.events('unrecorded-generation').map(({ generation }) => generation)).toEqual([2, 1]);
  await streams.stop();
  await expectTakenOver(host, next, 2);
});
