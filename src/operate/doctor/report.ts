import * as z from 'zod/mini';
import type { CheckedFinding } from './run-checks.ts';

/** What `hawser doctor --json` prints; published as `schemas/doctor.schema.json`. */
export const doctorReportSchema = z.object({
  v: z.literal(1),
  /** `degraded` if a check failed; else `unknown` if one could not look. Warnings do not count. */
  verdict: z.enum(['healthy', 'degraded', 'unknown']),
  tookMs: z.number().check(z.nonnegative()),
  checks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      /** `skip` where there is nothing to look at, `unknown` where it could not look. */
      verdict: z.enum(['ok', 'warn', 'fail', 'unknown', 'skip']),
      found: z.string(),
      why: z.string(),
      /** What to type or to change; null if there is nothing to do. */
      todo: z.nullable(z.string()),
    }),
  ),
});

export type DoctorReport = z.infer<typeof doctorReportSchema>;

export function reportOf(results: readonly CheckedFinding[], tookMs: number): DoctorReport {
  const shown = results.map(({ check: { id, title, why }, finding }) => ({
    id,
    title,
    verdict: finding.kind,
    found: finding.found,
    why,
    todo: 'todo' in finding ? finding.todo : null,
  }));
  return { v: 1, verdict: verdictOf(results), tookMs: Math.round(tookMs), checks: shown };
}

function verdictOf(results: readonly CheckedFinding[]): DoctorReport['verdict'] {
  if (results.some(({ finding }) => finding.kind === 'fail')) return 'degraded';
  return results.some(({ finding }) => finding.kind === 'unknown') ? 'unknown' : 'healthy';
}

const EXIT_CODES: Readonly<Record<DoctorReport['verdict'], number>> = { healthy: 0, degraded: 1, unknown: 2 };

export function exitCodeOf({ verdict }: DoctorReport): number {
  return EXIT_CODES[verdict];
}
