import { appendFileSync, copyFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { apiKill, haproxyKill, keepalivedTerm } from '../../test/bench/failover/faults.ts';
import type { Scene } from '../../test/bench/failover/scene.ts';
import { hawser } from '../../test/helpers/supervisor-build.ts';
import type { BedNode } from '../../test/helpers/vrrp/bed-node.ts';
import { waitFor } from '../../test/helpers/wait-for.ts';

type Step = readonly [name: string, run: (scene: Scene, holder: BedNode) => Promise<void>];

/** The faults before the screenshot. Each ends by itself or is repaired at once. */
const steps: readonly Step[] = [
  ["the holder's HAProxy is killed", async (scene, holder) => void (await haproxyKill.inject(scene, holder))],
  ['a template is broken, and mended', breakTemplate],
  [
    "the holder's keepalived is stopped, and comes back",
    async (scene, holder) => {
      await keepalivedTerm.inject(scene, holder);
      await waitFor('another holder', () => !scene.bed.holders().includes(holder), PATIENCE_MS);
      await keepalivedTerm.undo(scene, holder);
    },
  ],
  [
    'an administrator removes the VIP from its interface',
    async ({ bed }, { namespace, device }) =>
      void (await namespace.run('ip', 'address', 'del', `${bed.vip}/32`, 'dev', device)),
  ],
];

const PATIENCE_MS = 120_000;

/**
 * Plays the steps, spread over `minutes`, and then the incident itself: an API server dies and stays dead, and the holder's
 * HAProxy is killed. Resolves with the new holder, which has just reloaded and still has one session on the previous
 * generation.
 */
export async function playIncident(
  scene: Scene,
  minutes: number,
  tell: (text: string) => void,
): Promise<BedNode> {
  const gapMs = (minutes * 60_000) / (steps.length + 1);
  for (const [name, run] of steps) {
    await pause(gapMs);
    tell(name);
    await run(scene, await scene.rested());
  }
  await pause(gapMs);
  const before = await scene.rested();
  const [dead] = scene.members.filter((node) => node !== before).slice(-1);
  if (dead === undefined) throw new Error('Cannot play the incident: there is one node only');
  tell(`the API server of ${dead.name} is killed, and the HAProxy of ${before.name}, which has the VIP`);
  await apiKill.inject(scene, dead);
  await haproxyKill.inject(scene, before);
  await waitFor('another holder', () => !scene.bed.holders().includes(before), PATIENCE_MS);
  const holder = await scene.rested();
  await reloadUnderLoad(holder);
  return holder;
}

async function breakTemplate(_scene: Scene, holder: BedNode): Promise<void> {
  const template = holder.at('haproxy.cfg.ejs');
  const copy = holder.at('haproxy.cfg.ejs.whole');
  copyFileSync(template, copy);
  appendFileSync(template, '\nlisten broken\n  bad keyword\n');
  // Longer than a monitor takes to notice.
  await pause(10_000);
  copyFileSync(copy, template);
}

/** Reloads while a session keeps the old generation alive. */
async function reloadUnderLoad(node: BedNode): Promise<void> {
  const url = 'https://localhost:9445/api/v1/nodes?watch=true';
  node.start('reader', ['curl', '-4skN', '--max-time', '600', url]);
  await pause(2_000);
  await node.namespace.run(hawser, 'haproxy', 'reload', '--socket', `${node.runDir}/haproxy-master.sock`);
}
