import { expect, test } from 'vitest';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const checkedPort = 9010;
const checkPort = 16_444;
const checkedServer = {
  more: `listen checked
  mode tcp
  bind 127.0.0.1:${checkedPort}
  server cp-1 127.0.0.1:${ports.backend} check port ${checkPort} inter 200ms fall 1 rise 1
`,
};
const streamCount = 4;

test('streams of a draining generation end when their server dies, and not those of a living one', async () => {
  await using host = await createSupervisedHost();
  const backends = await host.serve(ports.backend, checkPort);
  host.install('v1', checkedServer);
  const supervisor = host.supervise(['--force-delete-timeout', '60s']);
  await supervisor.waitForServing();
  const doomed = await host.load({ port: checkedPort, streams: streamCount });
  const safe = await host.load({ port: ports.stream, streams: streamCount });
  const sessions = async () => (await supervisor.status()).current?.sessions;
  await waitFor('the streams', async () => (await sessions()) === 2 * streamCount);
  host.install('v2', checkedServer);
  expect(await supervisor.reload()).toMatchObject({ ok: true, generation: 2 });

  // The server fails its check and goes on streaming: what ends the streams is not the server.
  await backends.stop(`port-${checkPort}`);
  await waitFor(
    'the doomed streams to end',
    () => doomed.events().filter((it) => it.kind === 'cut').length === streamCount,
  );
  const draining = await waitFor('HAProxy to count the others only', async () => {
    const [oldest] = (await supervisor.status()).draining;
    return oldest?.sessions === streamCount ? oldest : undefined;
  });
  expect(draining).toMatchObject({ generation: 1, sent: 'soft-stop' });
  expect(safe.events().filter((it) => it.kind === 'cut')).toEqual([]);
});

const pair = (...servers: readonly string[]) => ({
  more: `listen pair
  mode tcp
  bind 127.0.0.1:${checkedPort}
${servers.map((server) => `  server ${server} 127.0.0.1:${ports.backend}\n`).join('')}`,
});

test('streams of a draining generation with a server that a reload removed have as long as all others', async () => {
  await using host = await createSupervisedHost();
  await host.serve(ports.backend);
  host.install('v1', pair('cp-1', 'cp-2'));
  const supervisor = host.supervise(['--force-delete-timeout', '5s']);
  await supervisor.waitForServing();
  const streams = await host.load({ port: checkedPort, streams: streamCount });
  await waitFor('the streams', async () => (await supervisor.status()).current?.sessions === streamCount);
  host.install('v2', pair('cp-2'));
  expect(await supervisor.reload()).toMatchObject({ ok: true, generation: 2 });
  const cuts = () => streams.events().filter((it) => it.kind === 'cut').length;
  await waitFor('all streams to be cut', () => cuts() === streamCount);
  const reasons = host.events('draining-sessions-ended').map(({ reason }) => reason);
  expect(reasons).not.toContain('server');
});
