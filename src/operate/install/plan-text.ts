import type { Plan, Step } from './plan.ts';
import { unifiedDiff } from './unified-diff.ts';

type Write = Extract<Step, { kind: 'write' }>;

/**
 * For people: one line for every step, then what is different in the files that change. What a new file holds is not
 * shown: `--print` does that.
 */
export function planText({ steps }: Plan): string {
  const changes = steps.flatMap((step) => (step.kind === 'write' && step.before !== undefined ? [step] : []));
  return [...steps.map(lineOf), ...changes.map(diffOf)].join('');
}

/** The same for programs. Modes are octal text, as a person would type them. */
export function planSteps({ steps }: Plan): readonly Readonly<Record<string, unknown>>[] {
  return steps.map(stepForPrograms);
}

function stepForPrograms(step: Step): Readonly<Record<string, unknown>> {
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

function diffOf({ file, before }: Write): string {
  return unifiedDiff(file.path, before?.content.toString('utf8'), file.content);
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
