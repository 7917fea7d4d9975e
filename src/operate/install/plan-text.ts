import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import type { EditedFile, Restart, Step } from './diff.ts';

type Write = Extract<Step, { kind: 'write' }>;

/**
 * Returns the plan as text: one line for each step, then the diffs of the files that change. The content of new files is not
 * included; `--print` shows it.
 */
export function planText(steps: readonly Step[]): string {
  return [...steps.map(lineOf), ...steps.map(diffOf)].join('');
}

/** Returns the step as data for `--json`. Modes are octal text such as `0755`. */
export function stepData(step: Step): Readonly<Record<string, unknown>> {
  switch (step.kind) {
    case 'make-directory':
    case 'move':
      return step;
    case 'change-group':
      return { kind: step.kind, path: step.path, group: step.group };
    case 'change-mode':
      return { kind: step.kind, path: step.path, mode: octal(step.mode) };
    case 'write': {
      const { path, mode } = step.file;
      const change = step.before === undefined ? { isNew: true } : { isNew: false, diff: diffOf(step) };
      return { kind: step.kind, path, mode: octal(mode), ...change };
    }
  }
}

function lineOf(step: Step): string {
  switch (step.kind) {
    case 'make-directory':
      return `+ folder ${step.path} (0755)\n`;
    case 'change-group':
      return `~ group of ${step.path}: ${step.before} -> ${step.group}\n`;
    case 'change-mode':
      return `~ mode of ${step.path}: ${octal(step.before)} -> ${octal(step.mode)}\n`;
    case 'move':
      return `~ ${step.path} -> ${step.to}\n`;
    case 'write':
      return `${step.before === undefined ? '+' : '~'} ${step.file.path} (${modeText(step)})\n`;
  }
}

function modeText({ file, before }: Write): string {
  return before === undefined || before.mode === file.mode
    ? octal(file.mode)
    : `${octal(before.mode)} -> ${octal(file.mode)}`;
}

/** The diff of the file's content; empty for a new file and for other steps. */
function diffOf(step: Step): string {
  if (step.kind !== 'write' || step.before === undefined) return '';
  return unifiedDiff(step.file.path, step.before.content.toString('utf8'), step.file.content);
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

export function restartsText(restarts: readonly Restart[]): string {
  return restarts
    .map(({ manifest, containers }) => `restarts ${containers.join(' and ')}: ${manifest} changes\n`)
    .join('');
}

/** The diff of what `--overwrite` would change in an edited file. */
export function editedDiff({ content, desired }: EditedFile): string {
  return unifiedDiff(desired.path, content, desired.content);
}

/** The output of `diff -u`; empty if nothing differs. */
export function unifiedDiff(path: string, before: string, after: string): string {
  if (before === after) return '';
  const context = { context: 3 };
  const patch = structuredPatch(path, path, ended(before), ended(after), undefined, undefined, context);
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

/** Adds a newline at the end if it is missing, so that it does not count as a difference. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
