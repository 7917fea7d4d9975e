/** A program that measures hawser's supervisor and the shell daemon side by side and prints a table. See `usage`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../../src/engine/system/errors.ts';
import { readOrExplain } from '../options.ts';
import type { Figures } from './figures.ts';
import { createHost } from './host.ts';
import { describeMachine, formatMachine } from './machine.ts';
import { type BenchOptions, readOptions, usage } from './options.ts';
import { type Bench, pauseUntilStopped, type Scenario } from './scenario.ts';
import { badFile, emptyFile, missingFile, portClash } from './scenarios/bad-input.ts';
import { burst } from './scenarios/burst.ts';
import { deadServer, deadServerPlain } from './scenarios/dead-server.ts';
import { idle } from './scenarios/idle.ts';
import { killMaster, killWorker } from './scenarios/kill.ts';
import { messageToServing } from './scenarios/message-to-serving.ts';
import { steady } from './scenarios/steady.ts';
import type { Subject } from './subject.ts';
import { formatScenario, missedTargets, type ScenarioResult, tableHeading } from './table.ts';

const scenarios = [
  ...[steady, burst, deadServer, deadServerPlain, badFile, missingFile, emptyFile, portClash],
  ...[killWorker, killMaster, messageToServing, idle],
];

async function measure(
  scenario: Scenario,
  subject: Subject,
  options: BenchOptions,
  signal: AbortSignal,
): Promise<Figures> {
  const bench: Bench = {
    quick: options.quick,
    openHost: (configuration = 'template') =>
      createHost({ subject, configuration, logDir: options.logDir, logName: scenario.name }),
    pause: pauseUntilStopped(signal),
  };
  signal.throwIfAborted();
  process.stderr.write(`measuring ${scenario.name} of ${subject}\n`);
  return await scenario.run(bench);
}

async function run(options: BenchOptions, signal: AbortSignal): Promise<void> {
  if (options.logDir !== undefined) mkdirSync(options.logDir, { recursive: true });
  const machine = await describeMachine();
  const results: Record<string, ScenarioResult> = {};
  console.log(
    `${formatMachine(machine)}${options.quick ? '\nQUICK SIZES: to try the bench, not to quote' : ''}\n${tableHeading()}`,
  );
  for (const scenario of options.scenarios) {
    const figures: Partial<Record<Subject, Figures>> = {};
    for (const subject of options.subjects)
      figures[subject] = await measure(scenario, subject, options, signal);
    const result = { ...figures, target: scenario.targets };
    results[scenario.name] = result;
    console.log(formatScenario(scenario.name, scenario.about, result));
    if (options.json !== undefined)
      writeFileSync(
        options.json,
        `${JSON.stringify({ scenarios: results, machine, quick: options.quick }, null, 2)}\n`,
      );
  }
  const missed = Object.entries(results).flatMap(([name, result]) =>
    missedTargets(result).map((metric) => `${name}.${metric}`),
  );
  if (missed.length > 0) console.log(`targets missed: ${missed.join(', ')}`);
  else if (options.subjects.includes('hawser')) console.log('every target met');
}

const stop = new AbortController();
// A second signal does not wait for work in progress; the survivor cleans up.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
try {
  const options = readOrExplain(usage, () => readOptions(process.argv.slice(2), scenarios));
  if (options.help) console.log(usage);
  else await run(options, stop.signal);
} catch (error) {
  process.exitCode = stop.signal.aborted ? 130 : 1;
  console.error(stop.signal.aborted ? 'stopped' : messageOf(error));
}
