import type { Stretch } from '../../helpers/vrrp/holdings.ts';
import type { Probe } from '../../helpers/vrrp/probes.ts';
import { ENDS_LATE_MS } from './bounds.ts';
import { harmlessSpans } from './no-loss.ts';
import type { Verdict, Violation } from './verdict.ts';
import { type FaultWindow, faultsNear, isStarved, relative, type View } from './view.ts';

/** V3: a request may fail only within the bound of a fault, or while no node is free of faults. */
export function serviceIsBack(view: View): Verdict {
  const excused = [...view.faults.flatMap(excuse), ...lateEnds(view)];
  const failed = probesOf(view).filter(({ reason }) => reason !== null);
  const unexcused = failed.filter((probe) => !excused.some((each) => touches(probe, each)));
  const closed = closedAsServersWentDown(view, unexcused);
  const lost = unexcused.filter((probe) => !closed.has(probe));
  const othersWork = harmlessSpans(view);
  return {
    name: 'V3',
    claim: 'clients are served again within the bound of each fault',
    judged: probesOf(view).length,
    violations: [
      ...rowsOf(
        lost.filter((probe) => isDemanded(view, probe) && !othersWork.some((each) => touches(probe, each))),
      ).map((row) => violationOf(view, row)),
      ...view.rests
        .filter(({ reached }) => !reached)
        .map(({ atMs, episode, missing }) => ({
          atMs,
          what: `after episode ${episode} the group did not come to rest: ${missing}`,
          proof: faultsNear(view, atMs, atMs),
          starved: isStarved(view, atMs, atMs),
        })),
    ],
    notes: [`${failed.length} requests failed, ${failed.length - lost.length} of them within a bound`],
  };
}

function probesOf({ probes, startMs, endMs }: View): readonly Probe[] {
  return probes.filter(({ startedAtMs, endedAtMs }) => startedAtMs >= startMs && endedAtMs <= endMs);
}

function excuse({ fromMs, undoMs, toMs, bound }: FaultWindow): readonly Stretch[] {
  const { serviceMs, serviceAfterMs } = bound;
  return [
    ...(serviceMs === 0 ? [] : [{ fromMs, toMs: fromMs + serviceMs }]),
    ...(serviceAfterMs === 0 ? [] : [{ fromMs: undoMs, toMs: toMs + serviceAfterMs }]),
  ];
}

/** A program that was stopped while its pod was terminated exits only once it resumes. */
function lateEnds({ faults }: View): readonly Stretch[] {
  const told = faults.filter(({ name }) => name === 'restart-pod');
  return faults
    .filter(
      (stop) =>
        stop.name === 'stop' && told.some((each) => each.nodes.includes(stop.node) && overlap(each, stop)),
    )
    .map(({ undoMs, toMs }) => ({ fromMs: undoMs, toMs: toMs + ENDS_LATE_MS }));
}

/** HAProxy's log lines reach the journal within this time. */
const LOGGED_MS = 1_000;

/** HAProxy may close one connection, with FIN or RST, at the moment it marks a server down (docs/internals/decisions/0013). */
function closedAsServersWentDown({ journal }: View, failed: readonly Probe[]): ReadonlySet<Probe> {
  const marks = journal.filter(({ line }) => line.event === 'server-transition' && line.to === 'down');
  return new Set(
    marks.flatMap(({ atMs }) => {
      const moment = { fromMs: atMs - LOGGED_MS, toMs: atMs };
      return failed.find((each) => isClosed(each) && touches(each, moment)) ?? [];
    }),
  );
}

function isClosed({ reason }: Probe): boolean {
  return reason === 'ECONNRESET' || reason === 'closed';
}

function overlap(one: Stretch, other: Stretch): boolean {
  return one.fromMs <= other.toMs && other.fromMs <= one.toMs;
}

function touches({ startedAtMs, endedAtMs }: Probe, { fromMs, toMs }: Stretch): boolean {
  return startedAtMs <= toMs && endedAtMs >= fromMs;
}

/** Whether the client could have reached a node without a fault. */
function isDemanded({ run, faults }: View, { startedAtMs, endedAtMs }: Probe): boolean {
  const active = faults.filter(({ fromMs, toMs }) => fromMs <= endedAtMs && toMs >= startedAtMs);
  return run.nodes.some(({ name }) => {
    const isCutOff = active.some(
      ({ apart }) => apart.length > 0 && apart.includes(name) !== apart.includes('client'),
    );
    const isHit = active.some(
      ({ nodes, apart, bound }) => nodes.includes(name) && apart.length === 0 && bound.serviceMs > 0,
    );
    return !isCutOff && !isHit;
  });
}

/** Groups failed requests that start less than a second apart. */
function rowsOf(probes: readonly Probe[]): readonly (readonly [Probe, ...Probe[]])[] {
  const rows: [Probe, ...Probe[]][] = [];
  for (const probe of probes) {
    const row = rows.at(-1);
    if (row !== undefined && probe.startedAtMs - (row.at(-1)?.startedAtMs ?? 0) < 1_000) row.push(probe);
    else rows.push([probe]);
  }
  return rows;
}

function violationOf(view: View, row: readonly [Probe, ...Probe[]]): Violation {
  const [first] = row;
  const last = row.at(-1) ?? first;
  const reasons = [...new Set(row.map(({ reason }) => reason))].join(', ');
  return {
    atMs: first.startedAtMs,
    what: `${row.length} requests failed (${reasons}) within ${Math.round(last.endedAtMs - first.startedAtMs)} ms, and a node was free of faults`,
    proof: [
      `first ${relative(first.startedAtMs, first.startedAtMs)}, last ${relative(last.startedAtMs, first.startedAtMs)}`,
      ...faultsNear(view, first.startedAtMs, last.endedAtMs),
    ],
    starved: isStarved(view, first.startedAtMs, last.endedAtMs),
  };
}
