import { rmSync } from 'node:fs';
import { readText } from '../engine/system/file/read-regular-file.ts';
import { createRunFile } from '../engine/system/file/replace-file.ts';
import type { Log } from '../engine/system/log.ts';
import { parseJson } from '../engine/system/text/parse-json.ts';
import type { InstanceState } from './vip-presence.ts';

export interface RecordedState {
  readonly name: string;
  readonly state: string;
  /** Milliseconds of the Unix epoch. */
  readonly sinceMs: number;
}

/** The instances in the supervisor's state file; empty if the file is missing, damaged or of another version. */
export function readStateFile(path: string): readonly RecordedState[] {
  const file = parseJson(readText(path));
  return isStateFile(file) ? file.instances : [];
}

/** Validates by hand, like the participation note. */
function isStateFile(file: unknown): file is { readonly instances: readonly RecordedState[] } {
  if (typeof file !== 'object' || file === null) return false;
  const { version = 1, instances }: { readonly version?: unknown; readonly instances?: unknown } = file;
  return version === 1 && Array.isArray(instances) && instances.every(isRecordedState);
}

function isRecordedState(each: unknown): each is RecordedState {
  if (typeof each !== 'object' || each === null) return false;
  const { name, state, sinceMs }: { readonly [K in keyof RecordedState]?: unknown } = each;
  return typeof name === 'string' && typeof state === 'string' && typeof sinceMs === 'number';
}

interface StateFile {
  /**
   * Replaces the file in one step if its content changed, or another program removed or changed it. On a full disk a file with
   * these states stays, even if its priorities are old; one with other states is removed. A failed write is repeated at the
   * next call. The file is not synced, since its reader acts within milliseconds.
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
      const text = `${JSON.stringify({ version: 1, instances: shown, at: new Date(at).toISOString() })}\n`;
      const key = JSON.stringify(known);
      if (replace(text, key) || statesOf(readStateFile(path)) === statesOf(known)) return;
      removeIfPossible(path);
      // The removed file may have made room for the new one.
      replace(text, key);
    },
    remove: () => {
      isRemoved = true;
      rmSync(path, { force: true });
    },
  };
}

function statesOf(instances: readonly { readonly name: string; readonly state: string }[]): string {
  return JSON.stringify(instances.map(({ name, state }) => [name, state]));
}

/** A file can be removed on a full disk. Without it, no program takes an old state for the current one. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The failed write is logged.
  }
}
