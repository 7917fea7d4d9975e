import { type HoldingEvent, holdingsOf, takeOvers } from '../../helpers/vrrp/holdings.ts';

/** What one arm went through; nothing was done to it, so every move of the VIP is a false take-over. */
export interface Tally {
  readonly moves: number;
  /** Stretches with two holders at once, and without any. */
  readonly twoHolders: Stretches;
  readonly noHolder: Stretches;
  /** keepalived's own complaints that a timer of its was late. */
  readonly keepalivedLate: { readonly count: number; readonly longestMs: number };
  /** How often a health check of this starved machine said that something does not serve. */
  readonly healthDoubts: number;
  /** How often a supervisor took keepalived for hung, or its monitor for dead. */
  readonly takenForHung: number;
  readonly monitorsMissed: number;
}

export interface Stretches {
  readonly count: number;
  readonly totalMs: number;
  readonly longestMs: number;
}

export function tallyOf(
  events: readonly HoldingEvent[],
  lines: readonly string[],
  span: { readonly fromMs: number; readonly toMs: number },
): Tally {
  const late = lines.flatMap((line) => lateMs(line) ?? []);
  const said = (event: string): number => lines.filter((line) => line.includes(`"event":"${event}"`)).length;
  return {
    moves: takeOvers(events, span.fromMs, span.toMs).length,
    twoHolders: stretchesOf(events, span, (holders) => holders > 1),
    noHolder: stretchesOf(events, span, (holders) => holders === 0),
    keepalivedLate: { count: late.length, longestMs: Math.round(Math.max(0, ...late)) },
    healthDoubts: lines.filter((line) => /"event":"liveness".*"liveness":"(dead|hung)"/.test(line)).length,
    takenForHung: said('keepalived-hung'),
    monitorsMissed: said('monitor-silent'),
  };
}

/** `A thread timer expired 0.231917 seconds ago`: what keepalived 2.2 says of itself. */
function lateMs(line: string): number | undefined {
  const seconds = /A thread timer expired (\d+\.\d+) seconds ago/.exec(line)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

function stretchesOf(
  events: readonly HoldingEvent[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  counts: (holders: number) => boolean,
): Stretches {
  const holdings = holdingsOf(events);
  const edges = holdings.flatMap((each) => [each.fromMs, each.toMs]);
  const moments = [fromMs, ...edges.filter((at) => at > fromMs && at < toMs), toMs].sort((a, b) => a - b);
  const lengths: number[] = [];
  let open = 0;
  for (const [index, at] of moments.slice(0, -1).entries()) {
    const holders = holdings.filter((each) => each.fromMs <= at && at < each.toMs).length;
    if (counts(holders)) open += (moments[index + 1] ?? at) - at;
    else if (open > 0) lengths.push(open);
    if (!counts(holders)) open = 0;
  }
  if (open > 0) lengths.push(open);
  const round = Math.round;
  return {
    count: lengths.length,
    totalMs: round(lengths.reduce((sum, each) => sum + each, 0)),
    longestMs: round(Math.max(0, ...lengths)),
  };
}
