import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../system/errors.ts';
import { patientTimer } from '../system/time/patient-timeout.ts';
import type { RenderJob, ThreadTask } from './render-job.ts';
import type { RenderOutcome } from './render-template.ts';

export interface RenderThread {
  /**
   * Renders in its own thread. A template that loops, uses too much memory or ends the thread is a normal failure and blocks nothing. The previous
   * job is answered from a cache. Never rejects.
   */
  readonly render: (job: RenderJob) => Promise<RenderOutcome>;
}

interface ThreadLimits {
  /** Timeout of one job in a started thread. Default 2 s: a real template takes milliseconds. */
  readonly timeoutMs?: number;
  /** How long an idle thread is kept. It uses some megabytes. Default 10 s. */
  readonly idleMs?: number;
  /** How long a template that ended its thread is not retried. Default 15 s, because an endless loop uses a whole CPU. */
  readonly retryMs?: number;
  /** Default 32 MB. */
  readonly memoryMb?: number;
  /** Timer for the timeout of a job. Default: `patientTimer`. */
  readonly timer?: typeof patientTimer;
}

/** A starved machine may take seconds to start a thread. */
const START_TIMEOUT_MS = 20_000;
const MAX_THREAD_MB = 32;

/**
 * The previous job. Its outcome is reused for the same job. If the job ended its thread, the outcome is reused for the same template until `untilMs`.
 */
interface Before {
  readonly key: string;
  readonly outcome: RenderOutcome;
  readonly ended?: { readonly templateText: string; readonly untilMs: number };
}

type Answer = RenderOutcome | { readonly kind: 'ended'; readonly message: string };

export function createRenderThread(limits: ThreadLimits = {}): RenderThread {
  const { timeoutMs = 2_000, idleMs = 10_000, retryMs = 15_000, memoryMb = MAX_THREAD_MB, timer } = limits;
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let before: Before | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const end = (): void => {
    clearTimeout(idle);
    void thread?.terminate();
    thread = undefined;
  };
  const runTask = async (task: ThreadTask): Promise<Answer> => {
    clearTimeout(idle);
    if (thread === undefined) {
      thread = startThread(memoryMb);
      const started = await answerOf(thread, START_TIMEOUT_MS, memoryMb, () => undefined);
      if (started.kind === 'ended') return started;
    }
    return await answerOf(thread, timeoutMs, memoryMb, (worker) => worker.postMessage(task), timer);
  };
  const renderNow = async (job: RenderJob): Promise<RenderOutcome> => {
    const { templateText } = job;
    const ended = before?.ended;
    if (before !== undefined && ended?.templateText === templateText && performance.now() < ended.untilMs)
      return before.outcome;
    const key = createHash('sha256').update(JSON.stringify(job)).digest('hex');
    if (before?.key === key && ended === undefined) return before.outcome;
    const progress = new Int32Array(new SharedArrayBuffer(4));
    // The system may refuse a thread, as at a limit for processes.
    const answer = await runTask({ job, progress }).catch(
      (error: unknown): Answer => ({ kind: 'ended', message: messageOf(error) }),
    );
    if (answer.kind !== 'ended') {
      idle = setTimeout(end, idleMs).unref();
      before = { key, outcome: answer };
      return answer;
    }
    end();
    const outcome = failed(job, Atomics.load(progress, 0), answer.message);
    before = { key, outcome, ended: { templateText, untilMs: performance.now() + retryMs } };
    return outcome;
  };
  return {
    render: (job) => {
      const outcome = last.then(() => renderNow(job));
      last = outcome;
      return outcome;
    },
  };
}

function startThread(memoryMb: number): Worker {
  // The worker is next to this file, both as source and in the bundle.
  const name = import.meta.url.endsWith('.ts') ? './render-worker.ts' : './render-worker.mjs';
  const thread = new Worker(new URL(name, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    // A template must not have access to this process's environment.
    env: {},
    execArgv: [],
  });
  thread.on('error', () => undefined).unref();
  return thread;
}

/** The next message of the thread, or the reason why there is none. */
function answerOf(
  thread: Worker,
  withinMs: number,
  memoryMb: number,
  send: (thread: Worker) => void,
  begin = patientTimer,
): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer): void => {
      timer[Symbol.dispose]();
      thread.off('message', settle).off('exit', exited).off('error', broken).unref();
      resolve(answer);
    };
    const ended = (message: string): void => settle({ kind: 'ended', message });
    const exited = (): void => ended('it ended the thread that renders it');
    const broken = (error: Error & { readonly code?: string }): void => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      ended(isMemory ? `it exceeded the limit MAX_THREAD_MB (${memoryMb} MB)` : error.message);
    };
    const timer = begin(withinMs, () => ended(`it did not finish within ${withinMs} ms`));
    // Keeps the process alive while it waits.
    thread.on('message', settle).on('exit', exited).on('error', broken).ref();
    send(thread);
  });
}

/** Line 0 means that rendering failed before the first line. */
function failed({ templatePath }: RenderJob, line: number, message: string): RenderOutcome {
  const where = line === 0 ? '' : ` line ${line}`;
  return { kind: 'failed', message: `Cannot render template "${templatePath}"${where}: ${message}` };
}
