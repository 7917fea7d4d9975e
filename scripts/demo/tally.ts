import type { RequestResult } from './request-result.ts';

/**
 * Something that the demo itself killed or removed. Requests to it die with it, and no load balancer can
 * prevent that, so they are counted separately as `cut`.
 *
 * - `server`: excuses connections that were open to it until it was gone. Everything started afterwards must succeed.
 * - `worker`: this node's HAProxy is down until the next one serves, so all connections in that time are excused.
 */
export interface Harm {
  readonly kind: 'server' | 'worker';
  readonly name: string;
  readonly fromMs: number;
  /** When the server was found dead or the next generation was found serving; undefined until then. */
  readonly untilMs: number | undefined;
}

export type Verdict = 'ok' | 'cut' | 'lost';

/** A failed request is lost unless it overlaps with a harm and, if a server was harmed, was not on another server. */
export function verdictOf(result: RequestResult, harms: readonly Harm[]): Verdict {
  if (result.failure === undefined) return 'ok';
  const excused = harms.some(
    (harm) =>
      result.endedAtMs >= harm.fromMs &&
      (harm.untilMs === undefined || result.startedAtMs <= harm.untilMs) &&
      (harm.kind === 'worker' || result.server === undefined || result.server === harm.name),
  );
  return excused ? 'cut' : 'lost';
}

export interface Counts {
  readonly ok: number;
  readonly cut: number;
  readonly lost: number;
}

export const noCounts: Counts = { ok: 0, cut: 0, lost: 0 };

export function addVerdict(counts: Counts, verdict: Verdict): Counts {
  return { ...counts, [verdict]: counts[verdict] + 1 };
}

export function difference(after: Counts, before: Counts): Counts {
  return { ok: after.ok - before.ok, cut: after.cut - before.cut, lost: after.lost - before.lost };
}
