import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { allJournals } from '../../src/commands/journal-words.ts';
import { journalEntryOf } from '../../src/engine/observe/journal/journal-events.ts';
import { type JournalLimits, openJournalWriter } from '../../src/engine/observe/journal/journal-writer.ts';
import type { LogEvent } from '../../src/engine/system/log.ts';

const limits: JournalLimits = { fileBytes: 2_000, files: 8 };

/** The limits of the programs themselves. */
const fullLimits: JournalLimits = { fileBytes: 512 * 1_024, files: 8 };

/** A directory with journals of the real writer, removed at the end of the test. */
export interface JournalDirectory {
  readonly path: string;
  /** Logs events as a program of that name, and closes the journal. */
  readonly tell: (program: string, events: readonly LogEvent[], node?: string) => void;
  /** Fills each journal as far as rotation allows: 16 MB for four programs. */
  readonly fill: (programs: readonly string[]) => void;
  /** Its files in order. */
  readonly files: (program: string) => readonly string[];
  /** Changes the lines of its first file behind the writer's back. */
  readonly tamper: (program: string, change: (lines: readonly string[]) => readonly string[]) => void;
}

export function journalDirectory(): JournalDirectory {
  const path = mkdtempSync(join(tmpdir(), 'hawser-timeline-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const files = (program: string): readonly string[] =>
    readdirSync(path)
      .filter((name) => name.startsWith(`${program}.`))
      .sort()
      .map((name) => join(path, name));
  return {
    path,
    files,
    tell: (program, events, node = 'cp-1') => {
      const writer = openJournalWriter(path, { program, node }, limits);
      for (const event of events) {
        const entry = journalEntryOf(allJournals.events, event);
        if (entry === undefined) throw new Error(`the journal does not keep "${event.event}"`);
        writer.append(entry);
      }
      writer.close();
    },
    fill: (programs) => {
      for (const program of programs) {
        const writer = openJournalWriter(path, { program, node: 'cp-1' }, fullLimits);
        const entries = moves(12_000).flatMap((event) => journalEntryOf(allJournals.events, event) ?? []);
        for (const entry of entries) writer.append(entry);
        writer.close();
      }
    },
    tamper: (program, change) => {
      const [first = ''] = files(program);
      const lines = readFileSync(first, 'utf8').split('\n').slice(0, -1);
      writeFileSync(
        first,
        change(lines)
          .map((line) => `${line}\n`)
          .join(''),
      );
    },
  };
}

/** A VIP that moves this many times. */
export function moves(count: number): readonly LogEvent[] {
  return Array.from({ length: count }, (_, n) => ({
    event: 'vrrp-transition',
    instance: `API${n}`,
    from: 'BACKUP',
    to: 'MASTER',
    priority: 250,
    reason: 'no advert from a node with a higher priority',
  }));
}
