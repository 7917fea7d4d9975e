import { readThreads, type ThreadVitals } from '../../engine/system/process/process-vitals.ts';
import { childrenOf, isAlive, isStopped, type ProcessId } from '../../engine/system/process/processes.ts';
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

const POLL_EVERY_MS = 200;
/** Counted from an answer. */
const ASK_AFTER_LOOKS = 2;
/** A thread that ran this long may have the question: it is sent again, and another thread of the worker may get it. */
const ASK_AGAIN_AFTER_CPU_MS = 500;
const MOST_ASKED = 4;

interface Watched {
  /** Undefined while no question is pending. */
  question: Question | undefined;
  looksToQuestion: number;
}

interface Question {
  readonly cpuMs: ReadonlyMap<number, number>;
  /** The sum over all threads, at the last poll. */
  sleeps: number;
  asked: number;
}

type Life = { readonly lives: boolean; readonly hangs?: Hangs; readonly busyMs?: number };

/**
 * Checks five times a second whether each desired generation is alive: whether its processes are stopped, and whether its
 * worker answers a question, or uses CPU meanwhile. A question is sent every 0.4 s; threads are
 * examined only while one is pending.
 */
export function watchHangs(
  program: Pick<ProxyDriver, 'answers'>,
  engine: { readonly state: () => State; readonly dispatch: (event: Event) => void },
): { readonly stop: () => void } {
  const watched = new Map<number, Watched>();
  const ask = (generation: Serving | Retiring, known: Watched, { busyMs = 0 }: Life): void => {
    known.looksToQuestion -= 1;
    const open = known.question;
    if (open === undefined ? known.looksToQuestion > 0 : busyMs < ASK_AGAIN_AFTER_CPU_MS * open.asked) return;
    const question = open ?? questionTo(generation);
    if (question.asked === MOST_ASKED) return;
    question.asked += 1;
    known.question = question;
    const done = (): void => {
      if (known.question !== question) return;
      known.question = undefined;
      known.looksToQuestion = ASK_AFTER_LOOKS;
    };
    void program.answers(runningOf(generation)).then(done, done);
  };
  const look = (): void => {
    const generations = generationsIn(engine.state());
    for (const number of watched.keys())
      if (!generations.some((generation) => generation.number === number)) watched.delete(number);
    for (const generation of generations) {
      const { number } = generation;
      const known = watched.get(number) ?? { question: undefined, looksToQuestion: 0 };
      watched.set(number, known);
      const life = lifeOf(generation, known.question);
      ask(generation, known, life);
      engine.dispatch({ kind: 'polled', number, ...life });
    }
  };
  const timer = setInterval(look, POLL_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

function lifeOf(generation: Serving | Retiring, question: Question | undefined): Life {
  const workers = workersOf(generation);
  if (workers.some(isStopped)) return { lives: false, hangs: 'worker' };
  // A stopped master does not notice that its worker has ended: then nothing is left to protect.
  if (isStopped(generation.master)) return { lives: false, hangs: workers.length > 0 ? 'master' : 'worker' };
  return question === undefined ? { lives: true } : lifeWithout(question, threadsOf(generation));
}

function questionTo(generation: Serving | Retiring): Question {
  const threads = threadsOf(generation);
  const cpuMs = new Map(threads.map(({ tid, cpuMs }) => [tid, cpuMs]));
  return { cpuMs, sleeps: sleepsOf(threads), asked: 0 };
}

/**
 * A worker that has yet to answer is alive while it runs, waits for a CPU or inside the kernel, or wakes up now and
 * then. This function does not decide how long it may do that.
 */
export function lifeWithout(question: Question, threads: readonly ThreadVitals[]): Life {
  const sleeps = sleepsOf(threads);
  const woke = sleeps !== question.sleeps;
  question.sleeps = sleeps;
  if (!woke && !threads.some(({ state }) => state === 'R' || state === 'D'))
    return { lives: false, hangs: 'worker' };
  const used = threads.map(({ tid, cpuMs }) => cpuMs - (question.cpuMs.get(tid) ?? cpuMs));
  return { lives: true, busyMs: Math.max(0, ...used) };
}

function workersOf({ master, workers }: Serving | Retiring): readonly ProcessId[] {
  return workers.length > 0 ? workers.filter(isAlive) : childrenOf(master);
}

function threadsOf(generation: Serving | Retiring): readonly ThreadVitals[] {
  return [generation.master, ...workersOf(generation)].flatMap(readThreads);
}

function sleepsOf(threads: readonly ThreadVitals[]): number {
  return threads.reduce((sum, { sleeps }) => sum + sleeps, 0);
}
