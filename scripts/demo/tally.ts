import type { RequestResult } from './request-result.ts';

/**
 * Something that the demo itself killed or removed. Requests to it die with it, and no load balancer can
 * change that: they are counted apart, as `cut`.
 *
 * - `server`: connections that were open to it when it was killed, or until it was gone. Everything started afterwards must succeed.
 * - `worker`: the whole HAProxy of this node is gone until the next one serves, so connections of that time count too.
 */
export interface Harm {
  readonly kind: 'server' | 'worker';
  readonly name: string;
  readonly fromMs: number;
  /** When the server was seen dead, or the next generation was seen serving; undefined until then. */
  readonly untilMs: number | undefined;
}

export type Verdict = 'ok' | 'cut' | 'lost';

/** A failed request is lost unless it overlaps with a harm, and, for a server, was not seen on another one. */
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
