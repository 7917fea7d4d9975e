import { messageOf } from '../../engine/system/errors.ts';
import type { Log } from '../../engine/system/log.ts';

/** The events for an invalid value, once for each message, and for its recovery. */
interface Told {
  readonly usable: string;
  readonly unusable: string;
  readonly facts?: Readonly<Record<string, string>>;
}

/**
 * Reads a value each time. If a new value is invalid, that is reported and the last good one stays. Throws the error of `read` without a last
 * good one.
 */
export function keepLastGood<T>(
  read: (before: T | undefined) => Promise<T>,
  { usable, unusable, facts = {} }: Told,
  log: Log,
): () => Promise<T> {
  let good: { readonly value: T } | undefined;
  let told: string | undefined;
  return async () => {
    try {
      good = { value: await read(good?.value) };
      if (told !== undefined) log({ event: usable, ...facts });
      told = undefined;
    } catch (error) {
      if (good === undefined) throw error;
      const message = messageOf(error);
      if (told !== message) log({ event: unusable, level: 'error', message, ...facts });
      told = message;
    }
    return good.value;
  };
}
