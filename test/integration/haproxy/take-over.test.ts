import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

test('a killed supervisor leaves HAProxy serving, and the next one takes over without losing a request', async () => {
  await using host = await createSupervisedHost();
  await host.serve(ports.backend);
  host.install('v1');
  // Counted from the reload: on a busy machine the next supervisor may take some seconds to start.
  const flags = ['--force-delete-timeout', '20s', '--drain-timeout', '1s'];
  const first = host.supervise(flags);
  await first.waitForServing();
  const streams = await host.load({ port: ports.stream, streams: 4 });
  await waitFor('the streams', async () => (await first.status()).current?.sessions === 4);
  const load = await host.load({ ratePerSecond: 200, servers: ['v1', 'v2'] });
  expect(await first.reload()).toMatchObject({ ok: true, generation: 2 });

  first.kill('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');
  await host.waitForGenerations(2);
  host.install('v2');
  const second = host.supervise(flags);
  await second.waitForServing(2);
  const { draining } = await second.status();
  expect(draining).toContainEqual(
    expect.objectContaining({ generation: 1, reason: 'an earlier supervisor left it', sent: 'soft-stop' }),
  );
  expect(streams.events().filter((it) => it.kind === 'cut')).toEqual([]);
  await host.waitForGenerations(1, 60_000);
  expect((await load.stop()).lost).toEqual({});
  // The streams reconnect.
  await streams.stop();

  second.kill('SIGTERM');
  expect(await second.ended).toBe(0);
  expect(host.haproxys()).toEqual([]);
});

test('a supervisor killed at any moment of a reload leaves nothing that the next one cannot find', async () => {
  await using host = await createSupervisedHost();
  host.install('v1');
  const flags = ['--force-delete-timeout', '1s', '--start-timeout', '5s'];
  for (let round = 0; round < 20; round += 1) {
    const supervisor = host.supervise(flags);
    const { generation } = await supervisor.waitForServing();
    void supervisor.reload().catch(() => undefined);
    // The moments of a reload, from its check to the end of the old generation, in steps of 8 ms.
    await delay(round * 8);
    supervisor.kill('SIGKILL');
    await supervisor.ended;
    expect(generation).toBeGreaterThan(0);
    expect(host.haproxys().length).toBeGreaterThan(0);
  }
  const last = host.supervise(flags);
  await last.waitForServing();
  await host.waitForGenerations(1);
  await waitFor('the status to say so', async () => (await last.status()).draining.length === 0);
  expect((await last.status()).phase).toBe('serving');
}, 300_000);
