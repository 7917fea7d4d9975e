import { createInterface } from 'node:readline/promises';
import { structuredWriter } from '../../cli/run-command.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { applySteps } from './apply-steps.ts';
import { askNode, askVips, chooseClusterName } from './ask.ts';
import { diff, restarts, type Step } from './diff.ts';
import { diskProblems, emptyDisk, look } from './disk.ts';
import type { Installable } from './effective-settings.ts';
import type { InstallSettings } from './install-settings.ts';
import { object } from './objections.ts';
import { editedDiff, planText, restartsText, stepForPrograms } from './plan-text.ts';
import { printedFiles, want, wantSettings } from './want.ts';

/**
 * Looks at the disk and asks the network once, and compares what is wanted with what is there; only the last step writes. Throws a
 * ConfigError that lists every reason against the install; in that case nothing was written.
 */
export async function install(asked: InstallSettings, known: Installable): Promise<number> {
  // For any node, so it ignores what this node has.
  if (asked.print)
    return say(printedFiles(want(asked, emptyDisk, known, wantSettings(asked, emptyDisk, known))));
  const disk = await look(asked.root, known.pods);
  const unreadable = diskProblems(disk);
  if (unreadable.length > 0) throw new ConfigError(unreadable);
  const settings = wantSettings(asked, disk, known);
  const vips = await askVips(settings, disk);
  const choice = await chooseClusterName(asked, settings, disk, vips);
  const named =
    choice.kind === 'learned' ? wantSettings({ ...asked, clusterName: choice.name }, disk, known) : settings;
  const wanted = want(asked, disk, known, named);
  const difference = diff(asked.root, disk, wanted, asked.overwrite);
  const objections = object(asked, disk, wanted, difference, { vips, ...(await askNode(wanted, disk)) });
  const problems = [...objections.problems, ...(choice.kind === 'refused' ? [choice.message] : [])];
  const { steps, edited } = difference;
  const { notices } = objections;
  const restarted = restarts(steps, known.pods);
  if (asked.json === undefined)
    process.stdout.write(
      [
        planText(steps),
        restartsText(restarted),
        ...edited.map(editedDiff),
        ...notices.map((notice) => `notice: ${notice}\n`),
      ].join(''),
    );
  const finish = await createFinish(asked, {
    steps: steps.map(stepForPrograms),
    restarts: restarted,
    notices,
    edited: edited.map((file) => ({ path: file.wanted.path, diff: editedDiff(file) })),
  });
  if (problems.length > 0) {
    finish('refused', '', { problems });
    throw new ConfigError(problems);
  }
  if (steps.length === 0) return finish('nothing-to-do', 'already up to date\n');
  if (asked.dryRun)
    return finish('dry-run', `dry run: nothing was written, ${steps.length} steps were left out\n`);
  if (!asked.yes && !(await isAgreed())) return say('nothing was written\n', 1);
  return await write(asked, steps, finish);
}

type Finish = (
  outcome: 'refused' | 'nothing-to-do' | 'dry-run' | 'done' | 'failed',
  text: string,
  more?: Readonly<Record<string, unknown>>,
) => number;

/** Prints the outcome, as `text` or as one document. Returns the exit code. */
async function createFinish(
  { json }: InstallSettings,
  findings: Readonly<Record<string, unknown>>,
): Promise<Finish> {
  const write = await structuredWriter(json);
  return (outcome, text, more = {}) => {
    process.stdout.write(json === undefined ? text : `${write({ outcome, ...findings, ...more })}\n`);
    return outcome === 'failed' ? 1 : 0;
  };
}

function say(text: string, exitCode = 0): number {
  process.stdout.write(text);
  return exitCode;
}

async function isAgreed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new ConfigError(['Cannot ask whether to go on: there is no terminal, expected --yes or --dry-run']);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Write this? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

async function write({ root }: InstallSettings, steps: readonly Step[], finish: Finish): Promise<number> {
  const outcome = await applySteps(root, steps);
  if (outcome.kind === 'done') return finish('done', `done: ${steps.length} steps\n`);
  process.stderr.write(`${outcome.message}\n`);
  for (const path of outcome.undone) process.stderr.write(`taken back: ${path}\n`);
  for (const each of outcome.left) process.stderr.write(`still as it was written: ${each}\n`);
  const { message, undone, left } = outcome;
  return finish('failed', '', { message, undone, left });
}
