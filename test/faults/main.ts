/** A program that injects random faults on three complete nodes, records what happens and judges it afterwards. See `usage`. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../src/engine/system/errors.ts';
import { monotonicMs } from '../../src/engine/system/time/monotonic-clock.ts';
import { ensureBuilt } from '../helpers/supervisor-build.ts';
import { type FaultName, faultNames } from './generate/catalogue.ts';
import { type Episode, formatEpisode, planEpisode } from './generate/schedule.ts';
import { runEpisode } from './inject/run-episode.ts';
import type { KnownSeed } from './known-seeds.ts';
import { type FaultsOptions, readOptions, usage } from './options.ts';
import { type HistoryWriter, openHistory, readHistory } from './record/history.ts';
import { recordJournals } from './record/journals.ts';
import { recordReloads } from './record/keepalived-reloads.ts';
import { leftAfterEnd, leftOnMachine, machineState } from './record/left-over.ts';
import { nodeAtRest } from './record/node-at-rest.ts';
import { startRecorder } from './record/recorder.ts';
import { formatMissed, formatVerdicts, hasEpisode, provenViolations } from './report.ts';
import { judge } from './validate/judge.ts';
import { configurationsOf, waitForRest } from './world/rest.ts';
import { openWorld, type World } from './world/world.ts';

/** Time after the last fault: ended programs are restarted after 1.3 s, and the effects of that need time to show. */
const SETTLE_MS = 3_000;
const REST_PATIENCE_MS = 45_000;

/** The run of one world. */
interface Run {
  readonly seed: number;
  /** No episode starts later than this. */
  readonly minutes: number;
  readonly episodes: Iterable<Episode>;
  /** The run proves nothing without this episode. If left out, any episode will do. */
  readonly needed?: number;
  /** Flags to repeat the run. */
  readonly again: string;
}

function randomRun({ seed, minutes, episode, names }: FaultsOptions): Run {
  const flags = [...(episode === undefined ? [] : [`--episode ${episode}`]), ...onlyFlags(names)];
  return {
    seed,
    minutes,
    again: [`--minutes ${minutes} --seed ${seed}`, ...flags].join(' '),
    episodes: episode === undefined ? planned(seed, names) : [planEpisode(seed, episode, names)],
  };
}

function onlyFlags(names: readonly FaultName[]): readonly string[] {
  return names.length === faultNames.length ? [] : names.map((name) => `--only ${name}`);
}

function* planned(seed: number, names: readonly FaultName[]): Generator<Episode> {
  for (let number = 1; ; number += 1) yield planEpisode(seed, number, names);
}

/** Longer than any known seed takes. */
const KNOWN_MINUTES = 10;

function knownRun({ seed, episode, episodes }: KnownSeed): Run {
  return { seed, minutes: KNOWN_MINUTES, episodes, needed: episode, again: `--known --seed ${seed}` };
}

/** Runs episodes until the time is up or the group no longer comes to rest. */
async function runEpisodes(
  world: World,
  { minutes, episodes }: Run,
  history: HistoryWriter,
  flush: () => void,
  signal: AbortSignal,
): Promise<void> {
  let configurations: string | undefined;
  const rest = async (episode: number) => {
    await delay(SETTLE_MS, undefined, { signal });
    const missing = await waitForRest(world, configurations, REST_PATIENCE_MS, signal);
    configurations ??= configurationsOf(world);
    flush();
    for (const node of world.nodes) history.write(await nodeAtRest(world, node, episode));
    history.write({ kind: 'rest', atMs: monotonicMs(), episode, reached: missing === '', missing });
    if (missing !== '') process.stderr.write(`  no rest: ${missing}\n`);
    return missing === '';
  };
  const lastMs = monotonicMs() + minutes * 60_000;
  let isAtRest = await rest(0);
  let last = 0;
  for (const episode of episodes) {
    if (monotonicMs() >= lastMs) return;
    // The VIP may have moved while the rest was being recorded.
    while (isAtRest && world.bed.holders().length !== 1) isAtRest = await rest(last);
    if (!isAtRest) return;
    const { number } = episode;
    process.stderr.write(`${formatEpisode(episode)}\n`);
    history.write({ kind: 'episode', atMs: monotonicMs(), number, plan: formatEpisode(episode) });
    await runEpisode(world, episode, history, signal);
    [isAtRest, last] = [await rest(number), number];
  }
}

