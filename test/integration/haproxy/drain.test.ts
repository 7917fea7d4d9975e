import { expect, test } from 'vitest';
import { isAlive, readProcess } from '../../../src/engine/system/process/processes.ts';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const streamCount = 8;

test('a generation that never drains is reported, its streams are ended one by one, and it exits', async () => {
  await using host = await createSupervisedHost();
  await host.serve(ports.backend);
  host.install('v1');
  const supervisor = host.supervise(['--force-delete-timeout', '30s']);
  await supervisor.waitForServing();
  const streams = await host.load({ port: ports.stream, streams: streamCount });
  await waitFor('the streams', async () => (await supervisor.status()).current?.sessions === streamCount);
  const load = await host.load({ ratePerSecond: 100, servers: ['v1'] });
  expect(await supervisor.reload()).toMatchObject({ ok: true });

  const [draining] = (await supervisor.status()).draining;
  expect(draining).toMatchObject({ generation: 1, sent: 'soft-stop', reason: 'a newer generation serves' });
  expect(draining?.terminateInMs).toBeGreaterThan(0);
  expect(draining?.terminateInMs).toBeLessThanOrEqual(30_000);
  // Its own streams, and at most the few load requests in flight.
  expect(draining?.sessions).toBeGreaterThanOrEqual(streamCount);

  const cuts = await waitFor('all streams to be ended', () => {
    const seen = streams.events().filter((it) => it.kind === 'cut');
    return seen.length === streamCount ? seen : undefined;
  });
  // They end in steps over three seconds. A busy machine may miss most steps, but without steps all times would be equal.
  const times = cuts.map(({ atMs }) => atMs);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(100);
  await host.waitForGenerations(1);
  await waitFor('the drained one to leave the status', async () => {
    const status = await supervisor.status();
    return status.draining.length === 0 && status.current?.generation === 2;
  });
  expect((await load.stop()).lost).toEqual({});
});

test('a stopped master that cannot handle SIGTERM is killed', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const supervisor = host.supervise(['--force-delete-timeout', '1s']);
  const first = await supervisor.waitForServing();
  const deafMaster = readProcess(first.pid)?.id;
  if (deafMaster === undefined) throw new Error('Cannot read the master: it is gone, expected it to serve');
  process.kill(deafMaster.pid, 'SIGSTOP');
  expect(await supervisor.reload()).toMatchObject({ ok: true, generation: 2 });
  // The kill comes before the event.
  await waitFor('the kill to be reported', () => host.events('generation-killed').length > 0);
  await waitFor('the deaf master to be gone', () => !isAlive(deafMaster));
  expect(host.events('generation-killed')).toMatchObject([{ generation: 1, reason: 'replaced' }]);
  await host.waitForGenerations(1);
});
