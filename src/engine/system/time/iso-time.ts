/** ISO 8601, UTC, of milliseconds of the Unix epoch. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
