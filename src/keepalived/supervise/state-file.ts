import { rmSync } from 'node:fs';
import { createRunFile } from '../../engine/system/file/replace-file.ts';
import type { Log } from '../../engine/system/log.ts';
import type { InstanceState } from '../vip-presence.ts';

interface StateFile {
  /**
   * Replaces the file in one step if its content changed, or another program removed or changed it. A failed write is
   * repeated at the next call. It is not synced, since its reader acts within milliseconds.
   */
  readonly write: (instances: readonly InstanceState[], nowMs: number) => void;
  /** For good: nothing is written any more. */
  readonly remove: () => void;
}

/**
 * Tells other programs on this node which VIPs it holds: `{"version":1,"instances":[{"name","state","priority","sinceMs"}],"at"}`,
 * with `sinceMs` in milliseconds of the Unix epoch. An instance without a known state is left out.
 */
export function createStateFile(path: string, log: Log): StateFile {
  const replace = createRunFile(path, 0o644, {
    failed: (message) => log({ event: 'states-not-written', level: 'error', path, message }),
  });
  let isRemoved = false;
  return {
    write: (instances, nowMs) => {
      if (isRemoved) return;
      const known = instances.filter(({ state }) => state !== 'UNKNOWN');
      const at = Date.now();
      const shown = known.map(({ since, ...rest }) => ({
        ...rest,
        sinceMs: Math.round(at - (nowMs - since)),
      }));
      const text = JSON.stringify({ version: 1, instances: shown, at: new Date(at).toISOString() });
      replace(`${text}\n`, JSON.stringify(known));
    },
    remove: () => {
      isRemoved = true;
      rmSync(path, { force: true });
    },
  };
}
