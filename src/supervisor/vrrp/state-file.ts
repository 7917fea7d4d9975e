import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { messageOf } from '../../model/errors.ts';
import type { InstanceState } from '../../model/vip-presence.ts';

export interface StateFile {
  /** Replaces the file in one step, if anything in it is new; a write that failed is repeated at the next call. A reader acts within milliseconds: no sync to disk. */
  readonly write: (instances: readonly InstanceState[], nowMs: number) => void;
  readonly remove: () => void;
}

/**
 * Tells others on this node what is held: `{"instances":[{"name","state","priority","sinceMs"}],"at"}`, `sinceMs` in
 * milliseconds of the Unix epoch. An instance of which nothing is known is left out.
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
