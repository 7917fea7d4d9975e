import { durationText, printable } from '../../system/text/readable-text.ts';
import type { JournalEvents } from './journal-events.ts';

/** An entry of the journal or of the report. */
interface PhraseFacts {
  readonly event: string;
  readonly subject?: string | null | undefined;
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
  readonly reason?: string | null | undefined;
  readonly facts?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export type Phrase = (line: PhraseFacts) => string;

/** An entry as one sentence: event, subject, transition, reason and facts. Safe to print. An event that is not in `events` is printed by its name. */
export function phraser(events: JournalEvents): Phrase {
  return (line) => {
    const title = events[line.event]?.title ?? line.event.replaceAll('-', ' ').replace(/\bvip\b/, 'VIP');
    const facts = Object.entries(line.facts ?? {}).map(([name, value]) => factText(name, value));
    const what = [title, line.subject, moveText(line)].filter((part) => part);
    const why = line.reason ? `: ${line.reason}` : '';
    return printable(`${what.join(' ')}${why}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`);
  };
}

function moveText({ from, to }: PhraseFacts): string {
  if (!to) return from ? `from ${from}` : '';
  return from ? `${from} → ${to}` : `→ ${to}`;
}

function factText(name: string, value: string | number | boolean): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (typeof value === 'number' && words.endsWith(' ms'))
    return `${words.slice(0, -3)} ${durationText(value)}`;
  return `${words} ${value === '' ? 'none' : value}`;
}
