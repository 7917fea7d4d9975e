import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { vrrpFacts } from '../../../../src/keepalived/vrrp-facts.ts';
import { changeCost } from '../../../../src/operate/plan/change-cost.ts';
import { vrrpEffects } from '../../../../src/vip/vrrp-cost.ts';
import {
  createVrrpPair,
  PATIENT,
  startBoth,
  VIP,
  type VrrpNode,
  type VrrpSupervisorProcess,
} from '../../../helpers/keepalived-node.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** What is said of a change to keepalived.conf is compared with what a real keepalived makes of it. */

interface Member {
  readonly node: VrrpNode;
  readonly supervisor: VrrpSupervisorProcess;
}

let pair: Awaited<ReturnType<typeof createVrrpPair>>;
let holder: Member;
let backup: Member;

beforeEach(async () => {
  pair = await createVrrpPair();
  const [first, second] = pair.nodes;
  const [ofFirst, ofSecond] = await startBoth(pair.nodes);
  holder = { node: first, supervisor: ofFirst };
  backup = { node: second, supervisor: ofSecond };
});
afterEach(() => pair[Symbol.asyncDispose]());

type Edit = (text: string) => string;

/** What the change costs on this node, as it is now. */
async function costOf(
  { node, supervisor }: Member,
  edit: Edit,
  { restarts = [], alone = false }: { readonly restarts?: readonly string[]; readonly alone?: boolean } = {},
) {
  const text = readFileSync(node.paths.config, 'utf8');
  const { instances } = await supervisor.status();
  const effects = vrrpEffects({
    ...{ before: vrrpFacts(text), after: vrrpFacts(edit(text)), isReloaded: edit(text) !== text },
    ...{ wasAlone: alone, isAlone: false, restarts: new Set(restarts), monitorTimeoutMs: 1 },
    healthPort: { before: 9444, after: 9444 },
    held: new Set(instances.flatMap(({ name, state }) => (state === 'MASTER' ? name : []))),
  });
  return { ...changeCost(effects, restarts.length > 0), effects };
}

/** An effect that has these words in its sentence. */
const effect = (kind: string, subject: string, words: string) =>
  expect.objectContaining({ kind, subject, says: expect.stringContaining(words) });

async function apply({ node, supervisor }: Member, edit: Edit): Promise<void> {
  writeFileSync(node.paths.config, edit(readFileSync(node.paths.config, 'utf8')));
  expect(await supervisor.ask('reload')).toMatchObject({ ok: true });
}

async function has({ node }: Member, address: string): Promise<boolean> {
  return (await node.ip('-o', 'address', 'show', 'to', address)).trim() !== '';
}

/** States that keepalived went through since, by its supervisor's log. */
function statesSince({ node }: Member, count: number): readonly unknown[] {
  return node
    .events('vrrp-transition')
    .slice(count)
    .map(({ to }) => to);
}

/** Where nothing is to move: a take-over then takes longer than a machine that stops for seconds. */
async function waitLongBeforeTakeOver(): Promise<void> {
  const edit: Edit = (text) =>
    text.replace('down_timer_adverts 3', `down_timer_adverts ${PATIENT.downAdverts}`);
  for (const member of [backup, holder]) await apply(member, edit);
  await holder.supervisor.waitForState('MASTER');
  await backup.supervisor.waitForState('BACKUP');
}

/** Twelve and some of the pair's intervals. */
const LONG_TAKE_OVER_MS = 4_500;

const longerInterval: Edit = (text) => text.replace('advert_int 0.3', 'advert_int 12');
const anotherPeer: Edit = (text) => text.replace(/( +)(10\.77\.0\.1\d min_ttl)/, '$110.77.0.19\n$1$2');

