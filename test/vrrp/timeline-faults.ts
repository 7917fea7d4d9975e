import { readFileSync, writeFileSync } from 'node:fs';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import * as faults from '../bench/failover/faults.ts';
import type { Scene } from '../bench/failover/scene.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { sendSignal, waitForEnd } from '../helpers/vrrp/bed-process.ts';
import { overlapMs } from '../helpers/vrrp/holdings.ts';
import { typed } from '../helpers/vrrp/typed.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { haproxyGone, haproxyPod, keepalivedMonitor } from './vip-world.ts';

/** A fault on the holder, and what the journals must say about it. */
export interface ToldFault {
  readonly name: string;
  inject(scene: Scene, holder: BedNode): Promise<unknown>;
  undo(scene: Scene, holder: BedNode): Promise<unknown>;
  /** `elsewhere`: another node takes and keeps the VIP; `here`: the holder has it all the time; `anywhere`: either. */
  readonly vip: 'elsewhere' | 'here' | 'anywhere';
  /** How the holder, or with `anywhere` any node, lost the VIP; undefined if no node lost it, or none logged it. */
  readonly left?: { readonly to: string; readonly reason: RegExp; readonly because: RegExp };
  /** What is said about the node that took it. */
  readonly taken?: RegExp;
  /** Another entry, and its reason. */
  readonly told?: { readonly event: string; readonly reason: RegExp };
}

const CANNOT_SERVE = /^the track file says that this node cannot serve \(-254\)$/;
const OUTRANKED = /^10\.77\.0\.1\d has priority \d+, this node \d+$/;
const ENDED = /^keepalived ended with (?:signal SIGKILL|exit code \d+)$/;
const HELD_STILL =
  /^cp-\d (was still MASTER, and gave it up [\d.]+ m?s later: 10\.77\.0\.1\d has priority|was the holder, and its journal does not record)/;
const nothing = async () => {};

function breakTemplate(node: BedNode): void {
  const template = node.at('haproxy.cfg.ejs');
  const good = readFileSync(template, 'utf8');
  writeFileSync(node.at('haproxy.cfg.ejs.good'), good);
  writeFileSync(template, `${good}\n  nonsense here\n`);
}

/** The first node that does not hold the VIP. */
function backup(scene: Scene): BedNode {
  const [holder] = scene.bed.holders();
  const found = scene.members.find((node) => node !== holder);
  if (found === undefined) throw new Error('Cannot find a backup');
  return found;
}

const address = (node: BedNode, what: 'add' | 'del', { bed }: Scene) =>
  node.namespace.run('ip', 'address', what, `${bed.vip}/32`, 'dev', node.device);

const link = (node: BedNode, state: 'up' | 'down') =>
  node.namespace.run('ip', 'link', 'set', node.device, state);

