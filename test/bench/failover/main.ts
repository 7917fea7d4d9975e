/** A program that compares what faults cost with hawser and with two configurations in use today. See `usage`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../src/engine/system/errors.ts';
import { ensureBuilt } from '../../helpers/supervisor-build.ts';
import { describeMachine, formatMachine } from '../reload/machine.ts';
import type { Fault, Measured } from './fault.ts';
import { faults } from './faults.ts';
import { type FailoverOptions, readOptions, usage } from './options.ts';
import { type FaultResult, missedTargets, type SubjectResult, summarize } from './report.ts';
import { openScene, type Scene } from './scene.ts';
import type { Subject } from './subject.ts';
import { formatFault, tableHeading } from './table.ts';
import { runTrial } from './trial.ts';

/** After this many failed trials a subject is given up, because each one costs minutes. */
const MOST_FAILURES = 2;

async function measure(
  fault: Fault,
  subject: Subject,
  options: FailoverOptions,
  signal: AbortSignal,
): Promise<SubjectResult> {
  const measured: Measured[] = [];
  let failed = 0;
  while (measured.length + failed < options.trials(subject) && failed < MOST_FAILURES) {
    const left = options.trials(subject) - measured.length - failed;
    const trials = fault.tail === true ? 1 : left;
    try {
      await measureScene(fault, subject, trials, (each) => measured.push(each), options, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      failed += 1;
      process.stderr.write(`${fault.name} of ${subject}: ${messageOf(error)}\n`);
    }
  }
  return summarize(fault, measured, failed);
}

/** Throws at the first trial that cannot be measured, because its leftovers would spoil the next one. */
async function measureScene(
  fault: Fault,
  subject: Subject,
  trials: number,
  take: (measured: Measured) => void,
  options: FailoverOptions,
  signal: AbortSignal,
): Promise<void> {
  await using scene: Scene = await openScene(subject, {
    patient: fault.tail === true,
    ...(options.templates === undefined ? {} : { templates: options.templates }),
  });
  try {
    for (let trial = 1; trial <= trials; trial += 1) {
      process.stderr.write(`${fault.name} of ${subject}: ${trial} of ${trials}\n`);
      take(await runTrial(scene, fault, signal));
    }
  } finally {
    if (options.logDir !== undefined) scene.keepLogs(join(options.logDir, fault.name));
  }
}

/** Resolves with the exit code. */
async function run(options: FailoverOptions, signal: AbortSignal): Promise<number> {
  if (options.subjects.includes('hawser')) ensureBuilt();
  if (options.logDir !== undefined) mkdirSync(options.logDir, { recursive: true });
  const machine = await describeMachine();
  const results: Record<string, FaultResult> = {};
  console.log(
    `${formatMachine(machine)}${options.quick ? '\nONE TRIAL EACH: to try the bench, not to quote' : ''}\n${tableHeading()}`,
  );
  const missed: string[] = [];
  for (const fault of options.faults) {
    const result: Partial<Record<Subject, SubjectResult>> = {};
    for (const subject of options.subjects.filter((each) => fault.subjects?.includes(each) ?? true))
      result[subject] = await measure(fault, subject, options, signal);
    results[fault.name] = result;
    missed.push(...missedTargets(fault, result).map((metric) => `${fault.name}.${metric}`));
    console.log(formatFault(fault, result));
    if (options.json !== undefined)
      writeFileSync(
        options.json,
        `${JSON.stringify({ faults: results, machine, quick: options.quick }, null, 2)}\n`,
      );
  }
  if (missed.length > 0) console.log(`targets missed: ${missed.join(', ')}`);
  else if (options.subjects.includes('hawser')) console.log('every target met');
  return missed.length > 0 ? 1 : 0;
}

const stop = new AbortController();
// A second signal does not wait for work in progress; the survivor cleans up.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
try {
  const options = readOptions(process.argv.slice(2), faults);
  if (options.help) console.log(usage);
  else process.exitCode = await run(options, stop.signal);
} catch (error) {
  process.exitCode = stop.signal.aborted ? 130 : 2;
  console.error(stop.signal.aborted ? 'stopped' : `${messageOf(error)}\n${usage}`);
}
