import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Running } from './line.ts';

/**
 * Servers that were removed from a generation but still exist. They get no new connections, and their sessions may finish for a moment, or as long as
 * on a draining generation. Then the remaining sessions are shut down, and a moment later the server is deleted. Not at once: HAProxy 2.6.12 may
 * crash while a session is leaving the server. A new generation reads the file and has no such servers.
 */
export interface LeftOvers {
  readonly of: (running: Running) => ReadonlySet<string>;
  /** With `options`, the server's sessions may finish. */
  readonly add: (running: Running, server: string, options?: string) => void;
  /**
   * Adds a server that an earlier supervisor removed this long ago but did not delete. Its sessions may finish unless the server is desired again.
   */
  readonly adopt: (running: Running, server: string, goneForMs: number) => void;
  /** Options of a server whose sessions may finish, and which may be restored. */
  readonly optionsOf: (running: Running, server: string) => string | undefined;
  readonly forget: (running: Running, server: string) => void;
  /**
   * Advances up to fifty due servers by one step each, and every `awaited` one. A server that is `awaited` is due after at most one step's time, unless
   * it may be restored. Returns false if no server advanced.
   */
  readonly advance: (running: Running, awaited: (server: string) => boolean) => Promise<boolean>;
}

/** Commands for HAProxy. Each resolves with HAProxy's error text, or undefined on success. */
interface RemovalCommands {
  readonly end: (running: Running, server: string) => Promise<string | undefined>;
  readonly remove: (running: Running, server: string) => Promise<string | undefined>;
}

interface LeftOver {
  readonly stage: 'leaving' | 'ended';
  readonly dueMs: number;
  readonly options: string | undefined;
}

/** HAProxy's answers to these take tens of milliseconds, which is how long a change of another tenant may wait. */
const MOST_STEPS = 50;

export function createLeftOvers(
  { end, remove }: RemovalCommands,
  { stepMs, finishMs }: { readonly stepMs: number; readonly finishMs: number },
): LeftOvers {
  let generation = 0;
  let servers = new Map<string, LeftOver>();
  const inGeneration = (running: Running): Map<string, LeftOver> => {
    // Pending work on a generation that is now draining must not drop the work on the serving one.
    if (running.generation < generation) return new Map();
    if (running.generation !== generation) servers = new Map();
    generation = running.generation;
    return servers;
  };
  /** Undefined once the server is deleted. */
  const next = async (
    running: Running,
    server: string,
    leftOver: LeftOver,
  ): Promise<LeftOver | undefined> => {
    const { stage } = leftOver;
    const later = { ...leftOver, dueMs: monotonicMs() + stepMs };
    if (stage === 'leaving') {
      const trouble = await end(running, server);
      return trouble === undefined ? { ...later, stage: 'ended' } : later;
    }
    const trouble = await remove(running, server);
    return trouble === undefined || trouble.includes('No such server') ? undefined : later;
  };
  return {
    of: (running) => new Set(inGeneration(running).keys()),
    add: (running, server, options) => {
      const dueMs = monotonicMs() + (options === undefined ? stepMs : finishMs);
      inGeneration(running).set(server, { stage: 'leaving', dueMs, options });
    },
    adopt: (running, server, goneForMs) => {
      const dueMs = monotonicMs() + Math.max(0, finishMs - goneForMs);
      inGeneration(running).set(server, { stage: 'leaving', dueMs, options: undefined });
    },
    optionsOf: (running, server) => inGeneration(running).get(server)?.options,
    forget: (running, server) => void inGeneration(running).delete(server),
    advance: async (running, awaited) => {
      const leaving = inGeneration(running);
      let hasAdvanced = false;
      let steps = 0;
      for (const [server, leftOver] of [...leaving]) {
        const leftMs = leftOver.dueMs - monotonicMs();
        const isFinishing = leftOver.stage === 'leaving' && leftOver.options !== undefined;
        if (leftMs > 0 && (isFinishing || !awaited(server))) continue;
        if (steps >= MOST_STEPS && !awaited(server)) continue;
        steps += 1;
        if (leftMs > 0) await pause(Math.ceil(Math.min(leftMs, stepMs)));
        const after = await next(running, server, leftOver);
        // At the end: a server that HAProxy refuses to delete must not use up the steps of the others.
        leaving.delete(server);
        if (after !== undefined) leaving.set(server, after);
        hasAdvanced ||= after?.stage !== leftOver.stage;
      }
      return hasAdvanced;
    },
  };
}
