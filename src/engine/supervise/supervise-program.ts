import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Answer } from '../control/answer.ts';
import { serveControlSocket } from '../control/control-server.ts';
import type { Endpoint } from '../observe/http-endpoint.ts';
import { type LogSettings, openLog } from '../observe/journal/journal.ts';
import type { JournalEvents } from '../observe/journal/journal-events.ts';
import { observeSupervisor } from '../observe/observe-supervisor.ts';
import { processMetrics } from '../observe/process-metrics.ts';
import { servePatiently } from '../observe/serve-patiently.ts';
import type { SupervisorMetrics } from '../observe/shared-metrics.ts';
import { ConfigError, messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { hawserVersion } from '../system/version.ts';

interface SuperviseSettings extends LogSettings {
  readonly socket: string;
  readonly config: string;
  /** Only some supervisors have one. */
  readonly runDir?: string;
  readonly listen: { readonly host: string; readonly port: number } | undefined;
}

/** Name of a supervisor in its log, the events of its journal, and its metrics. */
interface SupervisorKind<Now> {
  readonly name: string;
  readonly events: JournalEvents;
  readonly metrics: SupervisorMetrics<Now>;
}

type Answers = Readonly<Record<string, () => Answer | Promise<Answer>>>;

type Orders = Readonly<Record<string, (rest: string) => Promise<Answer>>>;

/** A running supervisor, as used by the control socket, signals, probes and metrics. */
interface Supervised<Now> {
  /** Keyed by the whole request line. */
  readonly answers: Answers & { readonly reload: () => Answer | Promise<Answer> };
  /** Keyed by the first word of a request line; the argument is the rest of the line. */
  readonly orders?: Orders;
  readonly status: Endpoint['status'];
  /** State for the metrics, in addition to the logged events. */
  readonly now: () => Now;
  readonly trouble: Endpoint['trouble'];
  readonly unready?: () => string | undefined;
  readonly stop: () => void;
  readonly finished: Promise<void>;
  /** Exit code once the supervisor has finished. Default 0. */
  readonly exitCode?: () => number;
}

/**
 * Runs a supervisor until it is stopped and all its processes have ended. Resolves with its exit code. Claims the socket first, so that a second
 * supervisor fails with a ConfigError before `start` touches a process or an address.
 */
export async function superviseProgram<Now>(
  { name, events, metrics }: SupervisorKind<Now>,
  settings: SuperviseSettings,
  start: (log: Log) => Promise<Supervised<Now>>,
): Promise<number> {
  const { socket, config, runDir, listen } = settings;
  const log = observeSupervisor(await openLog(name, settings, events), metrics);
  survive(log);
  mkdirSync(dirname(socket), { recursive: true });
  const { promise: ready, resolve: setReady } =
    Promise.withResolvers<Pick<Supervised<Now>, 'answers' | 'orders'>>();
  const noteWork = spareMemory();
  const answer = async (line: string): Promise<Answer> => {
    const answered = await answerTo(line, await ready);
    if (line !== 'status') noteWork();
    return answered;
  };
  const control = await serveControlSocket(socket, answer, log);
  if (control.kind === 'in-use')
    throw new ConfigError([`Cannot listen on "${socket}": another supervisor answers there, expected none`]);
  const supervisor = await start(log).catch(async (error: unknown) => {
    await control.close();
    throw error;
  });
  setReady(supervisor);
  process.on('SIGTERM', supervisor.stop);
  process.on('SIGINT', supervisor.stop);
  process.on('SIGHUP', () => void answer('reload'));
  log({ event: 'supervisor-started', socket, config, runDir });
  const end = new AbortController();
  const own = processMetrics({ version: hawserVersion() });
  const text = (): string => `${metrics.text(supervisor.now())}\n${own()}`;
  void servePatiently(listen, { ...supervisor, metrics: text }, log, end.signal);
  noteWork();
  await supervisor.finished;
  end.abort();
  await control.close();
  const exitCode = supervisor.exitCode?.() ?? 0;
  log({ event: 'supervisor-stopped', exitCode });
  return exitCode;
}

export async function answerTo(
  line: string,
  { answers, orders = {} }: { readonly answers: Answers; readonly orders?: Orders },
): Promise<Answer> {
  const answer = Object.hasOwn(answers, line) ? answers[line] : undefined;
  if (answer !== undefined) return await answer();
  const [, word = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
  const order = Object.hasOwn(orders, word) ? orders[word] : undefined;
  if (order !== undefined) return await order(rest);
  const expected = Object.keys(answers).map((each) => `"${each}"`);
  const message = `Cannot answer "${line.slice(0, 80)}": unknown request, expected ${expected.join(', ')}`;
  return { ok: false, stage: 'protocol', message };
}

/** Longer than the gaps between reloads in a reload storm. */
const REST_MS = 10_000;

/**
 * Disables compilation to machine code, and collects the young generation once a tenth of it is used. The flags are set at runtime: on the command
 * line they would invalidate Node's precompiled modules, which were built for the default flags.
 */
const sparing = ['--no-opt', '--no-maglev', '--no-sparkplug', '--minor-gc-task-trigger=10'];

/**
 * Makes V8 save memory from now on. Returns a function to call after each start or reload. Garbage is collected every `restMs`: the young
 * generation is so small that even idle allocations are promoted, and V8 alone would wait for many megabytes of them. Once `restMs` has passed
 * since the last start or reload, compiled code is discarded too: most of it was needed only for that, and the rest is compiled again.
 */
export function spareMemory(restMs = REST_MS, nowMs = monotonicMs): () => void {
  for (const flag of [...sparing, '--expose-gc']) setFlagsFromString(flag);
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  let workedAt: number | undefined;
  const timer = setInterval(() => {
    const isOver = workedAt !== undefined && nowMs() - workedAt >= restMs;
    if (isOver) collectWithCode(collect);
    else collect({ type: 'major', execution: 'sync' });
    if (isOver) workedAt = undefined;
  }, restMs);
  timer.unref();
  return () => {
    workedAt = nowMs();
  };
}

function collectWithCode(collect: NodeJS.GCFunction): void {
  setFlagsFromString('--stress-flush-code');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--no-stress-flush-code');
}

/** Logs every uncaught exception and continues: the program still serves and must stay supervised. */
function survive(log: Log): void {
  const report = (error: unknown): void =>
    log({
      event: 'internal-error',
      level: 'error',
      message: messageOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
}
