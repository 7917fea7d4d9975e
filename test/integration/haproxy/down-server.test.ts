import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAuthority } from '../../helpers/certificates.ts';
import { startBackends } from '../../helpers/load/start-backends.ts';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { times, waitFor } from '../../helpers/wait-for.ts';

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

test('streams of a draining generation end when their server dies, and those of a live server do not', async () => {
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

  // Only the server's check fails; it keeps streaming, so it is not the server that ends the streams.
  await backends.stop(`port-${checkPort}`);
  await times('doomed stream', () => doomed.events().filter((it) => it.kind === 'cut'), streamCount);
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

test('streams of a draining generation to a server removed by a reload get as much time as all others', async () => {
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

test('streams of a draining generation end when a server removed by a reload dies, and those of a live one do not', async () => {
  await using host = await createSupervisedHost();
  const doomedAddress = '127.0.0.7';
  const livingAddress = '127.0.0.8';
  const identity = createAuthority(join(host.paths.dir, 'pki')).issue({ commonName: 'backend' });
  const servers = [
    { name: 'doomed', host: doomedAddress, port: ports.backend },
    { name: 'living', host: livingAddress, port: ports.backend },
  ];
  await using _backends = await startBackends(host.namespace.prefix, servers, identity);
  const listens = (...lines: readonly string[]) => ({
    more: `listen pair\n  mode tcp\n  bind 127.0.0.1:${checkedPort}\n${lines.join('')}`,
  });
  const line = ({ name, host: address, port }: (typeof servers)[number]) =>
    `  server ${name} ${address}:${port}\n`;
  host.install('v1', listens(...servers.map(line)));
  await host.serve(ports.backend);
  const supervisor = host.supervise(['--force-delete-timeout', '10m']);
  await supervisor.waitForServing();
  const streams = await host.load({ port: checkedPort, streams: 2 * streamCount });
  await waitFor('the streams', async () => (await supervisor.status()).current?.sessions === 2 * streamCount);
  host.install('v2', listens(`  server other 127.0.0.1:${ports.backend}\n`));
  expect(await supervisor.reload()).toMatchObject({ ok: true, generation: 2 });
  const rules = `table inet silent { chain in { type filter hook input priority 0; ip daddr ${doomedAddress} drop; }; }`;
  await host.namespace.run('nft', rules);
  const cuts = () => streams.events().filter((it) => it.kind === 'cut').length;
  await waitFor('the sessions with the dead server to be ended', () =>
    host
      .events('draining-sessions-ended')
      .some(({ ended, reason }) => ended === streamCount && reason === 'server'),
  );
  await waitFor('their streams to end', () => cuts() === streamCount);
  const draining = (await supervisor.status()).draining;
  expect(draining).toMatchObject([{ generation: 1, sessions: streamCount, sent: 'soft-stop' }]);
});
