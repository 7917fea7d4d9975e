import { setFlagsFromString } from 'node:v8';

/** No reload follows on another as late as this in a storm of them, and nobody waits for a supervisor that rests. */
const REST_MS = 10_000;

/**
 * Returns a function to call after each start or reload: once the supervisor has rested for a while, it gives back the memory
 * that took. V8 would keep it: at rest so little is allocated that it never collects garbage. Code that ran is thrown away too, since
 * most of it was for the start; what is needed again is compiled again. Does nothing where Node was started without `--expose-gc`
 * (bin/hawser).
 */
export function createMemoryRelease(restMs = REST_MS): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(release, restMs);
    timer.unref();
  };
}

function release(): void {
  setFlagsFromString('--stress-flush-code');
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--no-stress-flush-code');
}
