import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { openScene, type Scene } from '../bench/failover/scene.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { type BedProcess, sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { takeOvers } from '../helpers/vrrp/holdings.ts';
import { routerHealth, startRouter } from '../helpers/vrrp/ingress-router.ts';
import { waitFor } from '../helpers/wait-for.ts';

const PATIENCE_MS = 60_000;
/** Three adverts. */
const REST_MS = 1_500;
const health = `http://localhost:${routerHealth.port}${routerHealth.path}`;

let scene: Scene;
const routers = new Map<BedNode, BedProcess>();

beforeAll(async () => {
  scene = await openScene('hawser', {
    advertIntervalMs: 500,
    flags: {
      'keepalived-monitor': ['--ingress-vips', '10.77.0.101', '--ingress-health', health],
    },
  });
  for (const node of scene.members) routers.set(node, startRouter(node));
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

/** The state of the ingress VIP that the node's supervisor logged last; taken from the log, like `moves`, so that the two agree. */
const stateOf = (node: BedNode): string | number | undefined => transitions(node).at(-1)?.to;

/**
 * Resolves with the one holder of the ingress VIP once all others are BACKUP, or FAULT if listed in `inFault`, and no state has
 * changed for a while: two backups that have waited equally long both take the VIP, and one gives it up at once.
 */
async function ingressHolder(inFault: readonly BedNode[] = []): Promise<BedNode> {
  return await waitFor(
    'one node to hold the ingress VIP',
    () => {
      const [holder, ...more] = scene.members.filter((node) => stateOf(node) === 'MASTER');
      const settled = scene.members.every(
        (node) =>
          (node === holder && !inFault.includes(node)) ||
          stateOf(node) === (inFault.includes(node) ? 'FAULT' : 'BACKUP'),
      );
      const changes = scene.members.flatMap(transitions).map(({ time }) => Date.parse(time));
      const isQuiet = Date.now() - Math.max(...changes) > REST_MS;
      return settled && isQuiet && more.length === 0 ? holder : undefined;
    },
    PATIENCE_MS,
  );
}

const transitions = (node: BedNode) =>
  said(node, 'keepalived').filter((it) => it.event === 'vrrp-transition' && it.instance === 'INGRESS');

/** How often a node has become the holder of the ingress VIP. */
const moves = (): number => scene.members.flatMap(transitions).filter(({ to }) => to === 'MASTER').length;

const trackOf = (node: BedNode): number =>
  Number(readFileSync(join(node.runDir, 'ingress.track'), 'utf8').trim());

const saidSchema = z.object({
  event: z.string(),
  time: z.string(),
  kind: z.optional(z.string()),
  serve: z.optional(z.boolean()),
  liveness: z.optional(z.string()),
  instance: z.optional(z.string()),
  to: z.optional(z.union([z.string(), z.number()])),
});

/** hawser's events in a log that also has the output of other programs. */
function said(node: BedNode, part: 'keepalived' | 'keepalived-monitor') {
  return readFileSync(node.at(`${part}.log`), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => saidSchema.parse(JSON.parse(line)));
}

/** The last event of this name about ingress that the node's monitor logged. */
const lastSaid = (node: BedNode, event: string) =>
  said(node, 'keepalived-monitor').findLast((it) => it.event === event && it.kind === 'ingress');

async function killRouter(node: BedNode): Promise<void> {
  const ids = [routers.get(node)?.id ?? []].flat();
  sendSignal(ids, 'SIGKILL');
  await waitForEnd(ids);
}

test('a dead router moves the ingress VIP but not the API VIP, and recovery does not move it back', async () => {
  await scene.rested();
  const restedMs = monotonicMs();
  const troubled = await ingressHolder();
  await killRouter(troubled);
  const next = await ingressHolder([troubled]);
  // From here on nothing may move.
  const before = moves();
  expect(trackOf(troubled)).toBe(-254);

  routers.set(troubled, startRouter(troubled));
  await waitFor('its router to be trusted again', () => trackOf(troubled) === 0, PATIENCE_MS);
  expect(await ingressHolder()).toBe(next);
  expect(moves()).toBe(before);
  expect(takeOvers(scene.bed.events(), restedMs, monotonicMs())).toEqual([]);
}, 240_000);

test('if every router is dead, the ingress VIP stays', async () => {
  const holder = await ingressHolder();
  const others = scene.members.filter((node) => node !== holder);
  for (const node of others) await killRouter(node);
  expect(await ingressHolder(others)).toBe(holder);
  const before = moves();
  await waitFor('the holder to know it', () => lastSaid(holder, 'peers')?.serve === false, PATIENCE_MS);
  await killRouter(holder);
  await waitFor(
    'its death to be seen',
    () => lastSaid(holder, 'haproxy-health-changed')?.liveness === 'dead',
    PATIENCE_MS,
  );
  // The others are BACKUP again, as no other node is better.
  expect(await ingressHolder()).toBe(holder);
  expect(trackOf(holder)).toBe(30);
  expect(moves()).toBe(before);
}, 240_000);
