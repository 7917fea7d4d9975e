import type { Entry } from './record/history.ts';
import type { Verdict, Violation } from './validate/verdict.ts';

/** What fails a run. A violation on a starved machine is printed and proves nothing. */
export function provenViolations(verdicts: readonly Verdict[]): readonly Violation[] {
  return verdicts.flatMap(({ violations }) => violations.filter(({ starved }) => !starved));
}

/**
 * Whether any fault was to be brought about, or those of this episode: a group that never came to rest shows nothing, and a starved machine
 * excuses its violation.
 */
export function hasEpisode(entries: readonly Entry[], number?: number): boolean {
  return entries.some((entry) => entry.kind === 'episode' && entry.number === (number ?? entry.number));
}

export function formatVerdicts(verdicts: readonly Verdict[], startMs: number): string {
  return verdicts.map((verdict) => formatVerdict(verdict, startMs)).join('\n');
}

/** The faults that were planned and could not be brought about, with the first reason of each kind: what they cause was not tested. */
export function formatMissed(entries: readonly Entry[]): string {
  const missed = entries.flatMap((entry) =>
    entry.kind === 'fault' && entry.phase === 'missed' ? [entry] : [],
  );
  const kinds = Map.groupBy(missed, ({ name, variant }) => `${name} ${variant}`);
  return [...kinds]
    .map(
      ([kind, [first, ...more]]) =>
        `not brought about: ${1 + more.length} × ${kind}: ${first?.problem ?? ''}`,
    )
    .join('\n');
}

function formatVerdict({ name, claim, judged, violations, notes }: Verdict, startMs: number): string {
  const proven = violations.filter(({ starved }) => !starved).length;
  const unsure = violations.length - proven;
  const count = [`${proven} violations`, ...(unsure === 0 ? [] : [`${unsure} on a starved machine`])].join(
    ', ',
  );
  return [
    `${name.padEnd(3)} ${claim}: ${count} (${judged} looked at)`,
    ...notes.map((note) => `      ${note}`),
    ...violations.map((violation) => formatViolation(violation, startMs)),
  ].join('\n');
}

function formatViolation({ atMs, what, proof, starved }: Violation, startMs: number): string {
  const at = ((atMs - startMs) / 1_000).toFixed(2);
  return [`  ${starved ? '?' : '✗'} ${at} s: ${what}`, ...proof.map((line) => `      ${line}`)].join('\n');
}
