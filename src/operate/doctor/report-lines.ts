import * as z from 'zod/mini';
import { countText, printable } from '../../engine/system/text/readable-text.ts';
import { wrapText } from '../../engine/system/text/wrap-text.ts';
import type { CheckedFinding } from './examine.ts';

/** The output of `hawser doctor --json`; published as `schemas/doctor.schema.json`. */
export const doctorReportSchema = z.object({
  v: z.literal(1),
  /** `degraded` if a check failed, else `unknown` if a check could not be made. Warnings have no effect. */
  verdict: z.enum(['healthy', 'degraded', 'unknown']),
  tookMs: z.number().check(z.nonnegative()),
  checks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      /** `skip`: the check does not apply here. `unknown`: the check could not be made. */
      verdict: z.enum(['ok', 'warn', 'fail', 'unknown', 'skip']),
      message: z.string(),
      why: z.string(),
      /** What to run or to change; null if there is nothing to do. */
      remedy: z.nullable(z.string()),
    }),
  ),
});

export type DoctorReport = z.infer<typeof doctorReportSchema>;

export function reportOf(results: readonly CheckedFinding[], tookMs: number): DoctorReport {
  const shown = results.map(({ check: { id, title, why }, finding }) => ({
    id,
    title,
    verdict: finding.kind,
    message: finding.message,
    why,
    remedy: 'remedy' in finding ? finding.remedy : null,
  }));
  return { v: 1, verdict: verdictOf(results), tookMs: Math.round(tookMs), checks: shown };
}

function verdictOf(results: readonly CheckedFinding[]): DoctorReport['verdict'] {
  if (results.some(({ finding }) => finding.kind === 'fail')) return 'degraded';
  return results.some(({ finding }) => finding.kind === 'unknown') ? 'unknown' : 'healthy';
}

type Shown = DoctorReport['checks'][number];
type Paint = (text: string, verdict: Shown['verdict']) => string;

const WIDTH = 80;
const INDENT = 13;
const VERDICTS: Readonly<Record<Shown['verdict'], readonly [word: string, colour: number]>> = {
  ok: ['ok', 32],
  warn: ['warn', 33],
  fail: ['fail', 31],
  unknown: ['cannot tell', 35],
  skip: ['skip', 90],
};

/** The report as text, 80 columns wide. Each finding that is not ok is followed by why it matters and what to run. */
export function reportLines(report: DoctorReport, options: { readonly colours: boolean }): readonly string[] {
  const paint: Paint = (text, verdict) =>
    options.colours ? `\u001b[${VERDICTS[verdict][1]}m${text}\u001b[0m` : text;
  return [
    ...report.checks.flatMap((check) => checkLines(check, paint)),
    '',
    ...wrapText(summaryOf(report), WIDTH),
  ];
}

function checkLines(check: Shown, paint: Paint): readonly string[] {
  const word = paint(VERDICTS[check.verdict][0].padEnd(INDENT), check.verdict);
  const [first = '', ...more] = wrapText(printable(`${check.id}: ${check.message}`), WIDTH - INDENT);
  return [
    `${word}${first}`,
    ...more.map(indented),
    ...(check.remedy === null ? [] : [...labelled('why', check.why), ...labelled('run', check.remedy)]),
  ];
}

function labelled(label: string, text: string): readonly string[] {
  const lead = `${label}: `.padEnd(6);
  return wrapText(printable(text), WIDTH - INDENT - lead.length).map((line, index) =>
    indented(`${index === 0 ? lead : ' '.repeat(lead.length)}${line}`),
  );
}

function indented(line: string): string {
  return `${' '.repeat(INDENT)}${line}`;
}

function summaryOf({ checks, tookMs }: DoctorReport): string {
  const of = (verdict: Shown['verdict']): readonly string[] =>
    checks.filter((check) => check.verdict === verdict).map(({ id }) => id);
  const named = (ids: readonly string[], what: string): readonly string[] =>
    ids.length === 0 ? [] : [`${ids.length} ${what} (${ids.join(', ')})`];
  const parts = [
    ...named(of('fail'), 'failed'),
    ...named(of('warn'), 'warned'),
    ...named(of('unknown'), 'cannot tell'),
    `${of('ok').length} ok, ${of('skip').length} skipped`,
  ];
  return `${countText(checks.length, 'check')} in ${(tookMs / 1_000).toFixed(1)} s: ${parts.join('; ')}`;
}
