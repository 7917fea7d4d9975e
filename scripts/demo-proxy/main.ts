/** A program: `npm run demo:proxy`. See `usage`. */
import { parseArgs } from 'node:util';
import { orAborted } from '../../src/engine/system/time/or-aborted.ts';
import { whatIsMissing } from '../demo/options.ts';
import { INTERRUPTED, stopOnSignals } from '../demo/stop-on-signals.ts';
import { createStage, type Stage } from './stage.ts';
import { type Scene, scenes } from './steps.ts';

const usage = `usage: npm run demo:proxy -- [--once]

Runs hawser proxy with HAProxy, in a network of its own, while pods come and go and its annotation changes,
with both templates of ads-infra-haproxy's README, under load. Loops until Ctrl-C, which leaves nothing behind.

  --once  one round, then a summary; exit code 1 if a connection was lost
`;

async function main(argv: readonly string[]): Promise<number> {
  const boolean = { type: 'boolean', default: false } as const;
  const { once, help } = parseArgs({ args: [...argv], options: { once: boolean, help: boolean } }).values;
  const missing = help ? undefined : whatIsMissing();
  if (help || missing !== undefined) {
    process.stdout.write(help ? usage : `Cannot run the demo: ${missing}\n`);
    return help ? 0 : 2;
  }
  const stop = new AbortController();
  stopOnSignals(stop);
  say('starting the API, hawser proxy and HAProxy in a network of their own');
  await using stage = await createStage();
  try {
    const lost = await orAborted(play(stage, once, stop.signal), stop.signal);
    return lost === 0 ? 0 : 1;
  } catch (error) {
    if (stop.signal.aborted) return once ? INTERRUPTED : 0;
    throw error;
  }
}

/** Resolves with the number of lost connections after one round, or not at all. */
async function play(stage: Stage, once: boolean, signal: AbortSignal): Promise<number> {
  for (;;) {
    let lost = 0;
    for (const scene of scenes) lost += await playScene(stage, scene, signal);
    if (once) return lost;
  }
}

async function playScene(
  stage: Stage,
  { title, port, begin, steps }: Scene,
  signal: AbortSignal,
): Promise<number> {
  say(`\n${title}, on port ${port}`);
  await begin(stage);
  await using load = await stage.load(port);
  for (const step of steps) {
    signal.throwIfAborted();
    say(`  ${step.title.padEnd(40)} ${await step.run(stage)}`);
  }
  const { ok, lost } = await load.stop();
  const losses = Object.values(lost).reduce((sum, count) => sum + count, 0);
  say(`  ${ok} connections were answered, ${losses} lost`);
  return losses;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main(process.argv.slice(2));
