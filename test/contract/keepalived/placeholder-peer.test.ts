import { expect, test } from 'vitest';
import { vrrpGroups } from '../../../src/engine/system/network/multicast-membership.ts';
import { createVrrpPair, PATIENT } from '../../helpers/keepalived-node.ts';

test('a node with a placeholder peer grows to two and shrinks to one without moving its VIP', async () => {
  await using pair = await createVrrpPair();
  const [a, b] = pair.nodes;
  const alone = { ...PATIENT, peer: vrrpGroups.ipv4 };
  a.install(alone);
  const holder = a.supervise();
  await holder.waitForState('MASTER');
  const transitions = a.events('vrrp-transition').length;
  for (const _round of [1, 2]) {
    a.install(PATIENT);
    expect(await holder.ask('reload')).toMatchObject({ ok: true });
    b.install(PATIENT);
    const second = b.supervise();
    await second.waitForState('BACKUP');
    second.kill('SIGTERM');
    await second.ended;
    a.install(alone);
    expect(await holder.ask('reload')).toMatchObject({ ok: true });
  }
  expect(a.events('vrrp-transition')).toHaveLength(transitions);
  expect(b.events('vrrp-transition').map(({ to }) => to)).not.toContain('MASTER');
  expect(await a.holdsVip()).toBe(true);
});
