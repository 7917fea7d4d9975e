import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../engine/system/errors.ts';
import type { InstanceState } from '../vip-presence.ts';

export interface StateFile {
  /**
   * Replaces the file in one step if its content changed. A failed write is repeated at the next call. It is not
   * synced, since its reader acts within milliseconds.
   */
  readonly write: (instances: readonly InstanceState[], nowMs: number) => void;
  readonly remove: () => void;
}

/**
 * Tells other programs on this node which VIPs it holds: `{"instances":[{"name","state","priority","sinceMs"}],"at"}`,
 * with `sinceMs` in milliseconds of the Unix epoch. An instance without a known state is left out.
 */
export function createStateFile(
  path: string,
  log: (event: { event: string; level: 'error'; path: string; message: string }) => void,
): StateFile {
  let written: string | undefined;
  let complained = false;
  return {
    write: (instances, nowMs) => {
      const known = instances.filter(({ state }) => state !== 'UNKNOWN');
      const key = JSON.stringify(known);
      if (key === written) return;
      const at = Date.now();
      const shown = known.map(({ since, ...rest }) => ({
        ...rest,
        sinceMs: Math.round(at - (nowMs - since)),
      }));
      try {
        const text = JSON.stringify({ instances: shown, at: new Date(at).toISOString() });
        writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o644 });
        renameSync(`${path}.new`, path);
        written = key;
        complained = false;
      } catch (error) {
        if (!complained)
          log({ event: 'states-not-written', level: 'error', path, message: messageOf(error) });
        complained = true;
      }
    },
    remove: () => rmSync(path, { force: true }),
  };
}
