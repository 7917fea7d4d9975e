import { isoTime } from '../../engine/system/time/iso-time.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import {
  type Before,
  type Participation,
  type ParticipationNote,
  readParticipationNote,
} from '../../keepalived/participation-note.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedMonitorObservers } from '../settings/keepalived-monitor-metrics.ts';
import {
  nextBefore,
  notedUntil,
  type ParticipationFacts,
  participation,
  type SegmentFact,
} from './participation.ts';

type Noted = Pick<ParticipationNote, 'before' | 'state' | 'until'>;

export interface Decided {
  readonly participation: Participation;
  readonly noted: Noted;
}

interface FactSources {
  readonly facts: () => Omit<ParticipationFacts, 'startedAt' | 'before' | 'segment'>;
  /** Called only while this node is not admitted: each call keeps the segment watch probing. */
  readonly segment: () => SegmentFact;
}

/**
 * Returns a function that decides at each call. It resumes from the note of this boot's last monitor, logs each change, and
 * exports the state as a metric.
 */
export function createParticipant(
  kind: VipKind,
  trackFile: string,
  { facts, segment }: FactSources,
  { log, metrics }: Pick<KeepalivedMonitorObservers, 'log' | 'metrics'>,
  nowMs: () => number = monotonicMs,
): () => Decided {
  const startedAt = nowMs();
  let before: Before = readParticipationNote(trackFile)?.before ?? 'nothing';
  let last: Participation | undefined;
  return () => {
    const now = nowMs();
    const current: ParticipationFacts = {
      ...facts(),
      startedAt,
      before,
      segment: before === 'admitted' ? { kind: 'unknown', until: now } : segment(),
    };
    const decided = participation(current, now);
    before = nextBefore(before, decided);
    if (keyOf(decided) !== keyOf(last)) {
      log({ event: 'participation-changed', kind, from: last?.state, ...logFields(decided, now) });
      metrics.participation(kind, decided.state);
    }
    last = decided;
    const until = notedUntil(decided, current);
    return { participation: decided, noted: { before, state: decided.state, until } };
  };
}

function keyOf(decided: Participation | undefined): string {
  return decided === undefined || decided.state === 'in' ? `${decided?.state}` : decided.reason;
}

function logFields(decided: Participation, now: number) {
  if (decided.state === 'in') return { to: decided.state };
  const { state: to, reason } = decided;
  if (decided.state === 'out' || !Number.isFinite(decided.until)) return { to, reason };
  return { to, reason, until: isoTime(Date.now() + decided.until - now) };
}
