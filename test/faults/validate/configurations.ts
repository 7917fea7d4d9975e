import type { Entry } from '../record/history.ts';
import { at } from './found.ts';
import type { Verdict } from './verdict.ts';
import { isReached, type View } from './view.ts';

const outputs = ['haproxy.cfg', 'keepalived.conf'] as const;

/** What may stand before a reload that is asked for, and after it. */
const ASKED_BEFORE_MS = 15_000;
const ASKED_AFTER_MS = 2_000;

/** H4: at each rest the inputs are the same, and so must the files be; and no reload without a change. */
export function sameInputSameBytes(view: View): Verdict {
  const reloads = view.of('journal').filter(({ atMs, line }) => {
    return atMs > view.startMs && line.event === 'generation-serving' && line.facts?.['cause'] === 'request';
  });
  const rests = view.of('node').filter((each) => isReached(view, each));
  const files = view.run.nodes.flatMap(({ name }) => outputs.map((file) => ({ name, file })));
  return {
    name: 'H4',
    claim: 'the same input gives the same bytes and no reload',
    judged: rests.length + reloads.length,
    violations: [
      ...files.flatMap(({ name, file }) => {
        const own = rests.filter(({ node }) => node === name).map(({ atMs }) => atMs);
        const [first = 0] = own;
        return own
          .filter((atMs) => shaAt(view, name, file, atMs) !== shaAt(view, name, file, first))
          .slice(0, 1)
          .map((atMs) => at(view, atMs, `${file} of ${name} has become another one`));
      }),
      ...reloads
        .filter(({ atMs, line }) => !view.entries.some((entry) => asks(entry, line.node, atMs)))
        .map(({ atMs, line }) => at(view, atMs, `a reload on ${line.node} that nothing asked for`)),
    ],
    notes: [`${reloads.length} reloads were asked for`],
  };
}

function shaAt(view: View, node: string, file: string, atMs: number): string | null | undefined {
  return view.of('file').findLast((each) => each.node === node && each.file === file && each.atMs <= atMs)
    ?.sha;
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
    return isAlone && ['damage-input', 'damage-output', 'api-fault', 'api-lie'].includes(name);
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
