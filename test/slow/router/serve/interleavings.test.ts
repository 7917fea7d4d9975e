import { expect, test } from 'vitest';
import { CHANGES_A_ROUND, interleave, seeded } from '../../../helpers/router/interleave.ts';
import { certificate, openSetWorld, type Wish } from '../../../helpers/router/set-world.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const CHANGES = Number(process.env['HAWSER_INTERLEAVINGS'] ?? 1_000);

test('no change is lost in a thousand that come while HAProxy is reloaded', {
  timeout: 900_000,
}, async () => {
  const rounds = Math.ceil(CHANGES / CHANGES_A_ROUND);
  const found = await interleave(await openSetWorld(), rounds, seeded(79));
  expect(found.lost).toEqual([]);
  expect(found.atRunTime + found.reloaded).toBe(rounds * CHANGES_A_ROUND);
  expect(found.atRunTime).toBeGreaterThan(CHANGES / 2);
});

test('maps, lists and certificates that were changed by hand are changed back', {
  timeout: 60_000,
}, async () => {
  const world = await openSetWorld();
  const { begin, want, runs, shouldRun, tell, host } = world;
  const wishes: readonly Wish[] = ['a', 'b'].map((name) => ({
    name,
    host: `${name}.test`,
    pem: certificate(name),
  }));
  await begin(...wishes.slice(0, 1), { name: 'b', host: 'b.test' });
  expect(await want(...wishes)).toMatchObject({ atRunTime: true });
  const [masters] = host.haproxys().map(({ id }) => id.pid);
  const path =
    (await tell('show ssl cert')).split('\n').find((line) => line.endsWith('/certs/shop_a.pem')) ?? '';
  for (const command of [
    'del map maps/http.exact.map a.test',
    'add map maps/http.exact.map stranger.test be_edge_http:shop:b',
    'set map maps/secure.exact.map b.test nothing',
    `set ssl cert ${path} <<\n${certificate('other')}`,
    `commit ssl cert ${path}`,
    `del ssl crt-list cert_config.map ${path.replace('shop_a', 'shop_b')}`,
  ])
    await tell(command);
  const isRepaired = async () => JSON.stringify(await runs()) === JSON.stringify(shouldRun(...wishes));
  await waitFor('the files to be in force again', isRepaired, 30_000);
  expect(host.haproxys().map(({ id }) => id.pid)).toContain(masters);
  await waitFor('the repair in the log', () => host.events('drift-repaired').length > 0);
  expect(host.events('change-refused')).toEqual([]);
});
