import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { RenderJob } from './render-job.ts';
import type { RenderOutcome } from './render-template.ts';

export interface RenderThread {
  /**
   * As `render`, in a thread of its own. A template that loops, takes more memory than any real one, or ends the thread is a
   * failure like any other, and blocks nothing. The job of before is answered from memory. Never rejects.
   */
  readonly render: (job: RenderJob) => Promise<RenderOutcome>;
}

export interface ThreadLimits {
  /** For one job, once the thread is ready. Default 2 s: a real template takes some milliseconds. */
  readonly timeoutMs?: number;
  /** How long a thread without a job is kept: it weighs some megabytes. Default 10 s. */
  readonly idleMs?: number;
  /** A job that ended its thread is not tried again for this long. Default 15 s: an endless loop costs a processor. */
  readonly retryMs?: number;
}

/** A starved machine may take seconds to start a thread. */
const START_TIMEOUT_MS = 20_000;
const MAX_THREAD_MB = 32;

type Answer = RenderOutcome | { readonly kind: 'ended'; readonly message: string };

export function createRenderThread(limits: ThreadLimits = {}): RenderThread {
  const { timeoutMs = 2_000, idleMs = 10_000, retryMs = 15_000 } = limits;
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let before: { readonly key: string; readonly outcome: RenderOutcome; readonly until: number } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const end = (): void => {
    clearTimeout(idle);
    void thread?.terminate();
    thread = undefined;
  };
  const ask = async (job: RenderJob): Promise<Answer> => {
    clearTimeout(idle);
    if (thread === undefined) {
      thread = startThread();
      const started = await answerOf(thread, START_TIMEOUT_MS, () => undefined);
      if (started.kind === 'ended') return started;
    }
    return await answerOf(thread, timeoutMs, (worker) => worker.postMessage(job));
  };
  const renderNow = async (job: RenderJob): Promise<RenderOutcome> => {
    const key = createHash('sha256').update(JSON.stringify(job)).digest('hex');
    if (before?.key === key && performance.now() < before.until) return before.outcome;
    const answer = await ask(job);
    if (answer.kind === 'ended') end();
    else idle = setTimeout(end, idleMs).unref();
    const outcome = answer.kind === 'ended' ? failed(job, answer.message) : answer;
    before = {
      key,
      outcome,
      until: answer.kind === 'ended' ? performance.now() + retryMs : Number.POSITIVE_INFINITY,
    };
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

function startThread(): Worker {
  // Beside this file, as source and in the bundle, whose parts all lie in one folder.
  const name = import.meta.url.endsWith('.ts') ? './render-worker.ts' : './render-worker.mjs';
  const thread = new Worker(new URL(name, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_THREAD_MB, maxYoungGenerationSizeMb: 8 },
    // A template has no business with what this process was started with.
    env: {},
    execArgv: [],
  });
  thread.on('error', () => undefined).unref();
  return thread;
}

/** The next message of the thread, or why there is none. */
function answerOf(thread: Worker, withinMs: number, send: (thread: Worker) => void): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer): void => {
      clearTimeout(timer);
      thread.off('message', settle).off('exit', exited).off('error', broken);
      resolve(answer);
    };
    const ended = (message: string): void => settle({ kind: 'ended', message });
    const exited = (): void => ended('it ended the thread that renders it');
    const broken = (error: Error & { readonly code?: string }): void => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      ended(
        isMemory
          ? `it took more memory than the limit MAX_THREAD_MB allows (${MAX_THREAD_MB} MB)`
          : error.message,
      );
    };
    const timer = setTimeout(() => ended(`it was not done within ${withinMs} ms`), withinMs);
    thread.on('message', settle).on('exit', exited).on('error', broken);
    send(thread);
  });
}

function failed({ templatePath }: RenderJob, message: string): RenderOutcome {
  return { kind: 'failed', message: `Cannot render template "${templatePath}": ${message}` };
}
