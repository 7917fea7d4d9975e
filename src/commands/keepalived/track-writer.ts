import { writeFile } from 'node:fs/promises';
import { messageOf } from '../../model/errors.ts';
import type { VipKind } from '../../model/vrrp.ts';
import { monotonicMs } from '../../system/monotonic-clock.ts';
import type { Observers } from '../monitor/observers.ts';

/** How often the file is written though nothing has changed: the supervisor takes 3 s of silence for a dead monitor. */
const REFRESH_EVERY_MS = 500;

/** Writes at each change and every half second. In place: keepalived watches the file that it has opened. */
export function createTrackWriter(
  { kind, trackFile: path }: { readonly kind: VipKind; readonly trackFile: string },
  { log, once }: Observers,
): (value: number, why: string | undefined) => Promise<void> {
  let last: { readonly value: number; readonly at: number } | undefined;
  let writing: Promise<void> = Promise.resolve();
  const topic = `track-file-${kind}`;
  const failed = (error: unknown): void => {
    const message = messageOf(error);
    if (once.isNew(topic, message)) log({ event: 'track-file-not-written', level: 'error', path, message });
  };
  return async (value, why) => {
    const now = monotonicMs();
    if (last?.value === value && now - last.at < REFRESH_EVERY_MS) return await writing;
    if (last?.value !== value) log({ event: 'health-told', kind, value, before: last?.value, why });
    last = { value, at: now };
    writing = writing
      .then(() => writeFile(path, `${value}\n`, { mode: 0o644 }))
      .then(() => void once.clear(topic), failed);
    await writing;
  };
}
