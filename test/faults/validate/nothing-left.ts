import { LEFTOVER_AGE_MS } from '../../../src/engine/config/live-file.ts';
import type { EntryOf } from '../record/history.ts';
import { isTemporary } from '../record/temporary-name.ts';
import type { Verdict, Violation } from './verdict.ts';
import type { View } from './view.ts';

/** A supervisor opens a few temporarily: for a socket it queries or a program it starts. */
const MORE_DESCRIPTORS = 10;
const MORE_PROCESSES = 3;
/** A draining generation is a master and a worker; H2 judges those. */
const PROCESSES_OF_A_GENERATION = 2;
/** Descriptors that a busy machine keeps open for longer are closed by one of the last rests. */
const LAST_RESTS = 3;

/** Z: nothing is left behind at the end, and nothing grows from the first rest to the last. */
export function nothingLeft(view: View): Verdict {
  const at = (atMs: number, what: string, proof: readonly string[] = []): Violation => ({
    atMs,
    what,
    proof,
    starved: false,
  });
  const left = view.of('left').map(({ atMs, what }) => at(atMs, `left behind: ${what}`));
  const isWhole = view.of('over').length > 0;
  return {
    name: 'Z',
    claim: 'nothing is left at the end, and nothing grows',
    judged: view.of('node').length + view.of('over').length,
    violations: [
      ...left,
      ...(isWhole ? [] : [at(view.endMs, 'the history has no end: what was left was not looked for')]),
      ...view.run.nodes.flatMap(({ name }) => grown(view, name).map((what) => at(view.endMs, what))),
    ],
    notes: [],
  };
}

function grown(view: View, name: string): readonly string[] {
  const rests = view.of('node').filter(({ node }) => node === name);
  const first = rests.at(0);
  const last = rests.at(-1);
  if (first === undefined || last === undefined) return [];
  const lastOnes = [...rests.slice(1, -1), last].slice(-LAST_RESTS);
  const more = Object.keys(last.descriptors).flatMap((part) => {
    const count = Math.min(...lastOnes.flatMap(({ descriptors }) => descriptors[part] ?? []));
    const before = first.descriptors[part] ?? count;
    return count > before + MORE_DESCRIPTORS
      ? [`${name}: ${part} had ${before} descriptors, and has ${count}`]
      : [];
  });
  const had = lasting(first);
  const has = lasting(last);
  const processes =
    has > had + MORE_PROCESSES ? [`${name}: ${had} processes that last, and later ${has}`] : [];
  const temporary = last.files.filter((file) => /\.tmp|~$|\.new$/.test(file));
  return [
    ...[...more, ...processes],
    ...temporary.map((file) => `${name}: temporary file ${file}`),
    ...last.files
      .filter((file) => isTemporary(file) && isOverlooked(view, name, rests, file))
      .map((file) => `${name}: temporary file ${file}, which no monitor has removed`),
  ];
}

const monitors = ['haproxy-monitor', 'keepalived-monitor'] as const;

/**
 * A killed program leaves its half-written file. A monitor looks for such files once, at its start, and removes those at least
 * a minute old. Overlooked: the file was there at every rest since a minute before a start of each monitor.
 */
function isOverlooked(view: View, name: string, rests: readonly EntryOf<'node'>[], file: string): boolean {
  const seen = rests.slice(rests.findLastIndex(({ files }) => !files.includes(file)) + 1);
  const first = seen.at(0);
  const last = seen.at(-1);
  if (first === undefined || last === undefined) return false;
  return monitors.every((monitor) =>
    view
      .of('part')
      .some(
        ({ node, part, what, atMs }) =>
          node === name &&
          part === monitor &&
          what === 'started' &&
          atMs >= first.atMs + LEFTOVER_AGE_MS &&
          atMs <= last.atMs,
      ),
  );
}

function lasting({ processes, draining }: EntryOf<'node'>): number {
  return processes - PROCESSES_OF_A_GENERATION * draining;
}
