import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { ensureBuilt } from '../helpers/supervisor-build.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { quietFor, takeOvers } from '../helpers/vrrp/holdings.ts';
import { type Monitored, startMonitored } from '../helpers/vrrp/monitored.ts';
import { logFromNow } from '../helpers/vrrp/node-log.ts';
import { argvOf, hasOrder, typed, vipPriority } from '../helpers/vrrp/typed.ts';
import { createVrrpBed, type VrrpBed } from '../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../helpers/wait-for.ts';

const PATIENCE_MS = 90_000;
const MOMENT_MS = 500;
/** A master-down time of the slower profile, and more. */
const SETTLED_MS = 5_000;
/** What HAProxy of these nodes serves at the VIP is its health. */
const probe = ['--probe', 'tcp', '--api-port', '50936'] as const;

describe.each(['fast', 'openshift'] as const)('in the %s profile', (profile) => {
  let bed: VrrpBed;
  let nodes: readonly Monitored[];
  beforeAll(async () => {
    ensureBuilt();
    bed = await createVrrpBed(3);
    nodes = bed.nodes.map((node) => {
      const flags = ['--profile', profile, '--monitor-conf', node.at('monitor.conf')];
      return startMonitored(bed, node, bed.nodes, flags);
    });
    await rested();
  }, 180_000);
  afterAll(() => bed?.[Symbol.asyncDispose]());

  /**
   * Resolves with the holder once every node is worth what it is, and nothing is under way: one that starts as a backup
   * finds a fresh holder's bonus out an advert later, and may take the VIP until then.
   */
  const rested = async (): Promise<BedNode> =>
    await waitFor(
      'one holder whom everybody ranks as that',
      async () => {
        const [holder, ...more] = bed.holders();
        if (holder === undefined || more.length > 0 || bed.nodes.some(hasOrder)) return undefined;
        const all = await Promise.all(
          bed.nodes.map(async (node) => ({ node, ...(await vipPriority(node)) })),
        );
        const isSettled = all.every(({ node, holder: holds, value, checks }) => {
          const isServing = checks.some(({ check, state }) => check === 'other nodes' && state === 'ok');
          return isServing && value !== null && holds === (node === holder);
        });
        return isSettled && quietFor(bed.events(), SETTLED_MS) ? holder : undefined;
      },
      PATIENCE_MS,
    );
  /**
   * Who took the VIP, and had it for more than a moment: with the other profile's priorities, next to each other, two
   * backups may take it within milliseconds, and the lower one gives it to the other at once.
   */
  const takenSince = (fromMs: number) =>
    takeOvers(bed.events(), fromMs, monotonicMs()).flatMap(({ node, fromMs: at, toMs }) =>
      toMs - at > MOMENT_MS ? node : [],
    );
  const others = (node: BedNode) => bed.nodes.filter((each) => each !== node);

  test('it goes to the node that was announced and stays; from anywhere else it says where to type what', async () => {
    const holder = await rested();
    const fromMs = monotonicMs();
    const announced = await typed(holder, 'move-vip', '--dry-run', '--json');
    expect(announced).toMatchObject({ exitCode: 0, report: { outcome: 'would-do' } });
    const other = others(holder).find(({ name }) =>
      String(announced.report?.['notes']).includes(`to ${name}:`),
    );
    const last = others(holder).find((node) => node !== other);
    if (other === undefined || last === undefined) throw new Error('no next holder was announced');
    const elsewhere = await typed(other, 'move-vip');
    expect(elsewhere.exitCode, elsewhere.text).toBe(1);
    expect(elsewhere.text).toContain(
      `type this command on its holder, ${holder.name}, or --to ${other.name}`,
    );
    expect((await typed(holder, 'move-vip', '--to', last.name)).text).toContain(
      `type this command on ${last.name}`,
    );
    expect(bed.nodes.some(hasOrder)).toBe(false);
    expect(takenSince(fromMs)).toEqual([]);

    const moved = await typed(holder, 'move-vip', '--json');
    expect(moved).toMatchObject({ exitCode: 0, report: { outcome: 'done' } });
    expect(await rested()).toBe(other);
    expect(takenSince(fromMs)).toEqual([other.name]);
    expect(await typed(last, 'move-vip', '--to', last.name)).toMatchObject({ exitCode: 0 });
    expect(await rested()).toBe(last);
    expect(takenSince(fromMs)).toEqual([other.name, last.name]);
    expect((await typed(last, 'move-vip', '--to', last.name)).text).toContain('already');
  }, 300_000);

  test('two nodes that claim it at once do not fight over it', async () => {
    const holder = await rested();
    const fromMs = monotonicMs();
    await Promise.all(others(holder).map((node) => typed(node, 'move-vip', '--to', node.name)));
    const winner = await rested();
    expect(others(holder)).toContain(winner);
    const moves = takenSince(fromMs);
    expect(moves.length).toBeLessThanOrEqual(3);
    expect(moves.at(-1)).toBe(winner.name);
  }, 300_000);

  test('a drained node is worth less than the others, and holds it no more', async () => {
    const holder = await rested();
    expect(await typed(holder, 'drain', '--json')).toMatchObject({
      exitCode: 0,
      report: { outcome: 'done' },
    });
    const { value, priority, steered } = await vipPriority(holder);
    expect(steered).toContain('drained by');
    const worth = profile === 'fast' ? [-120, -90] : [0];
    expect(worth).toContain(value);
    for (const node of others(holder)) expect((await vipPriority(node)).priority).toBeGreaterThan(priority);
    expect((await typed(holder, 'drill', ...probe)).text).toContain('this node is drained by');
    expect(await typed(holder, 'undrain')).toMatchObject({ exitCode: 0 });
    expect(await rested()).not.toBe(holder);
  }, 300_000);

  test.each([
    ['killed', 'SIGKILL', '8s'],
    ['interrupted', 'SIGINT', '120s'],
  ] as const)(
    'a drill that is %s brings the VIP back',
    async (_, signal, away) => {
      const holder = await rested();
      const fromMs = monotonicMs();
      const log = logFromNow(holder, 'keepalived-monitor');
      const [, , , ...argv] = argvOf(holder, ['drill', '--away', away, '--json', ...probe]);
      const drill = holder.start('drill', argv);
      await waitFor('it to be elsewhere', () => takenSince(fromMs).length > 0, PATIENCE_MS);
      sendSignal([drill.id], signal);
      await waitForEnd([drill.id], PATIENCE_MS);
      expect(await rested()).toBe(holder);
      const moves = takenSince(fromMs);
      expect(moves).toHaveLength(2);
      expect(moves.at(-1)).toBe(holder.name);
      const over = log.lines().filter(({ event }) => event === 'drill-over');
      expect(over).toMatchObject([{ outcome: 'moved-and-back' }]);
      if (signal === 'SIGINT') expect(Number(over[0]?.['tookMs'])).toBeLessThan(120_000);
    },
    300_000,
  );

  test('a monitor that is killed in a drill brings the VIP back all the same, once it is there again', async () => {
    const holder = await rested();
    const monitored = nodes.find(({ node }) => node === holder);
    if (monitored === undefined) throw new Error('no such node');
    const fromMs = monotonicMs();
    const [, , , ...argv] = argvOf(holder, ['drill', '--away', '15s', ...probe]);
    const drill = holder.start('drill', argv);
    await waitFor('it to be elsewhere', () => takenSince(fromMs).length > 0, PATIENCE_MS);
    sendSignal([monitored.monitor().id], 'SIGKILL');
    await waitForEnd([monitored.monitor().id]);
    monitored.startMonitor();
    expect(await rested()).toBe(holder);
    await waitForEnd([drill.id], PATIENCE_MS);
    expect(takenSince(fromMs).at(-1)).toBe(holder.name);
  }, 300_000);

  test('a drill is refused while a change of profile is planned, and if no other node serves', async () => {
    const holder = await rested();
    const agreement = holder.at('monitor.conf');
    expect(await typed(holder, 'drill', '--dry-run', '--json', ...probe)).toMatchObject({
      ...{ exitCode: 0, report: { outcome: 'would-move' } },
    });
    writeFileSync(agreement, `mode: multicast\nat: ${new Date(Date.now() + 3_600_000).toISOString()}\n`);
    const refused = await waitFor(
      'it to be refused',
      async () => {
        const drill = await typed(holder, 'drill', '--dry-run', '--json', ...probe);
        return drill.exitCode === 1 ? drill : undefined;
      },
      PATIENCE_MS,
    );
    expect(String(refused.report?.['notes'])).toContain('a change is planned');
    writeFileSync(agreement, 'mode: unicast\n');
    await waitFor(
      'nothing to be planned',
      async () => (await typed(holder, 'drill', '--dry-run')).exitCode === 0,
      PATIENCE_MS,
    );

    const haproxies = others(holder).flatMap((node) => node.running('haproxy'));
    sendSignal(haproxies, 'SIGKILL');
    await waitForEnd(haproxies);
    const alone = await typed(holder, 'drill', '--json', ...probe);
    expect(alone).toMatchObject({ exitCode: 1, report: { outcome: 'refused', plan: null } });
    expect(String(alone.report?.['notes'])).toContain('no other node reports that it could serve');
    expect(await bed.holders()).toEqual([holder]);
  }, 300_000);
});
