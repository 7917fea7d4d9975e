import { createInterface } from 'node:readline/promises';
import { structuredWriter } from '../../cli/structured-text.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { shippedFile } from '../../engine/system/shipped-file.ts';
import { applySteps } from './apply-steps.ts';
import { chooseClusterName } from './cluster-name.ts';
import { type Draft, draftInstall, type OnDisk, ownTexts, readDisk } from './draft.ts';
import { editedFiles } from './edited-files.ts';
import type { Installable } from './effective-settings.ts';
import { foreignConfigurations } from './foreign-configurations.ts';
import type { InstallSettings } from './install-settings.ts';
import { journalFolder } from './layout.ts';
import { COMMAND_SOURCE, commandFile } from './node-command.ts';
import { objectionsTo } from './objections.ts';
import { editedDiff, editedWords, foreignNotice } from './others-text.ts';
import type { Plan } from './plan.ts';
import { allFiles, othersManifests, planInstall } from './plan-install.ts';
import { planSteps, planText } from './plan-text.ts';
import { printedFiles } from './printed.ts';
import { restartsBy, restartsText } from './restarts.ts';

/** Throws a ConfigError that lists every reason against the install; in that case nothing was written. */
export async function install(asked: InstallSettings, known: Installable): Promise<number> {
  if (asked.print) return say(printedFiles(allFiles(draftInstall(asked, emptyDisk, known)), journalFolder));
  const disk = await readDisk(asked.root);
  const first = draftInstall(asked, disk, known);
  const choice = await chooseClusterName(asked, first, disk);
  const draft =
    choice.kind === 'learned' ? draftInstall({ ...asked, clusterName: choice.name }, disk, known) : first;
  const findings = await examine(asked, draft, disk);
  const { plan, notices } = findings;
  const problems = [...findings.problems, ...(choice.kind === 'refused' ? [choice.message] : [])];
  if (asked.json === undefined)
    process.stdout.write([findings.text, ...notices.map((notice) => `notice: ${notice}\n`)].join(''));
  const finish = await createFinish(asked, {
    ...{ steps: planSteps(plan), restarts: findings.restarts },
    ...{ edited: findings.edited, notices },
  });
  if (problems.length > 0) {
    finish('refused', '', { problems });
    throw new ConfigError(problems);
  }
  if (plan.steps.length === 0)
    return finish('nothing-to-do', 'nothing to do: everything is as it should be\n');
  if (asked.dryRun)
    return finish('dry-run', `dry run: nothing was written, ${plan.steps.length} steps were left out\n`);
  if (!asked.yes && !(await isAgreed())) return say('nothing was written\n', 1);
  return await write(asked, plan, finish);
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

/** `--print` is for any node, so it ignores what this node has. */
const emptyDisk: OnDisk = {
  ...{ record: undefined, settings: undefined, authority: undefined },
  command: { kind: 'wanted', file: commandFile(shippedFile(COMMAND_SOURCE)) },
};

/** The plan, as text and as steps, with the notices and problems to report. */
async function examine(asked: InstallSettings, draft: Draft, disk: OnDisk) {
  const others = await othersManifests(asked.root, draft, disk);
  // On a node that hawser runs on already, the monitor keeps what it replaces.
  const isNew = disk.record === undefined;
  const foreign = isNew ? foreignConfigurations(asked.root, draft.pods) : { found: [], problems: [] };
  const edited = await editedFiles(asked.root, ownTexts(draft, others), disk.record);
  const plan = await planInstall(
    asked.root,
    draft,
    disk,
    { foreign: foreign.found, edited },
    asked.overwrite,
  );
  const { problems, notices } = await objectionsTo(asked, draft, disk, others);
  const kept = asked.overwrite ? [] : edited;
  const restarts = restartsBy(plan, draft.pods);
  const words = editedWords(kept);
  return {
    plan,
    restarts,
    text: [planText(plan), restartsText(restarts), ...kept.map(editedDiff)].join(''),
    edited: kept.map((file) => ({ path: file.path, diff: editedDiff(file) })),
    notices: [
      ...notices,
      ...(disk.command.kind === 'left-out' ? [disk.command.notice] : []),
      ...foreign.found.map(foreignNotice),
      ...words.notices,
    ],
    problems: [...problems, ...words.problems, ...foreign.problems, ...plan.problems],
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

async function write({ root }: InstallSettings, { steps }: Plan, finish: Finish): Promise<number> {
  const outcome = await applySteps(root, steps);
  if (outcome.kind === 'done') return finish('done', `done: ${steps.length} steps\n`);
  process.stderr.write(`${outcome.message}\n`);
  for (const path of outcome.undone) process.stderr.write(`taken back: ${path}\n`);
  for (const each of outcome.left) process.stderr.write(`still as it was written: ${each}\n`);
  const { message, undone, left } = outcome;
  return finish('failed', '', { message, undone, left });
}
