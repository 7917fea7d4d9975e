import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../wait-for.ts';
import { readJsonLines } from './json-lines.ts';
import { type LoadEvent, type LoadPlan, type LoadSummary, loadEventSchema } from './load-events.ts';

export interface Load extends AsyncDisposable {
  readonly pid: number;
  /** Everything so far in chronological order, without the summary. */
  events(): readonly LoadEvent[];
  /** When this text was first served, in monotonic milliseconds. */
  servedAtMs(value: string): number | undefined;
  lostSince(atMs: number): number;
  /** Ends the load; returns the same summary on every call. */
  stop(): Promise<LoadSummary>;
}

const program = fileURLToPath(new URL('generate-load.ts', import.meta.url));

/** Starts the generator as a separate process behind `prefix` (a namespace's), and waits until it runs. */
export async function startLoad(prefix: readonly [string, ...string[]], plan: LoadPlan): Promise<Load> {
  const [file, ...before] = prefix;
  const child = spawn(file, [...before, process.execPath, program, JSON.stringify(plan)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'close');
  const events: LoadEvent[] = [];
  const served = new Map<string, number>();
  let summary: LoadSummary | undefined;
  readJsonLines(child.stdout, (value) => {
    const event = loadEventSchema.parse(value);
    if (event.kind === 'served') served.set(event.value, event.atMs);
    if (event.kind === 'summary') summary = event;
    else events.push(event);
  });
  const pid = child.pid;
  if (pid === undefined) throw new Error(`Cannot start the load "${prefix.join(' ')}": no process`);
  await waitFor('the load to start', () => events.length > 0);
  const stop = async () => {
    child.stdin.end();
    await exited;
    if (summary === undefined) throw new Error('Cannot read the summary of the load: it ended without one');
    return summary;
  };
  return {
    pid,
    events: () => events,
    servedAtMs: (value) => served.get(value),
    lostSince: (atMs) => events.filter((event) => event.kind === 'lost' && event.startedAtMs >= atMs).length,
    stop,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await exited;
    },
  };
}
