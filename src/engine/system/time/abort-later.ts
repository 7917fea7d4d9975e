/** A signal that aborts `delayMs` after `signal`, with the same reason. */
export function abortLater(signal: AbortSignal, delayMs: number): AbortSignal {
  if (delayMs === 0) return signal;
  const later = new AbortController();
  const begin = (): void => void setTimeout(() => later.abort(signal.reason), delayMs);
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  return later.signal;
}
