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
import { startSpeaker } from '../../../helpers/doctor/vrrp-speaker.ts';

// Each run listens for seconds, and for twice as long on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const peerSpeaks = (everySeconds?: number) => async (segment: Segment) =>
  await startSpeaker(segment.peer, {
    from: '10.77.0.12',
    to: '10.77.0.11',
    vip: VIP,
    ...(everySeconds && { everySeconds }),
  });
const weSpeak = async ({ us }: Segment) =>
  await startSpeaker(us, { from: '10.77.0.11', to: '10.77.0.12', vip: VIP });
const drop = (hook: 'input' | 'output') => async (segment: Segment) => {
  const rule = `table ip f { chain c { type filter hook ${hook} priority 0; ip protocol 112 drop; } ; }`;
  await segment.us.run('nft', rule);
};
const weHold = async ({ us }: Segment) => await addVip(us);
const peerHolds =
  (arpIgnore = 0) =>
  async ({ peer }: Segment) => {
    await addVip(peer);
    await setSysctl(peer, `net.ipv4.conf.eth0.arp_ignore=${arpIgnore}`);
  };
const strangerHolds = async ({ stranger }: Segment) => await addVip(stranger);

type Step = (segment: Segment) => Promise<unknown>;
const held = /^ok: 10\.77\.0\.100 is held by cp-2/;
const here = /^ok: 10\.77\.0\.100 is on eth0 of this node$/;
const twice = /^fail: 10\.77\.0\.100 is on eth0 of this node, and .* answers for it too/;

test.each<[claim: string, steps: readonly Step[], adverts: RegExp, holder: RegExp]>([
  ['nobody holds the VIP', [], /^skip: /, /^ok: no host answers/],
  ['a peer holds it', [peerSpeaks()], /^ok: adverts from 10\.77\.0\.12 arrive$/, held],
  ["a peer's adverts come late", [peerSpeaks(1.5)], /^ok: adverts from 10\.77\.0\.12 arrive$/, held],
  [
    "our firewall drops a peer's adverts",
    [peerSpeaks(), drop('input')],
    /^fail: .* firewall drops them/,
    held,
  ],
  ['a peer and this node hold it', [peerSpeaks(), weHold], /^fail: .*two holders/, twice],
  ['this node holds it and sends no adverts', [weHold], /^fail: .* sends no adverts/, here],
  ['this node holds it', [weSpeak], /^ok: .*its adverts leave/, here],
  [
    'our firewall drops our adverts',
    [weSpeak, drop('output')],
    /^fail: .*outgoing adverts are dropped/,
    here,
  ],
  ['a stranger holds it', [strangerHolds], /^skip: /, /^fail: .* is not one of cp-2/],
  ['a stranger and this node hold it', [weHold, strangerHolds], /^fail: .* sends no adverts/, twice],
  ['the holder answers its own subnet', [peerHolds(2)], /^skip: /, held],
  ['the holder answers no host', [peerHolds(8)], /^skip: /, /^ok: no host answers/],
])('%s', async (_, steps, adverts, holder) => {
  const segment = await createDoctorSegment();
  for (const step of steps) await step(segment);
  const { us } = segment;
  const { said } = await runDoctor(us, ['--only', 'vrrp-adverts,vip-holder', '--api-vips', VIP, ...PEERS]);
  expect(said('vrrp-adverts')).toMatch(adverts);
  expect(said('vip-holder')).toMatch(holder);
  expect(await us.run('nft', 'list', 'tables')).not.toContain('hawser');
});

test.each([
  [2, /^ok: /],
  [8, /^fail: /],
])('the arp check of a holder with arp_ignore %i says whether hosts get an answer', async (value, words) => {
  const segment = await createDoctorSegment();
  await peerHolds(value)(segment);
  const { said } = await runDoctor(segment.peer, ['--only', 'arp', '--api-vips', VIP]);
  expect(said('arp')).toMatch(words);
});
