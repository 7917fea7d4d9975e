/** HAProxy's longest time: 2147483647 ms. */
const longestMs = 2_147_483_647;

const unitMs: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `30s`, `500` (ms), `1d`; a longer one than HAProxy knows is its longest, anything else is undefined. */
export function parseHaproxyDuration(text: string): number | undefined {
  const [, digits, unit = 'ms'] = /^([1-9][0-9]*)(us|ms|s|m|h|d)?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Math.min(longestMs, Math.ceil(Number(digits) * (unitMs[unit] ?? 1)));
}
