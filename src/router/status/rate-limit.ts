/** Takes one of the writes that are allowed now, or says how long to wait for it: 0 where it was taken. */
export type RateLimit = (nowMs: number) => number;

/** As many a second as `perSecond`, and so many at once after a quiet second. */
export function createRateLimit(perSecond: number): RateLimit {
  let left = perSecond;
  let atMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    left = Math.min(perSecond, left + ((nowMs - atMs) / 1_000) * perSecond);
    atMs = nowMs;
    if (left < 1) return Math.ceil(((1 - left) / perSecond) * 1_000);
    left -= 1;
    return 0;
  };
}
