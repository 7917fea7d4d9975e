import { type Holding, holdingsOf } from '../../helpers/vrrp/holdings.ts';
import { LONGEST_STREAM_MS } from '../record/stream-plan.ts';
import { at } from './found.ts';
import type { Verdict } from './verdict.ts';
import { isReached, type View } from './view.ts';

/** Masters and workers: the serving generation, two started by a burst, and a check (one process). */
const MOST_PROCESSES = 7;
/** In a burst: a replaced generation and its successor. */
const LEAST_DRAINING = 2;
/** HAProxy exits within this time after its last connection closes. */
const ENDING_MS = 3_000;
/** Connections through a VIP that the node has lost are dead, but stay open for as long as a drain may take. */
const DEAD_CONNECTIONS_MS = 125_000;

/** H2: the number of HAProxy processes is bounded, and an old generation exits with the client's last connection. */
export function generationsAreBounded(view: View): Verdict {
  const counts = view.of('haproxys');
  const rests = view.of('node');
  return {
    name: 'H2',
    claim: 'generations of HAProxy are bounded, and old ones end',
    judged: counts.length + rests.length,
    violations: [
      ...counts
        .filter(
          ({ count, node, atMs }) =>
            count > MOST_PROCESSES + 2 * Math.max(LEAST_DRAINING, usedGenerations(view, node, atMs)),
        )
        .map(({ atMs, node, count }) => at(view, atMs, `${count} processes of HAProxy on ${node}`)),
      ...rests
        .filter(({ draining, node, atMs }) => draining > usedGenerations(view, node, atMs))
        .map(({ atMs, node, draining }) =>
          at(
            view,
            atMs,
            `${draining} generations drain at rest on ${node}, and ${usedGenerations(view, node, atMs)} may have connections`,
          ),
        ),
    ],
    notes: [`at most ${Math.max(0, ...counts.map(({ count }) => count))} processes of HAProxy on a node`],
  };
}

/** How many old generations of a node the client's connections may still be holding at this time. */
function usedGenerations(view: View, node: string, atMs: number): number {
  const held = holdingsOf(view.holdings);
  const lost = held
    .filter((each) => each.node === node)
    .flatMap((own) => [own.toMs, ...takenFrom(own, held)])
    .filter((lostMs) => lostMs <= atMs && lostMs > atMs - DEAD_CONNECTIONS_MS);
  return view.of('journal').filter(({ atMs: retiredMs, line }) => {
    if (line.node !== node || line.event !== 'generation-serving' || retiredMs > atMs) return false;
    return [atMs, ...lost].some((each) => retiredMs > each - LONGEST_STREAM_MS - ENDING_MS);
  }).length;
}

/** When other nodes took the VIP although this one kept it. Its connections are dead: their packets go to the new holder. */
function takenFrom(own: Holding, held: readonly Holding[]): readonly number[] {
  return held
    .filter(({ node, fromMs }) => node !== own.node && fromMs >= own.fromMs && fromMs < own.toMs)
    .map(({ fromMs }) => fromMs);
}

/** H3: at rest the newest generation serves the configuration in the file. */
export function newestIsServed(view: View): Verdict {
  const rests = view.of('node').filter((each) => isReached(view, each));
  return {
    name: 'H3',
    claim: 'the newest generation serves the file',
    judged: rests.length,
    violations: rests
      .filter(({ served, configured }) => served === null || served !== configured)
      .map(({ atMs, node, served, configured }) =>
        at(view, atMs, `${node} serves ${short(served)}, and haproxy.cfg is ${short(configured)}`),
      ),
    notes: [],
  };
}

function short(sha: string | null): string {
  return sha === null ? 'nothing' : sha.slice(0, 8);
}
