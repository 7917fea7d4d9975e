import { globSync, writeFileSync } from 'node:fs';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { type ClockSetting, monotonicOf } from './clock-settings.ts';

/** Each node's wall clock, as its programs see it. Their timers and their monotonic clock are the machine's. */
export interface Clocks {
  /** What goes in front of a program of the node; nothing where this machine has no libfaketime. */
  prefix(node: BedNode): readonly string[];
  /** From now on the node's clock is this far ahead of its initial time. Throws if it cannot be set. */
  set(node: BedNode, aheadMs: number): void;
  /** When, by the monotonic clock, a program of the node read this time. */
  monotonicOf(node: BedNode, wallMs: number): number;
}

/**
 * How far the nodes are ahead of the machine at first: certificates that the harness has just issued are two hours old for
 * them, and a clock that jumps back by an hour finds them valid.
 */
const AT_FIRST_MS = 2 * 3_600_000;
/** A program looks for a change of its clock at most this often. */
const LOOKS_EVERY_S = 1;

/**
 * Programs see the time of a file (`fileOf`), by way of libfaketime. A file's own times are shifted with the clock, also
 * of files that were written before a jump.
 */
export function createClocks(nodes: readonly BedNode[], fileOf: (node: BedNode) => string): Clocks {
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');
  const settings = new Map<BedNode, readonly ClockSetting[]>();
  const set = (node: BedNode, aheadMs: number) => {
    if (library === undefined) throw new Error('Cannot set a clock: this machine has no libfaketime');
    writeFileSync(fileOf(node), `+${(AT_FIRST_MS + aheadMs) / 1_000}\n`);
    const own = settings.get(node) ?? [];
    settings.set(node, [...own, { fromMs: monotonicMs(), aheadMs: AT_FIRST_MS + aheadMs }]);
  };
  if (library !== undefined) for (const node of nodes) set(node, 0);
  const variables = (node: BedNode) => [
    `LD_PRELOAD=${library}`,
    `FAKETIME_TIMESTAMP_FILE=${fileOf(node)}`,
    `FAKETIME_CACHE_DURATION=${LOOKS_EVERY_S}`,
    'FAKETIME_DONT_FAKE_MONOTONIC=1',
  ];
  return {
    prefix: (node) => (library === undefined ? [] : ['env', ...variables(node)]),
    set,
    monotonicOf: (node, wallMs) =>
      monotonicOf(settings.get(node) ?? [], wallMs - (Date.now() - monotonicMs()), LOOKS_EVERY_S * 1_000),
  };
}
