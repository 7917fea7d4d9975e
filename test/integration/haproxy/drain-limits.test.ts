import { expect, test } from 'vitest';
import { ports } from '../../helpers/supervisor-configuration.ts';
import { createSupervisedHost } from '../../helpers/supervisor-host.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const streamCount = 4;

test('while too many generations drain, the oldest one loses its streams, and no other does', async () => {
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
  const [oldest, older] = [await streaming(), await streaming()];
  expect((await supervisor.status()).draining).toMatchObject([
    { generation: 1, reason: 'a newer generation serves; too many drain' },
    { generation: 2, reason: 'a newer generation serves' },
  ]);
  await waitFor('the streams of the oldest to end', () => cuts(oldest) === streamCount);
  await host.waitForGenerations(2);
  expect(cuts(older)).toBe(0);
  expect(host.events('generation-cut-short')).toMatchObject([{ generation: 1, limit: 'number', most: 1 }]);
});
