import type { JournalLine } from '../../src/engine/observe/journal/journal-line.ts';
import { type JournalFault, journalsIn, scanJournal } from '../../src/engine/observe/journal/read-journal.ts';

/** What one program wrote on one node. */
interface Journal {
  readonly program: string;
  readonly lines: readonly JournalLine[];
  readonly faults: readonly JournalFault[];
}

/** Every program's journal in a directory. Throws if the directory or a file cannot be read. */
export function readJournals(directory: string): readonly Journal[] {
  return [...journalsIn(directory)].map(([program, files]) => {
    const lines: JournalLine[] = [];
    const faults: JournalFault[] = [];
    for (const item of scanJournal(files)) {
      if (item.kind === 'line') lines.push(item.line);
      else if (item.kind === 'fault') faults.push(item.fault);
      else throw new Error(`Cannot read journal "${item.path}": ${item.problem}`);
    }
    return { program, lines, faults };
  });
}
