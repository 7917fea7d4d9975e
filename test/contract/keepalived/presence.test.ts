import { expect, test } from 'vitest';
import { createVrrpPair, startBoth, startHolder, VIP } from '../../helpers/keepalived-node.ts';
import { times, waitFor } from '../../helpers/wait-for.ts';

test('a VIP that is removed by hand is back on one node', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  await startBoth(pair.nodes);
  await a.ip('address', 'del', `${VIP}/32`, 'dev', 'eth0');
  await waitFor('one holder', async () => (await a.holdsVip()) !== (await b.holdsVip()));
});

test('a VIP that is added by hand on a backup is removed, and the holder keeps its own', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  await startBoth(pair.nodes);
  await b.ip('address', 'add', `${VIP}/32`, 'dev', 'eth0');
  await waitFor('it to be removed', async () => !(await b.holdsVip()));
  await times('stray-vip-removed', () => b.events('stray-vip-removed'), 1);
  expect(b.events('stray-vip-removed')).toMatchObject([{ instance: 'API', vip: VIP }]);
  expect(await a.holdsVip()).toBe(true);
});

test('a VIP that appears while keepalived is down on request is removed', async () => {
  await using pair = await createVrrpPair();
  const [a] = pair.nodes;
  const supervisor = await startHolder(a);
  await supervisor.ask('stop');
  await a.ip('address', 'add', `${VIP}/32`, 'dev', 'eth0');
  await waitFor('it to be removed', async () => !(await a.holdsVip()));
});
