import { expect, test, vi } from 'vitest';
import { runDoctor } from '../../../helpers/doctor/run-doctor.ts';
import { addVip, createDoctorSegment, PEERS, type Segment, VIP } from '../../../helpers/doctor/segment.ts';
import { startSpeaker } from '../../../helpers/doctor/vrrp-speaker.ts';

// Several runs of a program, each of which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

async function ask({ us }: Segment): Promise<string> {
  const { said } = await runDoctor(us, ['--only', 'vrrp-adverts', '--api-vips', VIP, ...PEERS]);
  return said('vrrp-adverts');
}

test("the holder's adverts arrive, or this node's own firewall drops them", async () => {
  const segment = await createDoctorSegment();
  expect(await ask(segment)).toMatch(/^skip: /);
  await startSpeaker(segment.peer, { from: '10.77.0.12', to: '10.77.0.11', vip: VIP });
  expect(await ask(segment)).toBe('ok: adverts of 10.77.0.12 arrive');
  await segment.us.run(
    'nft',
    'table ip f { chain in { type filter hook input priority 0; meta l4proto 112 drop; } ; }',
  );
  expect(await ask(segment)).toMatch(
    /^fail: adverts of 10\.77\.0\.12 come to this node and its firewall drops/,
  );
});

test('a holder whose adverts come late is heard', async () => {
  const segment = await createDoctorSegment();
  const speaker = { from: '10.77.0.12', to: '10.77.0.11', vip: VIP, everySeconds: 1.5 };
  await startSpeaker(segment.peer, speaker);
  expect(await ask(segment)).toBe('ok: adverts of 10.77.0.12 arrive');
});

test('two nodes that each hold the VIP', async () => {
  const segment = await createDoctorSegment();
  await startSpeaker(segment.peer, { from: '10.77.0.12', to: '10.77.0.11', vip: VIP });
  await addVip(segment.us);
  expect(await ask(segment)).toMatch(/^fail: .*two holders/);
});

test('the holder itself: its adverts leave, its firewall drops them, it sends none', async () => {
  const segment = await createDoctorSegment();
  await addVip(segment.us);
  expect(await ask(segment)).toMatch(/^fail: this node has the VIP and sends no adverts/);
  await segment.us.run('ip', 'address', 'del', `${VIP}/32`, 'dev', 'eth0');
  await startSpeaker(segment.us, { from: '10.77.0.11', to: '10.77.0.12', vip: VIP });
  expect(await ask(segment)).toMatch(/^ok: this node holds the VIP and its adverts leave/);
  await segment.us.run(
    'nft',
    'table ip f { chain out { type filter hook output priority 0; ip protocol 112 drop; } ; }',
  );
  expect(await ask(segment)).toMatch(/^fail: adverts of this node are dropped on their way out/);
});

test('nothing of the counting is left behind', async () => {
  const segment = await createDoctorSegment();
  await ask(segment);
  expect(await segment.us.run('nft', 'list', 'tables')).toBe('');
});
