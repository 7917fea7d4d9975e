import { rmSync } from 'node:fs';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from './bed-node.ts';
import type { BedSwitch } from './bed-switch.ts';
import type { HoldingEvent, Stretch } from './holdings.ts';
import type { VrrpBed } from './vrrp-bed.ts';

interface PowerState {
  readonly vip: string;
  readonly length: number;
  readonly off: Set<string>;
  readonly events: HoldingEvent[];
}

/** Cuts and restores the power of machines. `off` holds the names of those without power. */
export function powerOf(
  network: BedSwitch,
  nodes: readonly BedNode[],
  { vip, length, off, events }: PowerState,
): Pick<VrrpBed, 'unplug' | 'plug' | 'powerOff' | 'powerOn'> {
  const setPort = (node: BedNode, up: boolean) => network.setPort(indexOf(nodes, node), up);
  return {
    unplug: (node) => setPort(node, false),
    plug: (node) => setPort(node, true),
    powerOff: async (node) => {
      const atMs = monotonicMs();
      off.add(node.name);
      await setPort(node, false);
      node.killAll();
      events.push({ node: node.name, holds: false, atMs });
      return atMs;
    },
    powerOn: async (node) => {
      // No process was left to remove it.
      const held = (await node.namespace.run('ip', '-o', 'address')).includes(` ${vip}/`);
      if (held) await node.namespace.run('ip', 'address', 'del', `${vip}/${length}`, 'dev', node.device);
      // Packets of the dead machine may still be waiting for its link.
      await node.namespace.run('ip', 'neigh', 'flush', 'dev', node.device, 'nud', 'incomplete');
      rmSync(node.runDir, { recursive: true, force: true });
      off.delete(node.name);
      await setPort(node, true);
    },
  };
}

export function partitionsOf(
  network: BedSwitch,
  nodes: readonly BedNode[],
): Pick<VrrpBed, 'split' | 'heal' | 'partitions'> {
  const past: Stretch[] = [];
  let sinceMs: number | undefined;
  return {
    split: async (side) => {
      const atMs = monotonicMs();
      sinceMs ??= atMs;
      await network.split(side.map((each) => (each === 'client' ? nodes.length : indexOf(nodes, each))));
      return atMs;
    },
    heal: async () => {
      await network.heal();
      // Only now: on a busy machine the switch needs its time, and the network is split until the last port is back.
      const wholeMs = monotonicMs();
      if (sinceMs !== undefined) past.push({ fromMs: sinceMs, toMs: wholeMs });
      sinceMs = undefined;
      return wholeMs;
    },
    partitions: () =>
      sinceMs === undefined ? past : [...past, { fromMs: sinceMs, toMs: Number.POSITIVE_INFINITY }],
  };
}

function indexOf(nodes: readonly BedNode[], node: BedNode): number {
  return nodes.findIndex(({ name }) => name === node.name);
}
