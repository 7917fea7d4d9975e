import { durationText, printable } from '../../engine/system/text/readable-text.ts';
import { wrapText } from '../../engine/system/text/wrap-text.ts';
import type { PlannedProduct } from './planned-product.ts';
import type { PlanReport } from './report.ts';

const WIDTH = 80;
const INDENT = 14;

/** A plan for a person: what would be different, and then, in 80 columns, what it costs. */
export function planLines(
  report: PlanReport,
  products: readonly PlannedProduct[],
  options: { readonly colours: boolean },
): readonly string[] {
  const labels = new Map(products.flatMap(({ effectLabels }) => Object.entries(effectLabels)));
  const paint = (text: string, code: number): string =>
    options.colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  const diffs = [...report.files, ...report.manifests].flatMap(({ diff }) => diffLines(diff, paint));
  const rows = [
    ...report.files.flatMap(fileRows),
    ...report.manifests.flatMap(({ path }) => row('manifest', `${path} would be written anew`)),
    ...report.restarts.flatMap((restart) => row('restart', restartText(restart))),
    ...report.cost.effects.flatMap(({ kind, says }) => row(labels.get(kind) ?? kind, says)),
    ...(report.cost.level === 'nothing' ? [] : row('sessions', sessionsText(report.cost.sessions))),
    ...report.notes.flatMap((note) => row('note', note)),
    ...report.unknowns.flatMap((unknown) => row('cannot tell', unknown)),
  ];
  const summary = wrapText(summaryOf(report), WIDTH).map((line) => paint(line, COLOURS[report.verdict]));
  return [...diffs, ...(diffs.length > 0 ? [''] : []), ...rows, ...(rows.length > 0 ? [''] : []), ...summary];
}

const COLOURS: Readonly<Record<PlanReport['verdict'], number>> = {
  nothing: 32,
  changes: 33,
  refused: 31,
  unknown: 35,
};

function diffLines(diff: string, paint: (text: string, code: number) => string): readonly string[] {
  const lines = diff === '' ? [] : diff.replace(/\n$/, '').split('\n');
  return lines.map((line) => {
    const text = line.replaceAll(/[^\t\P{Cc}]/gu, '·');
    if (/^(?:---|\+\+\+|@@)/.test(text)) return paint(text, 1);
    return text.startsWith('+') ? paint(text, 32) : text.startsWith('-') ? paint(text, 31) : text;
  });
}

/** A label, and behind it text that goes on below itself. */
function row(label: string, text: string): readonly string[] {
  return wrapText(printable(text), WIDTH - INDENT).map(
    (line, index) => `${(index === 0 ? label : '').padEnd(INDENT)}${line}`,
  );
}

function fileRows({ program, path, state, problem }: PlanReport['files'][number]): readonly string[] {
  const text: Readonly<Record<typeof state, string>> = {
    same: `${path}: no change`,
    differs: `${path} would change; it was given to ${program}, which takes it`,
    'not-served': `${path} is as it should be, and ${program} runs on another one`,
    refused: `${path} would stay as it is`,
    unknown: `${path}: cannot tell`,
  };
  const words = (problem ?? '').split('\n').flatMap((line) => (line.trim() === '' ? [] : row('', line)));
  return [...row(program, text[state]), ...words];
}

function restartText({ container, because, keys }: PlanReport['restarts'][number]): string {
  switch (because) {
    case 'settings':
      return `container ${container}, for ${keys.join(', ')}`;
    case 'older-than-settings':
      return `container ${container}: the settings file was written after it had read it`;
    case 'manifest':
      return `container ${container}: the kubelet replaces its pod`;
  }
}

function sessionsText({ now, fate, withinMs }: PlanReport['cost']['sessions']): string {
  const count =
    now === null
      ? 'an unknown number of connections'
      : `${now} ${now === 1 ? 'connection' : 'connections'} now`;
  switch (fate) {
    case 'kept':
      return `${count}, which stay`;
    case 'drained':
      return `${count}; what is left of them is ended after ${durationText(withinMs ?? 0)}`;
    case 'cut':
      return `${count}; those through the VIP break off`;
  }
}

function summaryOf({ instance, ...report }: PlanReport): string {
  return `${instance === undefined ? '' : `instance ${instance}: `}${verdictText(report)}`;
}

function verdictText({ verdict, cost }: Pick<PlanReport, 'verdict' | 'cost'>): string {
  switch (verdict) {
    case 'nothing':
      return 'nothing would change';
    case 'changes':
      return `cost: ${cost.level}`;
    case 'refused':
      return 'refused: not all of it would be applied';
    case 'unknown':
      return cost.level === 'nothing'
        ? 'cannot tell'
        : `cannot tell all of it; cost of the rest: ${cost.level}`;
  }
}
