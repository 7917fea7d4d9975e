import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { codeOf } from '../../system/errors.ts';
import { type JournalFile, journalFilesAmong, OPEN_JOURNAL, STAMP_LAG_MS } from './journal-files.ts';
import { parseJournalLine } from './journal-line.ts';

/** The journals of four programs, as large as rotation lets them be, and a little. */
export const mostJournalBytes = 20_000_000;
/** As for a reader on this node. */
const MAX_FILE_BYTES = 8 * 1_024 * 1_024;
const NEWLINE = 0x0a;

/**
 * The journals of a directory for another node: a line of JSON for each file, `{"file":"…","bytes":N}`, and then its N
 * bytes as they are. `range` is ISO 8601, UTC. Whole files are left
 * out that were last written to before it or begin after it, and the oldest where there is too much: to a reader it
 * looks as if rotation had removed them. One file is in memory at a time. Throws where the directory cannot be read.
 */
export async function* journalParts(
  directory: string,
  range: { readonly since: string; readonly until: string },
  mostBytes = mostJournalBytes,
): AsyncGenerator<Buffer> {
  const files = journalFilesAmong(directory, await readdir(directory));
  for (const file of await chosen(files, range.since, mostBytes)) {
    const bytes = await readSettled(file.path);
    if (bytes === undefined || firstTime(bytes) > range.until) continue;
    yield Buffer.from(`${JSON.stringify({ file: basename(file.path), bytes: bytes.length })}\n`);
    yield bytes;
  }
}

/** In their order. */
async function chosen(
  files: readonly JournalFile[],
  since: string,
  mostBytes: number,
): Promise<readonly JournalFile[]> {
  const looks = await Promise.all(files.map(async (file) => ({ file, ...(await lookAt(file.path)) })));
  let left = mostBytes;
  const wanted = looks
    .filter(({ writtenAt }) => writtenAt !== undefined && writtenAt >= since)
    .toSorted((a, b) => ((a.writtenAt ?? '') < (b.writtenAt ?? '') ? 1 : -1))
    .filter(({ size }) => {
      left -= size;
      return left >= 0;
    });
  const kept = new Set(wanted.map(({ file }) => file));
  return files.filter((file) => kept.has(file));
}

async function lookAt(path: string): Promise<{ readonly size: number; readonly writtenAt?: string }> {
  const status = await lstat(path).catch(() => undefined);
  const isOurs = status?.isFile() === true && status.size <= MAX_FILE_BYTES;
  if (!isOurs) return { size: 0 };
  return { size: status.size, writtenAt: new Date(status.mtimeMs + STAMP_LAG_MS).toISOString() };
}

/** A line that is being written at this moment is whole at the next look. Undefined where rotation has removed it. */
async function readSettled(path: string): Promise<Buffer | undefined> {
  try {
    for (let seen = -1; ; ) {
      const bytes = await readFile(path, { flag: OPEN_JOURNAL });
      if (bytes.at(-1) === NEWLINE || bytes.length === seen) return bytes;
      seen = bytes.length;
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Empty, and so before everything, if its first line is not a journal line. */
function firstTime(bytes: Buffer): string {
  const end = bytes.indexOf(NEWLINE);
  return (end < 0 ? undefined : parseJournalLine(bytes.toString('utf8', 0, end))?.at) ?? '';
}
