import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../src/engine/system/process/run-command.ts';
import { apiKill, haproxyKill } from '../bench/failover/faults.ts';
import type { Scene } from '../bench/failover/scene.ts';
import type { ClusterStatus } from '../helpers/status-types.ts';
import { hawser } from '../helpers/supervisor-build.ts';
import { askStatus, statusOnce } from '../helpers/vrrp/ask-status.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import type { HawserPart, HawserStack } from '../helpers/vrrp/hawser.ts';
import { logFromNow } from '../helpers/vrrp/node-log.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { heldByAnother, openVipWorld } from './vip-world.ts';

let scene: Scene;
let stack: HawserStack;
beforeAll(async () => {
  scene = await openVipWorld();
  stack = scene.stack as HawserStack;
}, 120_000);
afterAll(() => scene?.[Symbol.asyncDispose]());

const isHealthy = ({ verdict }: ClusterStatus): boolean => verdict === 'healthy';
const partOf: Readonly<Record<ClusterStatus['here']['programs'][number]['name'], HawserPart>> = {
  'haproxy-supervisor': 'haproxy',
  'haproxy-monitor': 'haproxy-monitor',
  'keepalived-supervisor': 'keepalived',
  'keepalived-monitor': 'keepalived-monitor',
};

/** The priority shown, the sum of its terms, and keepalived's own priority. */
function priorities({ here }: ClusterStatus) {
  const [standing] = here.keepalivedMonitor?.priorities ?? [];
  const sum = standing?.priorityTerms.reduce((total, { points }) => total + points, 0);
  return { shown: standing?.priority, sum, keepalived: here.keepalivedSupervisor?.instances[0]?.priority };
}

function reasons({ here }: ClusterStatus): readonly string[] {
  return here.keepalivedMonitor?.priorities[0]?.priorityTerms.map(({ why }) => why) ?? [];
}

async function backup(): Promise<BedNode> {
  const holder = await scene.rested();
  const other = scene.members.find((node) => node !== holder);
  if (other === undefined) throw new Error('expected a backup');
  return other;
}

async function kill(node: BedNode, part: HawserPart): Promise<void> {
  const running = stack.part(node, part);
  if (running === undefined) throw new Error(`expected ${part} to run on ${node.name}`);
  sendSignal([running.id], 'SIGKILL');
  await waitForEnd([running.id]);
}

test('every node names the same holder, and the sums on all nodes are the priorities that keepalived has', async () => {
  const holder = await scene.rested();
  for (const node of scene.members) {
    const { status, exitCode } = await statusOnce(node, 'a healthy cluster', isHealthy);
    expect(exitCode).toBe(0);
    expect(status.vips.map(({ vip, holders }) => [vip, holders])).toEqual([[scene.bed.vip, [holder.name]]]);
    const { shown, sum, keepalived } = priorities(status);
    expect([shown, sum]).toEqual([keepalived, keepalived]);
    expect(reasons(status)).toContain(node === holder ? 'it holds the VIP' : 'HAProxy serves');
    expect(status.peers.map(({ health }) => health)).toEqual(['ready', 'ready']);
  }
}, 240_000);

test.each(Object.entries(partOf))(
  'with %s dead, the status shows the rest and names it',
  async (name, part) => {
    const node = await backup();
    const [holder] = scene.bed.holders();
    await kill(node, part);
    const { status, exitCode } = await statusOnce(node, `that ${name} is dead`, ({ problems }) =>
      problems.some((text) => text.startsWith(`${name} does not answer`)),
    );
    expect(exitCode).toBe(1);
    expect(status.here.programs.flatMap((each) => (each.state === 'answers' ? [] : each.name))).toEqual([
      name,
    ]);
    expect(status.vips[0]?.holders).toEqual([holder?.name]);
    expect(status.here.servers).toHaveLength(3);
    stack.startPart(node, part);
    await statusOnce(node, 'a healthy cluster again', isHealthy);
  },
  240_000,
);

