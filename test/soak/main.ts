/** A program that runs three complete nodes under load for an hour, with reloads and VIP moves. See `usage`. */
import { writeFileSync } from 'node:fs';
import { messageOf } from '../../src/engine/system/errors.ts';
import { describeMachine, formatMachine } from '../bench/reload/machine.ts';
import { ensureBuilt } from '../helpers/supervisor-build.ts';
import { readOptions, type SoakOptions, usage } from './options.ts';
import { formatReport, reportOf } from './report.ts';
import { soak } from './soak.ts';

async function run(options: SoakOptions, signal: AbortSignal): Promise<number> {
  ensureBuilt();
  const machine = await describeMachine();
  console.log(`${formatMachine(machine)}\n`);
  const seen = await soak(options, signal);
  const report = reportOf(seen);
  console.log(formatReport(report));
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ ...report, weighed: seen.weighed, machine })}\n`);
  return report.faults.length === 0 ? 0 : 1;
}

const stop = new AbortController();
// A second signal does not wait for work in progress; the survivor cleans up.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) console.log(usage);
  else process.exitCode = await run(options, stop.signal);
} catch (error) {
  process.exitCode = 2;
  console.error(messageOf(error));
}
