export interface Sample {
  readonly atMs: number;
  readonly value: number;
}

export interface Slope {
  /** The line's value at the first and last block. */
  readonly from: number;
  readonly to: number;
  readonly perHour: number;
  /** Standard error of `perHour`. */
  readonly error: number;
}

const HOUR_MS = 3_600_000;
/** With fewer blocks the error cannot be estimated. */
const MIN_BLOCKS = 4;

/**
 * Least-squares line through the mean of each `blockMs`. Memory rises and falls with garbage collection, so neighbouring
 * samples are correlated; counting each of them would make the error too small. Undefined for fewer than four
 * blocks.
 */
export function slopeOf(samples: readonly Sample[], blockMs: number): Slope | undefined {
  const points = blocksOf(samples, blockMs);
  if (points.length < MIN_BLOCKS) return undefined;
  const meanAt = meanOf(points.map(({ atMs }) => atMs));
  const mean = meanOf(points.map(({ value }) => value));
  const spread = sumOf(points.map(({ atMs }) => (atMs - meanAt) ** 2));
  const perMs = sumOf(points.map(({ atMs, value }) => (atMs - meanAt) * (value - mean))) / spread;
  const at = (atMs: number) => mean + perMs * (atMs - meanAt);
  const residue = sumOf(points.map(({ atMs, value }) => (value - at(atMs)) ** 2));
  return {
    from: at(points[0]?.atMs ?? meanAt),
    to: at(points.at(-1)?.atMs ?? meanAt),
    perHour: perMs * HOUR_MS,
    error: Math.sqrt(residue / (points.length - 2) / spread) * HOUR_MS,
  };
}

/** False if the value grows by more than `tolerance` an hour and by more than two standard errors. */
export function isFlat({ perHour, error }: Slope, tolerance: number): boolean {
  return perHour <= Math.max(tolerance, 2 * error);
}

function blocksOf(samples: readonly Sample[], blockMs: number): readonly Sample[] {
  const beganAtMs = samples[0]?.atMs ?? 0;
  const blocks = Object.groupBy(samples, ({ atMs }) => Math.floor((atMs - beganAtMs) / blockMs));
  return Object.values(blocks).map((block = []) => ({
    atMs: meanOf(block.map(({ atMs }) => atMs)),
    value: meanOf(block.map(({ value }) => value)),
  }));
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const meanOf = (values: readonly number[]): number => sumOf(values) / values.length;
