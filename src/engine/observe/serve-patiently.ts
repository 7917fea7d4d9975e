import { messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';
import { sleep } from '../system/time/sleep.ts';
import { type Endpoint, serveEndpoint } from './http-endpoint.ts';

/** Retry pause for an address in use. */
const RETRY_MS = 5_000;

/**
 * Calls `serveEndpoint` for a program that must not fail for it: an address that cannot be used is logged once and retried.
 * Does nothing without an address. Never rejects.
 */
export async function servePatiently(
  address: { readonly host: string; readonly port: number } | undefined,
  endpoint: Endpoint,
  log: Log,
  signal: AbortSignal,
  retryMs = RETRY_MS,
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
    await sleep(retryMs, signal, { ref: false });
  }
}
