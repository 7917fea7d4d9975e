import type { ProcessId } from '../../src/engine/system/process/processes.ts';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import type { Fault } from '../bench/failover/fault.ts';
import { haproxyKill } from '../bench/failover/faults.ts';
import { openScene, type Scene } from '../bench/failover/scene.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { sendSignal } from '../helpers/vrrp/bed-process.ts';
import { takesPart } from '../helpers/vrrp/hawser.ts';
import { quietFor, takeOvers } from '../helpers/vrrp/holdings.ts';
import { waitFor } from '../helpers/wait-for.ts';

/**
 * Three nodes with both pods. Adverts are rarer than by default, and a monitor may be silent three times as long: the
 * tests are about who holds the VIP, and a machine that is busy for a moment must not look like a dead node or program.
 */
export async function openVipWorld(
  family: 'IPv4' | 'IPv6' = 'IPv4',
  {
    clientTimeoutMs,
    flags = [],
    journals,
  }: {
    readonly clientTimeoutMs?: number;
    readonly flags?: readonly string[];
    /** Each part keeps a journal in the node's folder `journal`, under the node's own name. */
    readonly journals?: true;
  } = {},
): Promise<Scene> {
  return await openScene('hawser', {
    family,
    advertIntervalMs: 500,
    flags: {
      keepalived: ['--monitor-timeout', '10s'],
      'keepalived-monitor': flags,
    },
    ...(clientTimeoutMs !== undefined && { clientTimeoutMs }),
    ...(journals !== undefined && { own: journalOf }),
  });
}

/** A journal tells nodes apart by hostname, and all nodes share this machine's. The pid stays the same. */
const journalOf = (node: BedNode) => ({
  flags: ['--journal', node.at('journal')],
  prefix: ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', node.name],
});

const PATIENCE_MS = 60_000;

/**
 * Nothing restarts HAProxy. If the supervisor did, within 45 ms, a monitor that was late for that long would find
 * HAProxy alive at its first check, and the VIP would rightly stay.
 */
export const haproxyGone: Fault = {
  ...haproxyKill,
  name: 'haproxy-gone',
  about: 'SIGKILL for every HAProxy process of the holder, and for its supervisor',
  inject: async (scene, node) => {
    sendSignal(running(node, ' haproxy supervise '), 'SIGKILL');
    return await haproxyKill.inject(scene, node);
  },
};

/** Two backups that find the master dead take its VIP within an advert of each other, and one of them keeps it. */
const SETTLED_MS = 1_500;

/** Resolves with the holder of the VIP once it is a single node other than these, and the client is served. */
export async function heldByAnother(scene: Scene, than: readonly BedNode[]): Promise<BedNode> {
  return await waitFor(
    'another node to hold the VIP and serve',
    () => {
      const [holder, ...more] = scene.bed.holders();
      const other = holder !== undefined && more.length === 0 && !than.includes(holder);
      const isSettled = quietFor(scene.bed.events(), SETTLED_MS) && scene.client.calmFor(1_000);
      return other && isSettled ? holder : undefined;
    },
    PATIENCE_MS,
  );
}

/** Ends the fault. Resolves once everything runs again, with every move of the VIP since. */
export async function movesOfRecovery(
  scene: Scene,
  fault: Fault,
  troubled: BedNode,
): Promise<readonly string[]> {
  const fromMs = monotonicMs();
  await fault.undo(scene, troubled);
  await waitFor(`${troubled.name} to be fit again`, () => takesPart(troubled), PATIENCE_MS);
  await scene.rested();
  return takeOvers(scene.bed.events(), fromMs, monotonicMs()).map(({ node }) => node);
}

/** The processes on this node, in both containers of the pod haproxy, that the kubelet terminates. */
export function haproxyPod(node: BedNode): readonly ProcessId[] {
  return [...running(node, ' haproxy supervise '), ...running(node, ' haproxy monitor ')];
}

/** The process of `hawser keepalived monitor` on this node, if it runs. */
export function keepalivedMonitor(node: BedNode): readonly ProcessId[] {
  return running(node, ' keepalived monitor ');
}

function running(node: BedNode, words: string): readonly ProcessId[] {
  return node.processes().flatMap(({ id, argv }) => (argv.join(' ').includes(words) ? id : []));
}
