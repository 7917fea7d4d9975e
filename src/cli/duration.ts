import { fileForms, parsedBy } from './make-field.ts';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** Node's timers hold 31 bits of milliseconds. */
export const LONGEST_MS = 2 ** 31 - 1;

/** `55s`, `500ms`, `2m`, `1h` in milliseconds; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? [];
  const factor = unit === undefined ? undefined : UNITS_MS[unit];
  if (amount === undefined || factor === undefined) return undefined;
  const value = Number(amount) * factor;
  return value <= LONGEST_MS ? value : undefined;
}

/** A duration, or `never`: the maximum of a timer, 24 days. */
export const durationOrNeverMs = parsedBy(
  (text) => (text.trim() === 'never' ? LONGEST_MS : parseDurationMs(text)),
  'expected a number with a unit, such as 500ms, 55s or 2m, or never',
);
durationOrNeverMs.register(fileForms, { type: 'string', pattern: '^(\\d+(\\.\\d+)?(ms|s|m|h)|never)$' });

/** A duration on the command line, in milliseconds. */
export const durationMs = parsedBy(
  parseDurationMs,
  'expected a number with a unit, such as 500ms, 55s or 2m',
);
durationMs.register(fileForms, { type: 'string', pattern: '^\\d+(\\.\\d+)?(ms|s|m|h)$' });