test('a dead API server is shown as down, since when, and in the words of HAProxy', async () => {
  const node = await backup();
  await apiKill.inject(scene, node);
  const { status } = await statusOnce(node, 'that a server is down', ({ problems }) =>
    problems.some((text) => text.includes(`API server ${node.name}`)),
  );
  const down = status.here.servers?.find(({ name }) => name === node.name);
  expect(down).toMatchObject({
    state: 'down',
    check: expect.stringMatching(/^L[47]\w+.*Connection refused|^L4/),
  });
  expect(down?.address).toBe(`${node.address}:6443`);
  expect(down?.sinceMs).toBeLessThan(120_000);
  const standing = status.here.keepalivedMonitor?.priorities[0];
  expect(standing?.checks.find(({ check }) => check === 'local API server')).toMatchObject({
    state: 'failed',
    message: 'nothing listens there',
  });
  await apiKill.undo(scene, node);
  await statusOnce(node, 'a healthy cluster again', isHealthy);
}, 240_000);

test('a draining generation is shown with its sessions, reason and deadline', async () => {
  const node = await backup();
  const watch = ['-skN', '--max-time', '600', 'https://localhost:9445/api/v1/nodes?watch=true'];
  const reader = node.start('reader', ['curl', '-4', ...watch]);
  const sessions = ({ here }: ClusterStatus): number => here.haproxySupervisor?.current?.sessions ?? 0;
  const before = await statusOnce(node, 'a session', (status) => sessions(status) > 0);
  const old = before.status.here.haproxySupervisor?.current?.generation;
  const argv = [hawser, 'haproxy', 'reload', '--socket', `${node.runDir}/haproxy-master.sock`] as const;
  const [file, ...prefix] = node.namespace.prefix;
  const { exitCode } = await runCommand([file, ...prefix, ...argv], { timeoutMs: 60_000 });
  expect(exitCode).toBe(0);
  const { status } = await askStatus(node);
  const { current, draining } = status.here.haproxySupervisor ?? {};
  expect(current?.generation).toBe((old ?? 0) + 1);
  // A restarted monitor that did not get an answer in time has reloaded before, and that generation may still drain.
  const replaced = draining?.find(({ generation }) => generation === old);
  expect(replaced).toMatchObject({ reason: 'a newer generation serves' });
  expect(replaced?.sessions).toBeGreaterThan(0);
  expect(replaced?.terminateInMs).toBeGreaterThan(0);
  sendSignal([reader.id], 'SIGTERM');
  await waitForEnd([reader.id]);
}, 240_000);

test('a holder whose HAProxy stays dead says which check cost it the VIP, and where the VIP went', async () => {
  const before = await scene.rested();
  const log = logFromNow(before, 'keepalived-monitor');
  // Without its supervisor HAProxy is not restarted.
  await kill(before, 'haproxy');
  await haproxyKill.inject(scene, before);
  const next = await heldByAnother(scene, [before]);
  const { status } = await statusOnce(before, 'what is dead', ({ problems }) =>
    problems.some((text) => text.startsWith('api VIP: HAProxy: dead, nothing listens')),
  );
  expect(status.problems[0]).toBe("HAProxy's statistics page does not answer");
  expect(status.vips[0]?.holders).toEqual([next.name]);
  expect(reasons(status)).toContainEqual(expect.stringMatching(/HAProxy does not serve/));
  expect(status.here.keepalivedSupervisor?.lastTransition).toMatchObject({ reason: expect.any(String) });
  await waitFor('the log to name the check', () =>
    log
      .lines()
      .some(
        ({ event, why }) =>
          event === 'track-value-changed' && /does not serve \(dead, nothing listens on/.test(String(why)),
      ),
  );
  const taken = await statusOnce(next, 'why it has it', ({ vips }) => vips[0]?.holders[0] === next.name);
  expect(reasons(taken.status)).toContain('it holds the VIP');
  expect(taken.status.here.keepalivedSupervisor?.lastTransition?.to).toBe('MASTER');
  await scene.stack.restoreHaproxy(before);
  await statusOnce(before, 'a healthy cluster again', isHealthy);
}, 240_000);