describe.each([
  ['one more peer', anotherPeer, []],
  ['a longer interval', longerInterval, [{ kind: 'interval-mixed' }]],
])('%s', (_name, edit, more) => {
  test.each(['holder', 'backup'] as const)('on the %s is a reload, and the VIP stays', async (which) => {
    await waitLongBeforeTakeOver();
    const target = which === 'holder' ? holder : backup;
    const cost = await costOf(target, edit);
    expect(cost).toMatchObject({
      level: 'reload',
      effects: [{ kind: 'keepalived-reload' }, ...more],
      fate: 'kept',
    });
    const before = [holder, backup].map(({ node }) => node.events('vrrp-transition').length);
    await apply(target, edit);
    const appliedAt = performance.now();
    await waitFor(
      'a peer to have had the time to take over',
      async () => performance.now() - appliedAt > LONG_TAKE_OVER_MS,
    );
    expect(statesSince(holder, before[0] ?? 0)).toEqual([]);
    expect(statesSince(backup, before[1] ?? 0)).toEqual([]);
    expect([await has(holder, VIP), await has(backup, VIP)]).toEqual([true, false]);
  });
});

const multicast: Edit = (text) =>
  text
    .replace(/unicast_fault_no_peer\n/, '')
    .replace(/unicast_ttl 255\n/, '')
    .replace(/unicast_src_ip (\S+)/, 'mcast_src_ip $1')
    .replace(/unicast_peer \{[^}]*\}/, '');

const splitting: readonly (readonly [string, Edit])[] = [
  ['virtual router id', (text) => text.replace('virtual_router_id 77', 'virtual_router_id 78')],
  [
    'VRRP version',
    (text) => text.replace('vrrp_version 3', 'vrrp_version 2').replace('advert_int 0.3', 'advert_int 1'),
  ],
  ['mode', multicast],
  ['interface', (text) => text.replace('interface eth0', 'interface eth1')],
];

describe.each(splitting)('another %s', (difference, edit) => {
  test.each(['holder', 'backup'] as const)('on the %s makes two holders', async (which) => {
    const target = which === 'holder' ? holder : backup;
    for (const command of [
      'link add eth1 type veth peer name eth1-end',
      'link set eth1 up',
      'link set eth1-end up',
    ])
      await target.node.ip(...command.split(' '));
    const cost = await costOf(target, edit);
    expect(cost.level).toBe('interruption');
    expect(cost.effects).toContainEqual(effect('two-holders', VIP, `a different ${difference} this node`));
    await apply(target, edit);
    await waitFor('both to hold the VIP', async () => (await has(holder, VIP)) && (await has(backup, VIP)));
  });
});

describe('another VIP', () => {
  const OTHER = '10.77.0.101';
  const edit: Edit = (text) => text.replace(`${VIP}/32`, `${OTHER}/32`);

  test('on the holder takes the old one from its clients, who find it on a node with the old settings', async () => {
    const cost = await costOf(holder, edit);
    expect(cost).toMatchObject({ level: 'interruption', fate: 'cut' });
    expect(cost.effects).toContainEqual(effect('vip-leaves', VIP, 'lose their connections'));
    expect(cost.effects).toContainEqual(effect('vip-appears', OTHER, 'comes up'));
    await apply(holder, edit);
    await waitFor('the new VIP to be here', async () => await has(holder, OTHER));
    await waitFor('the old one to be there', async () => await has(backup, VIP));
    expect(await has(holder, VIP)).toBe(false);
  });

  test('on a backup leaves the clients of the old one alone', async () => {
    await waitLongBeforeTakeOver();
    const cost = await costOf(backup, edit);
    expect(cost).toMatchObject({ level: 'reload', fate: 'kept' });
    expect(cost.effects).toContainEqual(effect('vip-leaves', VIP, 'still share it'));
    const before = holder.node.events('vrrp-transition').length;
    await apply(backup, edit);
    await waitFor('the new VIP to be there', async () => await has(backup, OTHER));
    expect(await has(holder, VIP)).toBe(true);
    expect(statesSince(holder, before)).toEqual([]);
  });
});

