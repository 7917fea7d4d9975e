import type { Entry } from './record/history.ts';
import type { Verdict, Violation } from './validate/verdict.ts';

/** The violations that fail a run. A violation on a starved machine is printed but proves nothing. */
export function provenViolations(verdicts: readonly Verdict[]): readonly Violation[] {
  return verdicts.flatMap(({ violations }) => violations.filter(({ starved }) => !starved));
}

/**
 * Whether the history has this episode, or any episode. If the group never came to rest, nothing was tested, yet the violation for that may
 * be excused by a starved machine.
 */
export function hasEpisode(entries: readonly Entry[], number?: number): boolean {
  return entries.some((entry) => entry.kind === 'episode' && entry.number === (number ?? entry.number));
}

export function formatVerdicts(verdicts: readonly Verdict[], startMs: number): string {
  return verdicts.map((verdict) => formatVerdict(verdict, startMs)).join('\n');
}

/** Planned faults that could not be injected, with the first reason for each kind. Their effects were not tested. */
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
