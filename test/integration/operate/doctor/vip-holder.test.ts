import { expect, test, vi } from 'vitest';
import { runDoctor } from '../../../helpers/doctor/run-doctor.ts';
import {
  addVip,
  createDoctorSegment,
  PEERS,
  type Segment,
  setSysctl,
  VIP,
} from '../../../helpers/doctor/segment.ts';

async function ask({ us }: Segment, ...flags: readonly string[]): Promise<string> {
  return (await runDoctor(us, ['--only', 'vip-holder', '--api-vips', VIP, ...flags])).said('vip-holder');
}

// Several runs of a program, each of which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

test('a VIP of a node of the group, of this node, and of a stranger', async () => {
  const segment = await createDoctorSegment();
  await addVip(segment.peer);
  expect(await ask(segment, ...PEERS)).toMatch(/^ok: 10\.77\.0\.100 is held by cp-2/);
  expect(await ask(segment, '--root', '/nowhere')).toMatch(
    /^warn: .* it is unknown whether it is one of ours/,
  );
  await segment.peer.run('ip', 'address', 'del', `${VIP}/32`, 'dev', 'eth0');
  await addVip(segment.stranger);
  expect(await ask(segment, ...PEERS)).toMatch(/^fail: .* is not one of cp-2/);
  // On the holder too: a stranger next to it.
  await addVip(segment.us);
  expect(await ask(segment, ...PEERS)).toMatch(
    /^fail: 10\.77\.0\.100 is on eth0 of this node, and [0-9a-f:]{17} answers for it too/,
  );
  await segment.stranger.run('ip', 'address', 'del', `${VIP}/32`, 'dev', 'eth0');
  expect(await ask(segment, ...PEERS)).toBe(`ok: ${VIP} is on eth0 of this node`);
  expect(await segment.us.run('nft', 'list', 'tables')).toBe('');
});

test('a holder answers, or is silent, as the arp check says of its arp_ignore', async () => {
  const segment = await createDoctorSegment();
  const { peer } = segment;
  await addVip(peer);
  const ownWords = async () => (await runDoctor(peer, ['--only', 'arp', '--api-vips', VIP])).said('arp');
  await setSysctl(peer, 'net.ipv4.conf.eth0.arp_ignore=2');
  expect(await ask(segment, ...PEERS)).toContain('held by cp-2');
  expect(await ownWords()).toMatch(/^ok: /);
  await setSysctl(peer, 'net.ipv4.conf.eth0.arp_ignore=8');
  expect(await ask(segment, ...PEERS)).toContain('no host answers');
  expect(await ownWords()).toMatch(/^fail: /);
});
