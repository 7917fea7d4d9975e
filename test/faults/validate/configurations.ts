import type { Entry } from '../record/history.ts';
import { at } from './found.ts';
import type { Verdict } from './verdict.ts';
import { isReached, type View } from './view.ts';

const outputs = { haproxy: 'haproxy.cfg', keepalived: 'keepalived.conf' } as const;

/** How long before and after a requested reload its reason may appear in the history. */
const ASKED_BEFORE_MS = 15_000;
const ASKED_AFTER_MS = 2_000;

/** H4: the inputs are the same at every rest, so the files must be too, and nothing is reloaded without a change. */
export function sameInputSameBytes(view: View): Verdict {
  const reloads = reloadsOf(view).filter(({ atMs }) => atMs > view.startMs);
  const rests = view.of('node').filter((each) => isReached(view, each));
  const files = view.run.nodes.flatMap(({ name }) => Object.values(outputs).map((file) => ({ name, file })));
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
        .filter((reload) => !view.entries.some((entry) => asks(entry, reload)))
        .map(({ atMs, node, program }) =>
          at(view, atMs, `a reload of ${program} on ${node} that nothing asked for`),
        ),
    ],
    notes: [`${reloads.length} reloads were asked for`],
  };
}

interface Reload {
  readonly program: keyof typeof outputs;
  readonly node: string;
  readonly atMs: number;
}

/** Only requested reloads. Those a supervisor does on its own, after a crash or at its start, have their cause in the node. */
function reloadsOf(view: View): readonly Reload[] {
  const ofHaproxy = view
    .of('journal')
    .filter(({ line }) => line.event === 'generation-serving' && line.facts?.['cause'] === 'request')
    .map(({ atMs, line }) => ({ program: 'haproxy' as const, node: line.node, atMs }));
  const ofKeepalived = view
    .of('reload')
    .filter(({ cause }) => cause === 'request')
    .map(({ atMs, node }) => ({ program: 'keepalived' as const, node, atMs }));
  return [...ofHaproxy, ...ofKeepalived];
}

function shaAt(view: View, node: string, file: string, atMs: number): string | null | undefined {
  return view.of('file').findLast((each) => each.node === node && each.file === file && each.atMs <= atMs)
    ?.sha;
}

/** Whether an entry explains a reload: a changed file, a started program, or a fault that requests it or damages what was served. */
function asks(entry: Entry, { program, node, atMs }: Reload): boolean {
  if (!('atMs' in entry) || !('node' in entry) || entry.node !== node) return false;
  if (entry.atMs < atMs - ASKED_BEFORE_MS || entry.atMs > atMs + ASKED_AFTER_MS) return false;
  if (entry.kind === 'file') return entry.file === outputs[program];
  if (entry.kind === 'part') return entry.part === program || entry.part === `${program}-monitor`;
  if (entry.kind !== 'fault') return false;
  return entry.name === 'damage-output' || (entry.name === 'reload-storm' && entry.variant === program);
}

/** H5: a fault on a single node changes no configuration on other nodes. */
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
