import type { Writable } from 'node:stream';
import * as z from 'zod/mini';

const RECENT_LINES = 30;

/** The programs' output: all of it goes to a file, the latest lines into error messages, and selected events to the screen. */
export interface Journal {
  readonly take: (line: string) => void;
  /** How often an event has been logged so far. */
  readonly count: (event: string) => number;
  /** Rethrows with the programs' latest output. */
  readonly explain: (error: unknown) => never;
}

const logLine = z.looseObject({ event: z.string(), message: z.optional(z.string()) });

/** The wording of log events to show: those visible neither in HAProxy's state nor in the supervisor's status. */
export type Telling = Readonly<Record<string, string>>;

export function startJournal(file: Writable, telling: Telling, onEvent: (text: string) => void): Journal {
  // The folder may be removed before the last line arrives.
  file.on('error', () => undefined);
  let recent: readonly string[] = [];
  const counts = new Map<string, number>();
  return {
    count: (event) => counts.get(event) ?? 0,
    take: (line) => {
      recent = [...recent.slice(1 - RECENT_LINES), line];
      file.write(`${line}\n`);
      const event = eventOf(line) ?? '';
      counts.set(event, (counts.get(event) ?? 0) + 1);
      const text = telling[event];
      if (text !== undefined) onEvent(text);
    },
    explain: (error) => {
      throw new Error(`${error instanceof Error ? error.message : error}\n${recent.join('\n')}`, {
        cause: error,
      });
    },
  };
}

/** Undefined for HAProxy's own lines, which are not JSON. */
function eventOf(line: string): string | undefined {
  try {
    return logLine.parse(JSON.parse(line)).event;
  } catch {
    return undefined;
  }
}