test('a living peer that is left out becomes a second holder', async () => {
  const edit: Edit = (text) => text.replace(/10\.77\.0\.1\d min_ttl/, '10.77.0.19 min_ttl');
  expect((await costOf(holder, edit)).effects).toContainEqual(
    effect('peer-left-out', VIP, '10.77.0.12 is no longer a peer'),
  );
  await apply(holder, edit);
  await waitFor('both to hold the VIP', async () => (await has(holder, VIP)) && (await has(backup, VIP)));
});

test('a backup that is to wait less long than the holder is silent takes the VIP for a moment', {
  timeout: 120_000,
}, async () => {
  const slow: Edit = (text) => text.replace('advert_int 0.3', 'advert_int 0.6');
  const quick: Edit = (text) => text.replace('advert_int 0.6', 'advert_int 0.05');
  for (const member of [holder, backup]) await apply(member, slow);
  const cost = await costOf(backup, quick);
  expect(cost.effects).toContainEqual(effect('vip-contested', VIP, 'it waits for 150 ms'));
  const before = backup.node.events('vrrp-transition').length;
  const hasTaken = (): boolean => statesSince(backup, before).includes('MASTER');
  // Only where the holder's next advert comes later than the new take-over time; a reload starts anywhere between two.
  await waitFor(
    'the backup to take the VIP',
    async () => {
      await apply(backup, (text) => text.replace('advert_int 0.05', 'advert_int 0.6'));
      await apply(backup, quick);
      const appliedAt = performance.now();
      await waitFor(
        'a holder’s interval to pass',
        async () => hasTaken() || performance.now() - appliedAt > 600,
      );
      return hasTaken();
    },
    50_000,
  );
  await backup.supervisor.waitForState('BACKUP');
  expect(await has(holder, VIP)).toBe(true);
});

test('a keepalived that is restarted gives the VIP to its peer', async () => {
  const cost = await costOf(holder, (text) => text, { restarts: ['keepalived'] });
  expect(cost).toMatchObject({ level: 'vip-move', fate: 'cut' });
  expect(cost.effects).toContainEqual(effect('vip-moves', VIP, 'keepalived of this one resigns'));
  holder.supervisor.kill('SIGTERM');
  await holder.supervisor.ended;
  await backup.supervisor.waitForState('MASTER');
  await waitFor('the peer to have it', async () => await has(backup, VIP));
  expect(await has(holder, VIP)).toBe(false);
});

describe('a node that is alone', () => {
  let unicast: string;

  beforeEach(async () => {
    backup.supervisor.kill('SIGTERM');
    await backup.supervisor.ended;
    unicast = readFileSync(holder.node.paths.config, 'utf8');
    await apply(holder, multicast);
    await holder.supervisor.waitForState('MASTER');
  });

  test('is without the VIP for a take-over time when it is not alone any more', async () => {
    const cost = await costOf(holder, () => unicast, { alone: true });
    expect(cost).toMatchObject({ level: 'interruption', fate: 'cut' });
    expect(cost.effects).toContainEqual(effect('vip-interrupted', VIP, 'up to 1.4 s'));
    const before = holder.node.events('vrrp-transition').length;
    await apply(holder, () => unicast);
    const went = await waitFor('it to have the VIP again', () => {
      const states = statesSince(holder, before);
      return states.at(-1) === 'MASTER' ? states : undefined;
    });
    expect(went).toContain('BACKUP');
    expect(await has(holder, VIP)).toBe(true);
  });

  test('is without the VIP while keepalived is restarted', async () => {
    const cost = await costOf(holder, (text) => text, { alone: true, restarts: ['keepalived'] });
    expect(cost.effects).toContainEqual(effect('vip-interrupted', VIP, 'up to 1.4 s'));
    holder.supervisor.kill('SIGTERM');
    await holder.supervisor.ended;
    expect(await has(holder, VIP)).toBe(false);
    await holder.node.supervise().waitForState('MASTER');
    await waitFor('it to have the VIP again', async () => await has(holder, VIP));
  });
});
