/** A program: `npm run demo`. See `usage`. */
import { messageOf } from '../../src/engine/system/errors.ts';
import { type Camera, createCamera } from './camera.ts';
import { type DemoOptions, readOptions, usage, whatIsMissing } from './options.ts';
import { runRound } from './round.ts';
import { createScreen, type Screen } from './screen.ts';
import { createStage, type Stage } from './stage.ts';
import { renderSummary } from './summary.ts';

const INTERRUPTED = 130;

async function main(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv);
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const missing = whatIsMissing();
  if (missing !== undefined) {
    process.stderr.write(`Cannot run the demo: ${missing}\n`);
    return 2;
  }
  const stop = new AbortController();
  stopOnSignals(stop);
  const screen = createScreen(process.stdout, options);
  try {
    return await demo(options, screen, stop);
  } catch (error) {
    screen.close();
    if (isInterrupted(stop.signal)) return options.once ? INTERRUPTED : 0;
    throw error;
  }
}

/** Resolves with the exit code of a round: 1 where a request was lost. Without `--once` only a signal ends it. */
async function demo(options: DemoOptions, screen: Screen, stop: AbortController): Promise<number> {
  const { signal } = stop;
  const camera = createCamera(screen);
  camera.event('starting three API servers, hawser and HAProxy in a network of their own');
  await using stage = await createStage(camera.event, signal);
  camera.event(`the page is at ${stage.pageUrl}`);
  const film = camera.film(stage, signal).catch((error) => stop.abort(error));
  try {
    return await play(options, { stage, camera, screen }, signal);
  } finally {
    // Sockets that are about to close no longer matter.
    stop.abort('over');
    await film;
  }
}

interface Show {
  readonly stage: Stage;
  readonly camera: Camera;
  readonly screen: Screen;
}

async function play(options: DemoOptions, show: Show, signal: AbortSignal): Promise<number> {
  const { stage, camera, screen } = show;
  for (let round = 1; ; round += 1) {
    camera.setRound(round);
    const results = await runRound(stage, camera.setStep, signal);
    if (!options.once) continue;
    screen.close();
    console.log(['', ...renderSummary(results)].join('\n'));
    return stage.traffic.counts().lost === 0 ? 0 : 1;
  }
}

/** The first signal ends everything in order; a second one ends this process, which cleans up what it can. */
function stopOnSignals(stop: AbortController): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(INTERRUPTED);
      stop.abort('interrupted');
    });
  // The reader of our output has gone (`| head`).
  process.stdout.on('error', () => stop.abort('interrupted'));
}

function isInterrupted(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason === 'interrupted';
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
}
