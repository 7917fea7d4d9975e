import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { monotonicMs } from '../system/time/monotonic-clock.ts';

/** Longer than the gaps between reloads in a reload storm. */
const REST_MS = 10_000;

/**
 * Nothing is compiled to machine code, and the young generation is collected once a tenth of it is used. On its command line such
 * flags would have Node compile its own modules: the compiled code that it comes with is for its usual flags.
 */
const sparing = ['--no-opt', '--no-maglev', '--no-sparkplug', '--minor-gc-task-trigger=10'];

/**
 * Has V8 spare memory from now on, and returns a function to call after each start or reload. Garbage is collected every `restMs`. V8
 * alone would wait for many megabytes of it: a young generation this small is collected so often that even the little that is
 * allocated at rest grows old. The first time after a start or a reload that no other has followed for as long, compiled code is
 * thrown away too, since most of it was for that; what is needed again is compiled again.
 */
export function spareMemory(restMs = REST_MS, nowMs = monotonicMs): () => void {
  for (const flag of [...sparing, '--expose-gc']) setFlagsFromString(flag);
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  let workedAt: number | undefined;
  const timer = setInterval(() => {
    const isOver = workedAt !== undefined && nowMs() - workedAt >= restMs;
    if (isOver) collectCodeToo(collect);
    else collect({ type: 'major', execution: 'sync' });
    if (isOver) workedAt = undefined;
  }, restMs);
  timer.unref();
  return () => {
    workedAt = nowMs();
  };
}

function collectCodeToo(collect: NodeJS.GCFunction): void {
  setFlagsFromString('--stress-flush-code');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--no-stress-flush-code');
}
