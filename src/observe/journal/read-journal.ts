import { readFileSync } from 'node:fs';
import { codeOf } from '../../model/errors.ts';
import { type JournalFile, listJournalFiles } from './journal-files.ts';
import { hashOfLine, type JournalLine, noLineBefore, parseJournalLine } from './journal-line.ts';

/** Something that an honest journal does not have. */
export interface JournalFault {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly problem: string;
}

/** What one program wrote on one node. */
export interface JournalChain {
  readonly program: string;
  readonly lines: readonly JournalLine[];
  readonly faults: readonly JournalFault[];
}

/** A line in its place, whatever it says. */
interface Placed {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/**
 * Every program's journal in a directory, each line checked against the one before. The files of a journal that
 * something else has changed are read as far as they can be. A chain says nothing about lines that are missing at its
 * end, or that rotation has removed from its beginning. Throws where the directory or a file cannot be read.
 */
export function readJournals(directory: string): readonly JournalChain[] {
  const files = listJournalFiles(directory);
  const programs = [...new Set(files.map(({ program }) => program))];
  return programs.map((program) =>
    readChain(
      program,
      files.filter((file) => file.program === program),
    ),
  );
}

/** The lines of many journals, also of several nodes, in the order of their clocks; each journal keeps its own order. */
export function mergeJournals(chains: readonly JournalChain[]): readonly JournalLine[] {
  // A clock that was set back must not tear a chain apart: within one, nothing is earlier than what came before it.
  const placed = chains.flatMap(({ lines }, chain) => {
    let latest = '';
    return lines.map((line) => {
      latest = line.at > latest ? line.at : latest;
      return { line, chain, at: latest };
    });
  });
  return placed
    .sort((a, b) => compare(a.at, b.at) || a.chain - b.chain || a.line.seq - b.line.seq)
    .map(({ line }) => line);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function readChain(program: string, files: readonly JournalFile[]): JournalChain {
  const lines: JournalLine[] = [];
  const faults: JournalFault[] = [];
  const blame = ({ path, line }: Placed, problem: string): void => void faults.push({ path, line, problem });
  let before: Placed | undefined;
  let wasLine = true;
  let due: number | undefined;
  for (const placed of files.flatMap(linesOf)) {
    const parsed = parseJournalLine(placed.text);
    if (parsed === undefined) blame(placed, 'it is no line of a journal');
    else {
      lines.push(parsed);
      const { seq, prev } = parsed;
      if (due !== undefined && seq !== due) blame(placed, `its number is ${seq}, expected ${due}`);
      else if (before === undefined && seq === 1 && prev !== noLineBefore)
        blame(placed, 'it is the first one and names a line before it');
      else if (before !== undefined && wasLine && prev !== hashOfLine(before.text))
        blame(before, 'it is not what it was when the next line was written');
    }
    due = parsed === undefined ? due && due + 1 : parsed.seq + 1;
    before = placed;
    wasLine = parsed !== undefined;
  }
  return { program, lines, faults };
}

/** Rotation may have removed the oldest file since it was listed. */
function linesOf({ path }: JournalFile): readonly Placed[] {
  const texts = readIfThere(path).split('\n');
  if (texts.at(-1) === '') texts.pop();
  return texts.map((text, index) => ({ path, line: index + 1, text }));
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
