import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../src/engine/system/process/run-command.ts';
import { type TimelineReport, timelineSchema } from '../../src/operate/timeline/report.ts';
import type { Scene } from '../bench/failover/scene.ts';
import { hawser } from '../helpers/supervisor-build.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type ToldFault, timelineFaults } from './timeline-faults.ts';
import { openVipWorld } from './vip-world.ts';

/** Injects each fault on real nodes. Their journals must name it as the cause, and report no move that did not happen. */

const PATIENCE_MS = 60_000;

let scene: Scene;
beforeAll(async () => {
  scene = await openVipWorld('IPv4', { journals: true });
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

type Told = Exclude<TimelineReport['entries'][number], { kind: 'fault' }>;

/** On a busy machine the journals report CPU starvation as well, which is not the injected fault. */
const unstarved = (because: string) =>
  because
    .split('; ')
    .filter((each) => !each.startsWith('cpu starvation'))
    .join('; ');

/** A busy machine may cause the same event for another reason. */
const tells = ({ event, reason, facts }: Told, told: NonNullable<ToldFault['told']>): boolean =>
  event === told.event && told.reason.test(`${reason} ${facts?.['detail'] ?? ''}`.trim());

/** What has happened on all three nodes since then, as an administrator reads it. */
async function timeline(since: string): Promise<readonly Told[]> {
  const journals = scene.members.flatMap((node) => ['--journal', node.at('journal')]);
  const argv = [hawser, 'timeline', '--json', '--since', since, ...journals] as const;
  const { stdout } = await runCommand(argv, { timeoutMs: PATIENCE_MS });
  const { entries, verdict } = timelineSchema.parse(JSON.parse(stdout));
  expect(verdict).toBe('whole');
  return entries.flatMap((entry) => (entry.kind === 'fault' ? [] : entry));
}

test.each(timelineFaults)(
  '$name',
  async (fault) => {
    const holder = await scene.rested();
    const since = new Date().toISOString();
    await fault.inject(scene, holder);
    if (fault.vip === 'elsewhere')
      await waitFor(
        'another node to take the VIP',
        () => scene.bed.holders().some((node) => node !== holder),
        PATIENCE_MS,
      );
    const { told, left, taken } = fault;
    if (told !== undefined)
      await waitFor(
        `${told.event} to be reported with ${told.reason}`,
        async () => (await timeline(since)).some((entry) => tells(entry, told)),
        PATIENCE_MS,
      );
    await fault.undo(scene, holder);
    await waitFor(`${holder.name} to be fit again`, () => takesPart(holder), PATIENCE_MS);
    const next = await scene.rested();
    if (fault.vip !== 'anywhere') expect(next === holder).toBe(fault.vip === 'here');

    const movesIn = (all: readonly Told[]) => all.filter(({ event }) => event === 'vrrp-transition');
    const entries = await waitFor(
      'every node to have told its part',
      async () => {
        const all = await timeline(since);
        const moves = movesIn(all);
        const isReported = left === undefined || moves.some(({ from }) => from === 'MASTER');
        return isReported && (taken === undefined || moves.some(({ to }) => to === 'MASTER'))
          ? all
          : undefined;
      },
      PATIENCE_MS,
    );
    const moves = movesIn(entries);
    const story = moves
      .map(({ at, node, from, to, reason }) => `${at} ${node} ${from} → ${to}: ${reason}`)
      .join('\n');
    const isLeaver = (node: string): boolean => fault.vip === 'anywhere' || node === holder.name;
    const leaving = moves.find(({ node, from }) => from === 'MASTER' && isLeaver(node));
    if (left === undefined) expect(leaving, story).toBeUndefined();
    else {
      expect(leaving, story).toMatchObject({ to: left.to, reason: expect.stringMatching(left.reason) });
      expect(unstarved(leaving?.because ?? '')).toMatch(left.because);
    }
    // Two backups may take it at the same moment: the one that keeps it counts.
    const takers = moves.filter(({ to }) => to === 'MASTER');
    const taking = takers.findLast(({ node }) => node === next.name) ?? takers.at(-1);
    expect(taking !== undefined).toBe(next !== holder || left !== undefined);
    if (taken !== undefined) expect(taking?.because, story).toMatch(taken);
  },
  240_000,
);