/** Records a run into a folder. After an abort it ends early, and the recording can still be judged. */
async function record(run: Run, folder: string, signal: AbortSignal): Promise<void> {
  const before = await machineState();
  using history = openHistory(folder);
  let bedDir: string;
  {
    await using world = await openWorld((event) => history.write({ kind: 'part', ...event }));
    bedDir = world.bed.dir;
    try {
      await using recorder = await startRecorder(world, run.seed, history);
      await runEpisodes(world, run, history, recorder.flush, signal).catch((error) => {
        if (!signal.aborted) throw error;
      });
    } finally {
      recordJournals(world, history);
      recordReloads(world, history);
      const what = await leftAfterEnd(world);
      for (const each of what) history.write({ kind: 'left', atMs: monotonicMs(), what: each });
      cpSync(world.bed.dir, join(folder, 'nodes'), { recursive: true, filter: isKept });
    }
  }
  for (const what of await leftOnMachine(before, bedDir))
    history.write({ kind: 'left', atMs: monotonicMs(), what });
  history.write({ kind: 'over', atMs: monotonicMs() });
}

function isKept(path: string): boolean {
  return !/\.(sock|fifo)$|\/pki$/.test(path);
}

/** Resolves with the exit code. */
function judgeFolder(folder: string, options: FaultsOptions, needed?: number): number {
  const entries = readHistory(folder);
  const verdicts = judge(entries);
  const [begun] = entries.filter(({ kind }) => kind === 'run');
  console.log(formatVerdicts(verdicts, begun?.kind === 'run' ? begun.atMs : 0));
  const missed = formatMissed(entries);
  if (missed !== '') console.log(missed);
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ seed: options.seed, folder, verdicts }, null, 2)}\n`);
  const isShown = hasEpisode(entries, needed);
  if (!isShown) console.log('the group never came to rest before the episode: nothing is shown');
  return provenViolations(verdicts).length === 0 && isShown ? 0 : 1;
}

/** Resolves with the exit code. */
async function runOne(run: Run, options: FaultsOptions, signal: AbortSignal): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), `hawser-faults-${run.seed}-`));
  await record(run, folder, signal);
  const code = judgeFolder(folder, options, run.needed);
  if (code === 0 && !options.keep) rmSync(folder, { recursive: true, force: true });
  else console.log(`the history is in ${folder}; judge it again: npm run test:faults -- --judge ${folder}`);
  console.log(`${code === 0 ? 'no violation' : 'FAILED'}; repeat it: npm run test:faults -- ${run.again}`);
  return code;
}

/** Runs all of them in order; resolves with 1 if any of them failed. */
async function runKnown(
  known: readonly KnownSeed[],
  options: FaultsOptions,
  signal: AbortSignal,
): Promise<number> {
  const failed: string[] = [];
  for (const each of known) {
    if (signal.aborted) return 1;
    const name = `seed ${each.seed}, episode ${each.episode}`;
    console.log(`${name}${each.isRebuilt === true ? ', rebuilt' : ''}: ${each.found}`);
    if ((await runOne(knownRun(each), options, signal)) !== 0) failed.push(name);
  }
  console.log(`${known.length - failed.length} of ${known.length} known seeds without a violation`);
  for (const name of failed) console.log(`FAILED: ${name}`);
  return failed.length === 0 ? 0 : 1;
}

function printPlan(options: FaultsOptions): void {
  const episodes =
    options.known?.flatMap((each) => each.episodes) ??
    Array.from({ length: 20 }, (_, index) => planEpisode(options.seed, index + 1, options.names));
  for (const episode of episodes) console.log(formatEpisode(episode));
}

async function run(options: FaultsOptions, signal: AbortSignal): Promise<number> {
  if (options.judge !== undefined) return judgeFolder(options.judge, options);
  if (options.plan) {
    printPlan(options);
    return 0;
  }
  ensureBuilt();
  if (options.known !== undefined) return await runKnown(options.known, options, signal);
  return await runOne(randomRun(options), options, signal);
}

const stop = new AbortController();
// A second signal does not wait for work in progress; the survivor cleans up.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.on(name, () => (stop.signal.aborted ? process.exit(130) : stop.abort()));
try {
  const options = readOptions(process.argv.slice(2), Date.now());
  if (options.help) console.log(usage);
  else process.exitCode = await run(options, stop.signal);
} catch (error) {
  process.exitCode = 2;
  console.error(messageOf(error));
}
