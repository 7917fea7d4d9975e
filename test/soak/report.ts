import { type Losses, lossesOf } from './losses.ts';
import { isFlat, type Slope, slopeOf } from './slope.ts';
import type { Seen } from './soak.ts';
import { type Program, programs, type Quantity, quantities } from './weigh.ts';

export interface SoakReport {
  readonly minutes: number;
  readonly reloads: number;
  readonly moves: number;
  readonly loads: readonly (Losses & {
    readonly name: string;
    readonly connections: number;
    readonly ok: number;
    readonly slow: number;
    readonly slowestMs: number;
    readonly lateMs: number;
    readonly streams: number;
  })[];
  readonly slopes: readonly (Slope & { readonly program: Program; readonly quantity: Quantity })[];
  /** What went wrong; empty after a good soak. */
  readonly faults: readonly string[];
}

/** Growth per hour that is not a leak: heap pages come and go. */
const tolerances: Readonly<Record<Quantity, number>> = {
  anonymousMb: 0.5,
  residentMb: 0.5,
  descriptors: 1,
  processes: 0.5,
};
const BLOCK_MS = 120_000;
/** For a client with a timeout of five seconds. */
const CLIENT_LATE_MS = 1_000;
/** Until caches are full and JIT compilation has settled. */
const WARM_UP = { atMostMs: 600_000, share: 1 / 4 };

export function reportOf(seen: Seen): SoakReport {
  const slopes = slopesOf(seen);
  const loads = seen.loads.map(({ name, events, summary }) => ({
    name,
    ...lossesOf(events, seen.moves),
    connections: summary.connections,
    ok: summary.ok,
    slow: summary.slow,
    slowestMs: summary.slowestMs,
    lateMs: summary.latestStartMs,
    streams: summary.streams.opened,
  }));
  const faults = [
    ...seen.refused,
    ...loads.flatMap(({ name, lost, cut, lateMs }) => [
      ...(lost.otherwise === 0 ? [] : [`${lost.otherwise} connections to the ${name} lost${excuse(lateMs)}`]),
      ...(cut.otherwise === 0 ? [] : [`${cut.otherwise} streams of the ${name} cut${excuse(lateMs)}`]),
    ]),
    ...slopes
      .filter((each) => !isFlat(each, tolerances[each.quantity]))
      .map(({ program, quantity }) => `${quantity} of ${program} grow`),
  ];
  const { minutes, reloads, moves } = seen;
  return { minutes, reloads, moves: moves.length, loads, slopes, faults };
}

/** A late client gives up connections that the load balancer would still have served. */
function excuse(lateMs: number): string {
  if (lateMs < CLIENT_LATE_MS) return '';
  return `, which proves nothing: the client itself was up to ${(lateMs / 1_000).toFixed(1)} s late`;
}

function slopesOf({ weighed, minutes }: Seen): SoakReport['slopes'] {
  const beganAtMs = weighed[0]?.atMs ?? 0;
  const warmMs = beganAtMs + Math.min(WARM_UP.atMostMs, minutes * 60_000 * WARM_UP.share);
  const warm = weighed.filter(({ atMs }) => atMs >= warmMs);
  return programs.flatMap((program) =>
    quantities.flatMap((quantity) => {
      const samples = warm.map(({ atMs, programs: all }) => ({ atMs, value: all[program][quantity] }));
      const slope = slopeOf(samples, BLOCK_MS);
      return slope === undefined ? [] : [{ program, quantity, ...slope }];
    }),
  );
}

export function formatReport(report: SoakReport): string {
  const heading = ['', 'from', 'to', 'per hour', 'error'];
  const rows = report.slopes.map(({ program, quantity, from, to, perHour, error }) => [
    `${program} ${quantity}`,
    ...[from, to, perHour, error].map((value) => value.toFixed(2)),
  ]);
  return [
    `${report.minutes.toFixed(1)} minutes, ${report.reloads} reloads of each program on each node, ${report.moves} moves of the VIP`,
    '',
    ...report.loads.map(
      ({ name, connections, ok, lost, cut, reasons, slow, slowestMs, lateMs, streams }) =>
        `${name}: ${connections} connections, ${ok} answered, lost ${lost.otherwise} and ${lost.atMoves} at moves (${reasons.join(', ') || 'none'}); ` +
        `${slow} slow, slowest ${slowestMs.toFixed(0)} ms, client late by ${lateMs.toFixed(0)} ms; ` +
        `${streams} streams opened, cut ${cut.otherwise} and ${cut.atMoves} at moves`,
    ),
    '',
    'mean of the nodes after the warm-up',
    ...[heading, ...rows].map(
      ([first = '', ...cells]) => first.padEnd(40) + cells.map((cell) => cell.padStart(10)).join(''),
    ),
    '',
    ...(report.faults.length === 0
      ? [
          report.slopes.length === 0
            ? 'nothing lost; too short to tell what grows'
            : 'nothing lost, nothing grows',
        ]
      : ['NOT AS IT SHOULD BE:', ...report.faults]),
  ].join('\n');
}
