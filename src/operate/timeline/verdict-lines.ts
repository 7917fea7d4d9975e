import { printable } from '../../engine/system/text/readable-text.ts';
import { wrapText } from '../../engine/system/text/wrap-text.ts';
import { localTime } from './local-time.ts';
import type { TimelineReport } from './report.ts';

type Chain = TimelineReport['chains'][number];

const WIDTH = 80;
const INDENT = 13;
const WORDS: Readonly<Record<Chain['verdict'], string>> = {
  whole: 'whole',
  broken: 'BROKEN',
  unknown: 'cannot tell',
};

/** In a word. */
export function verdictText({ verdict }: Chain): string {
  return WORDS[verdict];
}

/** `keepalived-monitor of cp-1`. */
export function chainName({ program, node }: Chain): string {
  return node === null ? program : `${program} of ${printable(node)}`;
}

/** What `--verify` says: each journal, how far it goes, and where it is not what its writer left. In 80 columns. */
export function verdictLines(report: TimelineReport, utc: boolean): readonly string[] {
  const chains = report.chains.flatMap((chain) => [
    `${verdictText(chain).padEnd(INDENT)}${chainName(chain)}`,
    ...indented(rangeText(chain, utc)),
    ...chain.faults.flatMap(({ path, line, problem }) => indented(`line ${line} of ${path}: ${problem}`)),
    ...(chain.faultCount > chain.faults.length
      ? indented(`… and ${chain.faultCount - chain.faults.length} more`)
      : []),
    ...chain.unread.flatMap(({ path, problem }) => indented(`${path}: ${problem}`)),
  ]);
  const unread = report.unread.flatMap(({ path, problem }) => [
    `${WORDS.unknown.padEnd(INDENT)}${printable(path)}`,
    ...indented(problem),
  ]);
  return [...chains, ...unread];
}

function rangeText({ lines, first, last, directory }: Chain, utc: boolean): string {
  if (first === null || last === null) return `no lines, in ${directory}`;
  const shown = (at: string): string => {
    const { day, time } = localTime(at, utc);
    return `${day.slice(0, 10)} ${time.slice(0, 8)}`;
  };
  const span = `${shown(first.at)} to ${shown(last.at)}`;
  return `${lines} lines, ${first.seq} to ${last.seq}, ${span}, in ${directory}`;
}

function indented(text: string): readonly string[] {
  return wrapText(printable(text), WIDTH - INDENT).map((line) => `${' '.repeat(INDENT)}${line}`);
}
