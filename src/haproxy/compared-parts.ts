import { closeSync, constants, openSync, readSync } from 'node:fs';
import { REFERENCE, REFERENCE_WORDS } from './runtime/changed-sections.ts';

/** The bytes of a file that one comparison reads: everything above the backends, and some of these. */
export interface ComparedPart {
  /** Whether it is the whole file. */
  readonly isWhole: boolean;
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

/** A configuration up to this size is compared at once, a larger one in parts, so that a supervisor's memory stays small. */
const MOST_AT_ONCE = 2 * 1024 * 1024;
const PART_BYTES = 512 * 1024;
const BACKEND = '\nbackend ';

/** The parts of a configuration; none where it is large and its backends cannot be understood one by one. */
export function comparedParts(bytes: Buffer): readonly ComparedPart[] {
  if (bytes.length <= MOST_AT_ONCE) return [{ isWhole: true, ranges: [[0, bytes.length]] }];
  const first = bytes.indexOf(BACKEND);
  if (!isDividable(bytes, first)) return [];
  const parts: ComparedPart[] = [];
  for (let start = first; start < bytes.length; ) {
    const next = bytes.indexOf(BACKEND, start + PART_BYTES);
    const end = next === -1 ? bytes.length : next;
    const ranges = [[0, first] as const, [start, end] as const];
    parts.push({ isWhole: false, ranges });
    start = end;
  }
  return parts;
}

/**
 * The caller finds out what else is on disk now: the file may have been replaced since its parts were found. Undefined if it cannot be read any
 * longer.
 */
export function readPart(path: string, part: ComparedPart): string | undefined {
  try {
    return readRanges(path, part);
  } catch {
    return undefined;
  }
}

function readRanges(path: string, { ranges }: ComparedPart): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const texts = ranges.map(([start, end]) => {
      const buffer = Buffer.alloc(end - start);
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, start));
    });
    return texts.join('');
  } finally {
    closeSync(file);
  }
}

function isDividable(bytes: Buffer, first: number): boolean {
  if (first === -1 || bytes.includes('\ndefaults', first)) return false;
  return !REFERENCE_WORDS.some((word) => bytes.includes(word)) || !REFERENCE.test(bytes.toString('latin1'));
}
