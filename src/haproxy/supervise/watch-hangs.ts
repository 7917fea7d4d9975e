import { readThreads, type ThreadVitals } from '../../engine/system/process/process-vitals.ts';
import { isStopped } from '../../engine/system/process/processes.ts';
import type { ProxyDriver } from '../program.ts';
import {
  type Event,
  generationsIn,
  type Hangs,
  type Retiring,
  runningOf,
  type Serving,
  type State,
} from './state.ts';
import { workersOf } from './workers-of.ts';

const POLL_EVERY_MS = 200;
/** Polls between an answer and the next question. */
const ASK_AFTER_POLLS = 2;
/** A thread that ran this long may have received the question. It is sent again, so that another thread of the worker may receive it. */
const ASK_AGAIN_AFTER_CPU_MS = 500;
const MOST_ASKED = 4;

interface Watched {
  /** Undefined if no question is pending. */
  question: Question | undefined;
  pollsToQuestion: number;
}

interface Question {
  readonly cpuMs: ReadonlyMap<number, number>;
  /** Sum over all threads at the last poll. */
  sleeps: number;
  asked: number;
}

type Life = { readonly lives: boolean; readonly hangs?: Hangs; readonly busyMs?: number };

/**
 * Polls each desired generation five times a second: whether its processes are stopped, and whether its worker answers a question or uses CPU
 * meanwhile. A question is sent every 0.4 s. Threads are examined only while one is pending.
 */
export function watchHangs(
  program: Pick<ProxyDriver, 'answers'>,
  engine: { readonly state: () => State; readonly dispatch: (event: Event) => void },
): { readonly stop: () => void } {
  const watched = new Map<number, Watched>();
  const askIfDue = (generation: Serving | Retiring, watching: Watched, { busyMs = 0 }: Life): void => {
    watching.pollsToQuestion -= 1;
    const open = watching.question;
    if (open === undefined ? watching.pollsToQuestion > 0 : busyMs < ASK_AGAIN_AFTER_CPU_MS * open.asked)
      return;
    const question = open ?? questionTo(generation);
    if (question.asked === MOST_ASKED) return;
    question.asked += 1;
    watching.question = question;
    const done = (): void => {
      if (watching.question !== question) return;
      watching.question = undefined;
      watching.pollsToQuestion = ASK_AFTER_POLLS;
    };
    void program.answers(runningOf(generation)).then(done, done);
  };
  const poll = (): void => {
    const generations = generationsIn(engine.state());
    for (const number of watched.keys())
      if (!generations.some((generation) => generation.number === number)) watched.delete(number);
    for (const generation of generations) {
      const { number } = generation;
      const watching = watched.get(number) ?? { question: undefined, pollsToQuestion: 0 };
      watched.set(number, watching);
      const life = lifeOf(generation, watching.question);
      askIfDue(generation, watching, life);
      engine.dispatch({ kind: 'polled', number, ...life });
    }
  };
  const timer = setInterval(poll, POLL_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

function lifeOf(generation: Serving | Retiring, question: Question | undefined): Life {
  const workers = workersOf(generation);
  if (workers.some(isStopped)) return { lives: false, hangs: 'worker' };
  // A stopped master does not notice that its worker has ended. Then nothing is left to protect.
  if (isStopped(generation.master)) return { lives: false, hangs: workers.length > 0 ? 'master' : 'worker' };
  return question === undefined ? { lives: true } : lifeWithout(question, threadsOf(generation));
}

function questionTo(generation: Serving | Retiring): Question {
  const threads = threadsOf(generation);
  const cpuMs = new Map(threads.map(({ tid, cpuMs }) => [tid, cpuMs]));
  return { cpuMs, sleeps: sleepsOf(threads), asked: 0 };
}

/**
 * Whether a worker that has not answered yet is alive: it runs, waits for a CPU or inside the kernel, or wakes up now and then. The caller decides
 * how long it may do that.
 */
export function lifeWithout(question: Question, threads: readonly ThreadVitals[]): Life {
  // Nothing can be said without /proc, such as without a free descriptor. An end of the processes is an event of its own.
  if (threads.length === 0) return { lives: true };
  const sleeps = sleepsOf(threads);
  const woke = sleeps !== question.sleeps;
  question.sleeps = sleeps;
  if (!woke && !threads.some(({ state }) => state === 'R' || state === 'D'))
    return { lives: false, hangs: 'worker' };
  const used = threads.map(({ tid, cpuMs }) => cpuMs - (question.cpuMs.get(tid) ?? cpuMs));
  return { lives: true, busyMs: Math.max(0, ...used) };
}

function threadsOf(generation: Serving | Retiring): readonly ThreadVitals[] {
  return [generation.master, ...workersOf(generation)].flatMap(readThreads);
}

function sleepsOf(threads: readonly ThreadVitals[]): number {
  return threads.reduce((sum, { sleeps }) => sum + sleeps, 0);
}
