import type { Stretch } from '../../helpers/vrrp/holdings.ts';
import type { Probe } from '../../helpers/vrrp/probes.ts';
import type { EntryOf } from '../record/history.ts';
import type { Verdict, Violation } from './verdict.ts';
import { type FaultWindow, faultsNear, isStarved, type View } from './view.ts';

/** H1: in episodes whose faults no client may notice, no request fails and no open connection is cut. V3 judges the other episodes. */
export function noConnectionLost(view: View): Verdict {
  const spans = harmlessSpans(view);
  return {
    name: 'H1',
    claim: 'no connection is lost at a reload, an adoption, or the death of a supervisor or monitor',
    judged: spans.length,
    violations: spans.flatMap((span) => [
      ...lossIn(view, span, 'requests failed', view.probes.map(requestOf)),
      ...lossIn(view, span, 'open connections were cut', view.of('stream').map(streamOf)),
    ]),
    notes: [`${view.of('stream').length} connections that were to stay open`],
  };
}

interface Loss extends Stretch {
  readonly reason: string | null;
}

function requestOf({ startedAtMs, endedAtMs, reason }: Probe): Loss {
  return { fromMs: startedAtMs, toMs: endedAtMs, reason };
}

/** Only the end of a stream counts: it may have started long before the fault. */
function streamOf({ toMs, reason }: EntryOf<'stream'>): Loss {
  return { fromMs: toMs, toMs, reason };
}

function lossIn(
  view: View,
  { fromMs, toMs, faults }: Span,
  how: string,
  all: readonly Loss[],
): readonly Violation[] {
  const lost = all.filter((each) => each.reason !== null && each.toMs >= fromMs && each.fromMs <= toMs);
  const [first] = lost;
  if (first === undefined) return [];
  const reasons = [...new Set(lost.map(({ reason }) => reason))].join(', ');
  const what = faults.map(({ name, variant }) => `${name} ${variant}`).join(', ');
  return [
    {
      atMs: first.fromMs,
      what: `${lost.length} ${how} (${reasons}) after ${what}`,
      proof: faultsNear(view, first.fromMs, first.toMs),
      starved: isStarved(view, first.fromMs, first.toMs),
    },
  ];
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly faults: readonly FaultWindow[];
}

/** Episodes with only harmless faults, up to the rest that follows. */
export function harmlessSpans({ faults, rests }: Pick<View, 'faults' | 'rests'>): readonly Span[] {
  return rests.flatMap(({ episode, atMs }) => {
    const own = faults.filter((each) => each.episode === episode);
    const isHarmless = own.every(({ bound }) => bound.serviceMs === 0 && bound.serviceAfterMs === 0);
    if (own.length === 0 || !isHarmless) return [];
    return [{ fromMs: Math.min(...own.map(({ fromMs }) => fromMs)), toMs: atMs, faults: own }];
  });
}
