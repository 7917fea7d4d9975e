import type { Entry, EntryOf } from '../record/history.ts';
import type { Verdict, Violation } from './verdict.ts';
import { faultsNear, isStarved, relative, type View } from './view.ts';

/** Masters and workers: the generation that serves, two that a burst starts, two that drain, and one that is checked. */
const MOST_PROCESSES = 11;
const MOST_DRAINING = 1;

/** H2: HAProxy's processes are bounded while things happen, and those of old generations are gone at rest. */
export function generationsAreBounded(view: View): Verdict {
  const counts = view.of('haproxys');
  const rests = view.of('node');
  return {
    name: 'H2',
    claim: 'generations of HAProxy are bounded, and old ones end',
    judged: counts.length + rests.length,
    violations: [
      ...counts
        .filter(({ count }) => count > MOST_PROCESSES)
        .map(({ atMs, node, count }) => at(view, atMs, `${count} processes of HAProxy on ${node}`)),
      ...rests
        .filter(({ draining }) => draining > MOST_DRAINING)
        .map(({ atMs, node, draining }) =>
          at(view, atMs, `${draining} generations drain at rest on ${node}`),
        ),
    ],
    notes: [`at most ${Math.max(0, ...counts.map(({ count }) => count))} processes of HAProxy on a node`],
  };
}

/** H3: at rest the newest generation serves what the file says. */
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

/** What may stand before a reload that is asked for, and after it. */
const ASKED_BEFORE_MS = 15_000;
const ASKED_AFTER_MS = 2_000;

/** H4: at each rest the inputs are the same, and so must the files be; and no reload without a change. */
export function sameInputSameBytes(view: View): Verdict {
  const reloads = view.of('journal').filter(({ atMs, line }) => {
    return atMs > view.startMs && line.event === 'generation-serving' && line.facts?.['cause'] === 'request';
  });
  const rests = view.of('node').filter((each) => isReached(view, each));
  return {
    name: 'H4',
    claim: 'the same input gives the same bytes and no reload',
    judged: rests.length + reloads.length,
    violations: [
      ...view.run.nodes.flatMap(({ name }) => {
        const own = rests.filter(({ node }) => node === name);
        return own
          .filter(({ configured }) => configured !== own[0]?.configured)
          .slice(0, 1)
          .map(({ atMs }) => at(view, atMs, `haproxy.cfg of ${name} has become another one`));
      }),
      ...reloads
        .filter(({ atMs, line }) => !view.entries.some((entry) => asks(entry, line.node, atMs)))
        .map(({ atMs, line }) => at(view, atMs, `a reload on ${line.node} that nothing asked for`)),
    ],
    notes: [`${reloads.length} reloads were asked for`],
  };
}

/** Another file, a monitor that started, or somebody who asks for it. */
function asks(entry: Entry, node: string, reloadMs: number): boolean {
  if (!('atMs' in entry) || !('node' in entry) || entry.node !== node) return false;
  if (entry.atMs < reloadMs - ASKED_BEFORE_MS || entry.atMs > reloadMs + ASKED_AFTER_MS) return false;
  if (entry.kind === 'file') return entry.file === 'haproxy.cfg';
  if (entry.kind === 'part') return entry.part === 'haproxy-monitor' || entry.part === 'haproxy';
  return entry.kind === 'fault' && ['reload-storm', 'damage-output'].includes(entry.name);
}

/** H5: what is bad on one node alone changes no configuration on another. */
export function othersAreSpared(view: View): Verdict {
  const bad = view.faults.filter(({ name, episode }) => {
    const isAlone = view.faults.filter((each) => each.episode === episode).length === 1;
    return isAlone && ['damage-input', 'damage-output', 'api-fault'].includes(name);
  });
  return {
    name: 'H5',
    claim: 'bad input of one node changes nothing for the others',
    judged: bad.length,
    violations: bad.flatMap(({ node, fromMs, episode, name, variant }) => {
      const toMs = view.rests.find((rest) => rest.episode === episode)?.atMs ?? view.endMs;
      return view
        .of('file')
        .filter((each) => each.node !== node && each.atMs >= fromMs && each.atMs <= toMs)
        .map(({ atMs, file, node: other }) =>
          at(view, atMs, `${file} of ${other} changed after ${name} ${variant} on ${node}`),
        );
    }),
    notes: [],
  };
}

function isReached({ rests }: View, { episode }: EntryOf<'node'>): boolean {
  return rests.some((rest) => rest.episode === episode && rest.reached);
}

function short(sha: string | null): string {
  return sha === null ? 'nothing' : sha.slice(0, 8);
}

function at(view: View, atMs: number, what: string): Violation {
  const events = view.journal.filter((each) => Math.abs(each.atMs - atMs) < 5_000);
  return {
    atMs,
    what,
    proof: [
      ...faultsNear(view, atMs, atMs),
      ...events
        .slice(-20)
        .map(
          ({ atMs: toldMs, line }) =>
            `${relative(toldMs, atMs)} ${line.node} ${line.event} ${line.reason ?? ''}`,
        ),
    ],
    starved: isStarved(view, atMs, atMs),
  };
}
