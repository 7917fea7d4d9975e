import { createHash } from 'node:crypto';
import type { ApplyOutcome } from '../config/outcome.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { type LastChange, messageIn, nextChange, type Origin } from './last-change.ts';
import type { ShownChange } from './last-change-schema.ts';

/** A monitor's last configuration change, for its status and log. */
interface ChangeRecord {
  /** Records an attempt and returns its cause. */
  readonly note: (origin: Origin, outcome: ApplyOutcome) => string;
  readonly view: () => ChangeView;
}

/** The record as shown in a monitor's status. */
interface ChangeView {
  /** Hash of the last rendered configuration; null before the first one. */
  readonly configSha256: string | null;
  readonly lastChange: ShownChange | null;
}

export function createChangeRecord(): ChangeRecord {
  let last: LastChange | undefined;
  return {
    note: (origin, outcome) => {
      last = nextChange(last, origin, outcome, monotonicMs());
      return last.cause;
    },
    view: () => ({
      configSha256: last === undefined ? null : createHash('sha256').update(last.origin.text).digest('hex'),
      lastChange: last === undefined ? null : shown(last),
    }),
  };
}

function shown({ cause, outcome, atMs }: LastChange): ShownChange {
  const message = messageIn(outcome);
  const agoMs = Math.round(monotonicMs() - atMs);
  return { cause, result: outcome.kind, agoMs, ...(message !== undefined && { message }) };
}
