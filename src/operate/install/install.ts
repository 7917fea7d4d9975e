import { createInterface } from 'node:readline/promises';
import { structuredWriter } from '../../cli/run-command.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { applySteps } from './apply-steps.ts';
import { desiredInstall, desiredSettings, printedFiles } from './desired.ts';
import { diff, restarts, type Step } from './diff.ts';
import { diskProblems, emptyDisk, readDisk } from './disk.ts';
import type { Installable } from './effective-settings.ts';
import type { InstallSettings } from './install-settings.ts';
import { findObjections } from './objections.ts';
import { editedDiff, planText, restartsText, stepData } from './plan-text.ts';
import { chooseClusterName, inspectNode, probeVips } from './probe.ts';

/**
 * Installs hawser on this node. Reads the disk and probes the network once, compares the desired state with the disk, and writes only at the
 * end. Resolves with the exit code. Throws a ConfigError that lists every problem; in that case nothing was written.
 */
export async function install(options: InstallSettings, installable: Installable): Promise<number> {
  // The printed files are for any node, so the disk of this node is ignored.
  const disk = options.print ? emptyDisk : await readDisk(options.root, installable.pods);
  const unreadable = diskProblems(disk);
  if (unreadable.length > 0) throw new ConfigError(unreadable);
  const settings = desiredSettings(options, disk, installable);
  if (options.print) return print(printedFiles(desiredInstall(options, disk, installable, settings)));
  const vips = await probeVips(settings, disk);
  const choice = await chooseClusterName(options, settings, disk, vips);
  const named =
    choice.kind === 'learned'
      ? desiredSettings({ ...options, clusterName: choice.name }, disk, installable)
      : settings;
  const desired = desiredInstall(options, disk, installable, named);
  const difference = diff(options.root, disk, desired, options.overwrite);
  const findings = { vips, ...(await inspectNode(desired, disk)) };
  const objections = findObjections(options, disk, desired, difference, findings);
  const problems = [...objections.problems, ...(choice.kind === 'refused' ? [choice.message] : [])];
  const { steps, edited } = difference;
  const { notices } = objections;
  const restarted = restarts(steps, installable.pods);
  if (options.json === undefined)
    process.stdout.write(
      [
        planText(steps),
        restartsText(restarted),
        ...edited.map(editedDiff),
        ...notices.map((notice) => `notice: ${notice}\n`),
      ].join(''),
    );
  const finish = await createFinish(options, {
    steps: steps.map(stepData),
    restarts: restarted,
    notices,
    edited: edited.map((file) => ({ path: file.desired.path, diff: editedDiff(file) })),
  });
  if (problems.length > 0) {
    finish('refused', '', { problems });
    throw new ConfigError(problems);
  }
  if (steps.length === 0) return finish('nothing-to-do', 'already up to date\n');
  if (options.dryRun)
    return finish('dry-run', `dry run: nothing was written, ${steps.length} steps were skipped\n`);
  if (!options.yes && !(await isConfirmed())) return print('nothing was written\n', 1);
  return await write(options, steps, finish);
}

type Finish = (
  outcome: 'refused' | 'nothing-to-do' | 'dry-run' | 'done' | 'failed',
  text: string,
  more?: Readonly<Record<string, unknown>>,
) => number;

/** Returns a function that prints the outcome, as `text` or as one document, and returns the exit code. */
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

function print(text: string, exitCode = 0): number {
  process.stdout.write(text);
  return exitCode;
}

async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new ConfigError(['Cannot ask for confirmation: there is no terminal, expected --yes or --dry-run']);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Write this? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

async function write({ root }: InstallSettings, steps: readonly Step[], finish: Finish): Promise<number> {
  const outcome = await applySteps(root, steps);
  if (outcome.kind === 'done') return finish('done', `done: ${steps.length} steps\n`);
  process.stderr.write(`${outcome.message}\n`);
  for (const path of outcome.undone) process.stderr.write(`undone: ${path}\n`);
  for (const each of outcome.left) process.stderr.write(`not undone: ${each}\n`);
  const { message, undone, left } = outcome;
  return finish('failed', '', { message, undone, left });
}
