import type { BedNode } from '../../helpers/vrrp/bed-node.ts';
import { type LogLine, linesOf } from '../../helpers/vrrp/node-log.ts';

/** Start phases of the first holder's programs, in order, each with the program and log line that show it. */
const PHASES = {
  'supervisor runs': ['keepalived', () => true],
  'monitor runs': ['keepalived-monitor', () => true],
  'monitor is ready': ['keepalived-monitor', ({ event }) => event === 'monitor-started'],
  'keepalived runs': ['keepalived', ({ event }) => event === 'keepalived-started'],
  'HAProxy answers': ['keepalived-monitor', ({ liveness }) => liveness === 'serving'],
  'nodes observed': ['keepalived-monitor', ({ event }) => event === 'servers-observed'],
  'health told': ['keepalived-monitor', ({ event }) => event === 'track-value-changed'],
  BACKUP: ['keepalived', ({ event, to }) => event === 'vrrp-transition' && to === 'BACKUP'],
  MASTER: ['keepalived', ({ event, to }) => event === 'vrrp-transition' && to === 'MASTER'],
} as const satisfies Record<string, readonly [string, (line: LogLine) => boolean]>;

export const phaseNames = Object.keys(PHASES) as readonly (keyof typeof PHASES)[];

/** Milliseconds since `epochMs`; a phase that did not happen is missing. */
export type Phases = Readonly<Partial<Record<keyof typeof PHASES, number>>>;

export function phasesSince(node: BedNode, epochMs: number): Phases {
  const entries = Object.entries(PHASES).flatMap(([name, [program, is]]) => {
    const time = linesOf(node, program).find(is)?.['time'];
    const atMs = typeof time === 'number' ? time : Date.parse(String(time));
    return Number.isNaN(atMs) ? [] : [[name, atMs - epochMs]];
  });
  return Object.fromEntries(entries) as Phases;
}
