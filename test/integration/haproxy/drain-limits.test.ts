import { expect, test } from 'vitest';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const streamCount = 4;

test('streams of a generation that may drain for ever outlast the usual limit', async () => {
  await using host = await createSupervisedHost();
  await host.serve(ports.backend);
  host.install('v1');
  const usual = { OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT: '2' };
  const supervisor = host.supervise(['--force-delete-timeout', 'never'], usual);
  await supervisor.waitForServing();
  const load = await host.load({ port: ports.stream, streams: streamCount });
  await waitFor('the streams', async () => (await supervisor.status()).current?.sessions === streamCount);
  expect(await supervisor.reload()).toMatchObject({ ok: true });
  const ageMs = async () => (await supervisor.status()).draining[0]?.ageMs ?? 0;
  await waitFor('three times the limit', async () => (await ageMs()) > 6_000);
  expect(load.events().filter(({ kind }) => kind === 'cut')).toEqual([]);
});

test('if too many generations drain, only the oldest one loses its streams', async () => {
  await using host = await createSupervisedHost();
  await host.serve(ports.backend);
  host.install('v1');
  const supervisor = host.supervise(['--force-delete-timeout', '10m', '--max-draining', '1']);
  await supervisor.waitForServing();
  const cuts = (load: { events(): readonly { readonly kind: string }[] }) =>
    load.events().filter(({ kind }) => kind === 'cut').length;
  const streaming = async () => {
    const load = await host.load({ port: ports.stream, streams: streamCount });
    await waitFor('the streams', async () => (await supervisor.status()).current?.sessions === streamCount);
    expect(await supervisor.reload()).toMatchObject({ ok: true });
    return load;
  };
  const oldest = await streaming();
  const older = await streaming();
  expect((await supervisor.status()).draining).toMatchObject([
    { generation: 1, reason: 'a newer generation serves; too many drain' },
    { generation: 2, reason: 'a newer generation serves' },
  ]);
  await waitFor('the streams of the oldest to end', () => cuts(oldest) === streamCount);
  await host.waitForGenerations(2);
  expect(cuts(older)).toBe(0);
  expect(host.events('generation-cut-short')).toMatchObject([{ generation: 1, limit: 'number', most: 1 }]);
});
