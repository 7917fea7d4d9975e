import { parseDurationMs, parsedBy } from './fields.ts';

const DAY_MS = 86_400_000;
/** With a zone, or in this machine's local time. */
const TIME = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
/** Last date with a four-digit year in ISO 8601. Only these sort as text. */
const LAST_MS = Date.UTC(9999, 11, 31);

/**
 * Parses `24h` or `7d` before now, or `2026-11-21T03:12:00+01:00`, `2026-11-21 03:12` or `2026-11-21` in local time, into ISO 8601 in UTC. Undefined
 * for anything else.
 */
export function parseMoment(text: string, now: Date): string | undefined {
  const days = /^(\d{1,6})d$/.exec(text)?.[1];
  const ago = days === undefined ? parseDurationMs(text) : Number(days) * DAY_MS;
  // JavaScript parses a date without a time as UTC, and one with a time as local time.
  const whole = text.length === 10 ? `${text}T00:00` : text;
  const read = TIME.test(text) ? Date.parse(whole) : Number.NaN;
  const ms = ago === undefined ? read : now.getTime() - ago;
  return ms >= 0 && ms <= LAST_MS ? new Date(ms).toISOString() : undefined;
}

export const momentForms = 'a time ago such as 90m, 24h or 7d, or a time such as 2026-11-21T03:12:00Z';

/** A point in time on the command line. The current time is read while parsing. */
export const moment = parsedBy((text) => parseMoment(text.trim(), new Date()), `expected ${momentForms}`);