export const timelineFaults: readonly ToldFault[] = [
  {
    ...haproxyGone,
    name: 'HAProxy is killed',
    vip: 'elsewhere',
    left: { to: 'FAULT', reason: CANNOT_SERVE, because: /HAProxy does not serve \(dead, nothing listens/ },
    taken: /^cp-\d left MASTER: the track file says/,
  },
  {
    ...faults.haproxyHang,
    name: 'HAProxy hangs',
    vip: 'elsewhere',
    left: {
      to: 'FAULT',
      reason: CANNOT_SERVE,
      because: /HAProxy does not serve \(hung, .* accepts and does not/,
    },
    taken: /^cp-\d left MASTER: the track file says/,
  },
  {
    name: 'the pod haproxy is terminated',
    inject: async (_scene, holder) => sendSignal(haproxyPod(holder), 'SIGTERM'),
    undo: async (scene, holder) => {
      await waitForEnd(haproxyPod(holder), 90_000);
      await scene.stack.start(holder);
    },
    vip: 'elsewhere',
    left: {
      to: 'FAULT',
      reason: CANNOT_SERVE,
      // Both programs of the pod log the signal, and either may be the last one.
      because:
        /stopping(?: \(signal SIGTERM\))?; .*HAProxy does not serve \(unready, .* answers with an error\)/,
    },
    taken: /^cp-\d left MASTER: the track file says/,
  },
  {
    ...faults.keepalivedTerm,
    name: 'keepalived’s pod is deleted',
    vip: 'elsewhere',
    left: { to: 'STOP', reason: /^stopped on request$/, because: /^stopping; cp-\d became MASTER$/ },
    taken: /^cp-\d left MASTER: stopped on request$/,
  },
  {
    ...faults.keepalivedKill,
    name: 'keepalived is killed',
    vip: 'elsewhere',
    // Its child is killed first, and the parent may end by itself before it is killed too.
    left: { to: 'STOP', reason: ENDED, because: /^keepalived died / },
    taken: /^cp-\d left MASTER: keepalived ended with (?:signal SIGKILL|exit code \d+)$/,
  },
  {
    name: 'keepalived hangs',
    inject: async (_scene, holder) => sendSignal(holder.running('keepalived'), 'SIGSTOP'),
    undo: nothing,
    vip: 'elsewhere',
    left: { to: 'STOP', reason: /^keepalived ended with signal SIGKILL$/, because: /^keepalived hung / },
    taken: /^cp-\d (was still|left) MASTER.*: keepalived ended with signal SIGKILL$/,
  },
  {
    name: 'the monitor is killed',
    inject: async (_scene, holder) => sendSignal(keepalivedMonitor(holder), 'SIGKILL'),
    undo: async ({ stack }, holder) => stack.start(holder),
    vip: 'here',
    told: { event: 'monitor-silent', reason: /^the track file is no longer refreshed$/ },
  },
  {
    ...faults.nodeDeath,
    name: 'the node loses its power',
    inject: async ({ bed }, holder) => {
      holder.killAll();
      await bed.powerOff(holder);
    },
    vip: 'elsewhere',
    taken: /^cp-\d was the holder, and its journal does not record that it lost the VIP$/,
  },
  {
    ...faults.splitFar,
    name: 'the network is cut between the holder and the others',
    // Long enough not to look like a hand-over.
    undo: async (scene, holder) => {
      const cutMs = scene.bed.partitions().at(-1)?.fromMs ?? 0;
      await waitFor(
        'two nodes to have held it',
        () => overlapMs(scene.bed.events(), cutMs, monotonicMs()) > 1_000,
      );
      await faults.splitFar.undo(scene, holder);
    },
    // The one with the higher priority keeps it in the end.
    vip: 'anywhere',
    left: { to: 'BACKUP', reason: OUTRANKED, because: /cp-\d became MASTER$|^$/ },
    taken: HELD_STILL,
  },
  {
    name: 'the interface goes down',
    inject: async (_scene, holder) => link(holder, 'down'),
    undo: async (_scene, holder) => link(holder, 'up'),
    vip: 'elsewhere',
    // Both keepalived and the monitor react at once. On a busy machine the monitor may be first.
    left: {
      to: 'FAULT',
      reason: /^(?:interface eth0 is down|the track file says that this node cannot serve \(-254\))$/,
      because: /cp-\d became MASTER$|the interface is down/,
    },
    taken: /^cp-\d left MASTER: (?:interface eth0 is down|the track file says)/,
  },
  {
    name: 'an operator drains the node',
    inject: async (_scene, holder) => typed(holder, 'drain', '--reason', 'kernel 6.18'),
    undo: async (_scene, holder) => typed(holder, 'undrain'),
    vip: 'elsewhere',
    left: { to: 'BACKUP', reason: OUTRANKED, because: /^node drained api: kernel 6\.18 \(by \S+@/ },
    taken: /^cp-\d left MASTER: 10\.77\.0\.1\d has priority/,
  },
  {
    name: 'the VIP is removed from its interface by hand',
    inject: async (scene, holder) => address(holder, 'del', scene),
    undo: nothing,
    vip: 'anywhere',
    taken:
      /^(no other node had taken it|cp-\d left MASTER: 10\.77\.0\.100 was removed from eth0 by another program)$/,
    left: {
      to: 'BACKUP',
      reason: /^10\.77\.0\.100 was removed from eth0 by another program$/,
      because: /^(cp-\d became MASTER)?$/,
    },
  },
  {
    name: 'the VIP is added to another node by hand',
    inject: async (scene) => address(backup(scene), 'add', scene),
    undo: nothing,
    vip: 'here',
    told: { event: 'stray-vip-removed', reason: /^the instance is BACKUP, but its address was here$/ },
  },
  {
    ...faults.apiKill,
    name: 'the API server is killed',
    vip: 'here',
    told: { event: 'server-transition', reason: /Connection refused/ },
  },
  {
    name: 'the template is broken by an edit',
    inject: async (_scene, holder) => breakTemplate(holder),
    undo: async (_scene, holder) =>
      writeFileSync(holder.at('haproxy.cfg.ejs'), readFileSync(holder.at('haproxy.cfg.ejs.good'))),
    vip: 'here',
    told: { event: 'configuration-rejected', reason: /unknown keyword 'nonsense'/ },
  },
];
