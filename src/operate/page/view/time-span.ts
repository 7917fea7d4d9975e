/** ISO 8601, UTC. */
export interface TimeSpan {
  readonly from: string;
  readonly to: string;
}

export interface Tick {
  /** Where, in percent of the span. */
  readonly x: number;
  /** `03:10`. */
  readonly label: string;
}

const HOUR_MS = 3_600_000;
/** So that the drawing stands still for a while: a tenth of a percent of the hour is not seen. */
const STEP_MS = 10_000;
const TICK_MS = 600_000;

/** The hour that ends with the next step of ten seconds. */
export function lastHour(nowMs: number): TimeSpan {
  const to = (Math.floor(nowMs / STEP_MS) + 1) * STEP_MS;
  return { from: new Date(to - HOUR_MS).toISOString(), to: new Date(to).toISOString() };
}

/** In percent from the left, with what lies outside on the edge. */
export function placeOf(at: string, { from, to }: TimeSpan): number {
  const share = (Date.parse(at) - Date.parse(from)) / (Date.parse(to) - Date.parse(from));
  return Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100;
}

/** Every ten minutes. */
export function ticksOf(span: TimeSpan): readonly Tick[] {
  const first = Math.ceil(Date.parse(span.from) / TICK_MS) * TICK_MS;
  const count = Math.floor((Date.parse(span.to) - first) / TICK_MS) + 1;
  return Array.from({ length: count }, (_, n) => {
    const at = new Date(first + n * TICK_MS).toISOString();
    return { x: placeOf(at, span), label: clockText(at).slice(0, 5) };
  });
}

/** `03:12:04`, UTC. */
export function clockText(at: string): string {
  return new Date(at).toISOString().slice(11, 19);
}
