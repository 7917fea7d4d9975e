import { messageOf } from '../../src/engine/system/errors.ts';
import { type Camera, createCamera, type Lens } from './camera.ts';
import { type DemoOptions, readOptions, whatIsMissing } from './options.ts';
import { runRound, type Step, type Watched } from './round.ts';
import type { Frame } from './scene.ts';
import { createScreen, type Render, type Screen } from './screen.ts';
import { INTERRUPTED, stopOnSignals } from './stop-on-signals.ts';
import { renderSummary } from './summary.ts';
import type { Traffic } from './traffic.ts';

/** A demo with a live view: a stage changes step by step under load. */
export interface Demo<St, S extends Frame> {
  readonly usage: string;
  /** What is started, for the first event. */
  readonly starting: string;
  /** Rejects if the stage cannot be set up, or once `signal` aborts. Leaves nothing behind in that case. */
  readonly createStage: (onEvent: (text: string) => void, signal: AbortSignal) => Promise<St>;
  readonly steps: readonly Step<St>[];
  readonly lens: Lens<St, S>;
  readonly render: Render<S>;
  /** Explains the columns of the summary. */
  readonly legend: readonly string[];
}

type StageOfDemo = Watched & AsyncDisposable & { readonly traffic: Traffic };

/** Resolves with the exit code: 1 if a request was lost, 2 if the demo cannot run. Never rejects. */
export async function runDemo<St extends StageOfDemo, S extends Frame>(
  argv: readonly string[],
  demo: Demo<St, S>,
): Promise<number> {
  try {
    return await run(argv, demo);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return error instanceof TypeError ? 2 : 1;
  }
}

async function run<St extends StageOfDemo, S extends Frame>(
  argv: readonly string[],
  demo: Demo<St, S>,
): Promise<number> {
  const options = readOptions(argv);
  if (options.help) {
    process.stdout.write(demo.usage);
    return 0;
  }
  const missing = whatIsMissing();
  if (missing !== undefined) {
    process.stderr.write(`Cannot run the demo: ${missing}\n`);
    return 2;
  }
  const stop = new AbortController();
  const screen = createScreen(process.stdout, options, demo.render);
  stopOnSignals(stop, screen.close);
  // The reader of the output has exited (`| head`).
  process.stdout.on('error', () => stop.abort('interrupted'));
  try {
    return await perform(demo, options, screen, stop);
  } catch (error) {
    screen.close();
    if (isInterrupted(stop.signal)) return options.once ? INTERRUPTED : 0;
    throw error;
  }
}

/** Resolves with the exit code of a round: 1 if a request was lost. Without `--once` only a signal ends it. */
async function perform<St extends StageOfDemo, S extends Frame>(
  demo: Demo<St, S>,
  options: DemoOptions,
  screen: Screen<S>,
  stop: AbortController,
): Promise<number> {
  const { signal } = stop;
  const camera = createCamera(screen, demo.lens);
  camera.event(`starting ${demo.starting} in a network of their own`);
  await using stage = await demo.createStage(camera.event, signal);
  const film = camera.film(stage, signal).catch((error) => stop.abort(error));
  try {
    return await play(demo, options, { stage, camera, screen }, signal);
  } finally {
    // Stops polling before the stage closes its sockets.
    stop.abort('over');
    await film;
  }
}

interface Show<St, S> {
  readonly stage: St;
  readonly camera: Camera<St>;
  readonly screen: Screen<S>;
}

async function play<St extends StageOfDemo, S extends Frame>(
  { steps, legend }: Demo<St, S>,
  options: DemoOptions,
  { stage, camera, screen }: Show<St, S>,
  signal: AbortSignal,
): Promise<number> {
  for (let round = 1; ; round += 1) {
    camera.setRound(round);
    const results = await runRound(stage, steps, camera.setStep, signal);
    if (!options.once) continue;
    screen.close();
    console.log(['', ...renderSummary(results, legend)].join('\n'));
    return stage.traffic.counts().lost === 0 ? 0 : 1;
  }
}

function isInterrupted(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason === 'interrupted';
}
