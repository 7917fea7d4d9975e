import { globSync, writeFileSync } from 'node:fs';
import { monotonicMs } from '../../../src/engine/system/time/monotonic-clock.ts';
import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { type ClockSetting, monotonicOf } from './clock-settings.ts';

/** Each node's wall clock as its programs see it. Timers and the monotonic clock are the machine's. */
export interface Clocks {
  /** The command prefix for a program of the node; empty if this machine has no libfaketime. */
  prefix(node: BedNode): readonly string[];
  /** Sets the node's clock this far ahead of its initial offset. Throws if it cannot be set. */
  set(node: BedNode, aheadMs: number): void;
  /** The monotonic time at which a program of the node read this wall-clock time. */
  monotonicOf(node: BedNode, wallMs: number): number;
}

/**
 * The nodes' initial offset from the machine's clock. To the nodes, freshly issued certificates of the harness are two hours
 * old, so they are still valid after a clock jumps back by an hour.
 */
const AT_FIRST_MS = 2 * 3_600_000;
/** A program checks for a clock change at most this often. */
const LOOKS_EVERY_S = 1;

/**
 * Programs read their clock from a file (`fileOf`) through libfaketime. File timestamps shift with the clock, even for
 * files that were written before a jump.
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
