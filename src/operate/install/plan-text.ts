import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import type { EditedFile, ForeignConfiguration, Restart, Step } from './diff.ts';
import { layout } from './layout.ts';

type Write = Extract<Step, { kind: 'write' }>;

/**
 * For people: one line for every step, then what is different in the files that change. What a new file holds is not
 * shown: `--print` does that.
 */
export function planText(steps: readonly Step[]): string {
  const changes = steps.flatMap((step) => (step.kind === 'write' && step.before !== undefined ? [step] : []));
  return [...steps.map(lineOf), ...changes.map(diffOf)].join('');
}

/** The same for programs. Modes are octal text, as a person would type them. */
export function planSteps(steps: readonly Step[]): readonly Readonly<Record<string, unknown>>[] {
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

export function restartsText(restarts: readonly Restart[]): string {
  return restarts
    .map(({ manifest, containers }) => `restarts ${containers.join(' and ')}: ${manifest} changes\n`)
    .join('');
}

export function foreignNotice({ path, aside, service }: ForeignConfiguration): string {
  const kept = `${path} is not hawser's: it is kept as ${aside}, and hawser uninstall puts it back`;
  return service === undefined ? kept : `${kept}; ${service} reads it: systemctl disable --now ${service}`;
}

/** What --overwrite would change in a file that stays as it is. */
export function editedDiff({ path, content, wanted }: EditedFile): string {
  return unifiedDiff(path, content, wanted.content);
}

/**
 * An edited template still works, and so does a manifest that hawser would write unchanged. Any other edited manifest
 * must be replaced: otherwise the pod would not get its new image or settings.
 */
export function editedWords(edited: readonly EditedFile[]): {
  readonly notices: readonly string[];
  readonly problems: readonly string[];
} {
  const isStuck = ({ path, isOutdated }: EditedFile) => isOutdated && path.startsWith(`${layout.manifests}/`);
  return {
    notices: edited
      .filter((file) => !isStuck(file))
      .map(({ path }) => `${path} was edited and stays as it is; --overwrite replaces it and keeps a copy`),
    problems: edited
      .filter(isStuck)
      .map(
        ({ path }) =>
          `Cannot change "${path}": it was edited since hawser wrote it; put the edits into --patches DIR and type --overwrite, which keeps a copy`,
      ),
  };
}

/** The output of `diff -u`; empty if nothing differs. `undefined` is a missing file. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return '';
  const [from, to] = [before, after].map((text) => (text === undefined ? '/dev/null' : path));
  const patch = structuredPatch(from ?? path, to ?? path, ended(before), ended(after), undefined, undefined, {
    context: 3,
  });
  return formatPatch(patch, FILE_HEADERS_ONLY);
}

/** A missing newline at the end is no difference. */
function ended(text = ''): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
