import { messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';
import { sleep } from '../system/time/sleep.ts';
import { type Endpoint, serveEndpoint } from './http-endpoint.ts';

/** Retry pause for an address in use. */
const AGAIN_MS = 5_000;

/**
 * `serveEndpoint` for a program with more important work: an address that cannot be used is logged once and retried.
 * Does nothing without an address. Never rejects.
 */
export async function servePatiently(
  address: { readonly host: string; readonly port: number } | undefined,
  endpoint: Endpoint,
  log: Log,
  signal: AbortSignal,
  againMs = AGAIN_MS,
): Promise<void> {
  if (address === undefined) return;
  for (let isFailing = false; !signal.aborted; ) {
    try {
      await serveEndpoint(address, endpoint, signal);
      if (isFailing) log({ event: 'metrics-served', ...address });
      return;
    } catch (error) {
      if (!isFailing)
        log({ event: 'metrics-not-served', level: 'warn', ...address, message: messageOf(error) });
      isFailing = true;
    }
    await sleep(againMs, signal, { ref: false });
  }
}
