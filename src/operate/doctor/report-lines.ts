import { countText } from '../../engine/system/text/readable-text.ts';
import { wrapText } from '../../engine/system/text/wrap-text.ts';
import type { DoctorReport } from './report.ts';

type Shown = DoctorReport['checks'][number];
type Paint = (text: string, verdict: Shown['verdict']) => string;

const WIDTH = 80;
const INDENT = 13;
const WORDS: Readonly<Record<Shown['verdict'], string>> = {
  ok: 'ok',
  warn: 'warn',
  fail: 'fail',
  unknown: 'cannot tell',
  skip: 'skip',
};
const COLOURS: Readonly<Record<Shown['verdict'], number>> = {
  ok: 32,
  warn: 33,
  fail: 31,
  unknown: 35,
  skip: 90,
};

/** The whole report for a person, in 80 columns. Below each finding that is not ok stand its reason and what to type. */
export function reportLines(report: DoctorReport, options: { readonly colours: boolean }): readonly string[] {
  const paint: Paint = (text, verdict) =>
    options.colours ? `\u001b[${COLOURS[verdict]}m${text}\u001b[0m` : text;
  return [
    ...report.checks.flatMap((check) => checkLines(check, paint)),
    '',
    ...wrapText(summaryOf(report), WIDTH),
  ];
}

function checkLines(check: Shown, paint: Paint): readonly string[] {
  const word = paint(WORDS[check.verdict].padEnd(INDENT), check.verdict);
  const found = `${check.id}: ${check.found}`;
  const [first = '', ...more] = wrapText(found, WIDTH - INDENT);
  return [
    `${word}${first}`,
    ...more.map(indented),
    ...(check.todo === null ? [] : [...labelled('why', check.why), ...labelled('type', check.todo)]),
  ];
}

function labelled(label: string, text: string): readonly string[] {
  const lead = `${label}: `.padEnd(6);
  return wrapText(text, WIDTH - INDENT - lead.length).map((line, index) =>
    indented(`${index === 0 ? lead : ' '.repeat(lead.length)}${line}`),
  );
}

function indented(line: string): string {
  return `${' '.repeat(INDENT)}${line}`;
}

function summaryOf({ checks, tookMs }: DoctorReport): string {
  const of = (verdict: Shown['verdict']): readonly string[] =>
    checks.filter((check) => check.verdict === verdict).map(({ id }) => id);
  const [failed, warned, unsure, fine] = [of('fail'), of('warn'), of('unknown'), of('ok')];
  const named = (count: readonly string[], what: string): readonly string[] =>
    count.length === 0 ? [] : [`${count.length} ${what} (${count.join(', ')})`];
  const parts = [
    ...named(failed, 'failed'),
    ...named(warned, 'warned'),
    ...named(unsure, 'cannot tell'),
    `${fine.length} ok, ${of('skip').length} skipped`,
  ];
  return `${countText(checks.length, 'check')} in ${(tookMs / 1_000).toFixed(1)} s: ${parts.join('; ')}`;
}
