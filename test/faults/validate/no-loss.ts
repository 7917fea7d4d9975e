import type { Verdict } from './verdict.ts';
import { type FaultWindow, faultsNear, isStarved, type View } from './view.ts';

/** H1: where only faults happened that no client may notice, not one request fails. V3 judges the others. */
export function noConnectionLost(view: View): Verdict {
  const spans = harmlessSpans(view);
  return {
    name: 'H1',
    claim: 'no connection is lost at a reload, an adoption, or the death of a supervisor or monitor',
    judged: spans.length,
    violations: spans.flatMap(({ fromMs, toMs, faults }) => {
      const lost = view.probes.filter(
        ({ startedAtMs, endedAtMs, reason }) => reason !== null && endedAtMs >= fromMs && startedAtMs <= toMs,
      );
      const [first] = lost;
      if (first === undefined) return [];
      const reasons = [...new Set(lost.map(({ reason }) => reason))].join(', ');
      const what = faults.map(({ name, variant }) => `${name} ${variant}`).join(', ');
      return [
        {
          atMs: first.startedAtMs,
          what: `${lost.length} requests failed (${reasons}) after ${what}`,
          proof: faultsNear(view, first.startedAtMs, first.endedAtMs),
          starved: isStarved(view, first.startedAtMs, first.endedAtMs),
        },
      ];
    }),
    notes: [],
  };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly faults: readonly FaultWindow[];
}

/** Episodes of nothing but harmless faults, to the rest after them. */
export function harmlessSpans({ faults, rests }: Pick<View, 'faults' | 'rests'>): readonly Span[] {
  return rests.flatMap(({ episode, atMs }) => {
    const own = faults.filter((each) => each.episode === episode);
    const isHarmless = own.every(({ bound }) => bound.serviceMs === 0 && bound.serviceAfterMs === 0);
    if (own.length === 0 || !isHarmless) return [];
    return [{ fromMs: Math.min(...own.map(({ fromMs }) => fromMs)), toMs: atMs, faults: own }];
  });
}
