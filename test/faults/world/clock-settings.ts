/** From this moment on the monotonic clock, a clock is ahead of the machine's until it is set again. */
export interface ClockSetting {
  readonly fromMs: number;
  readonly aheadMs: number;
}

/**
 * The moment at which a clock showed `shownMs`. Programs notice a setting up to `lateMs` late. If two settings
 * explain the time, the earlier one counts, so jumps have to be longer than a run.
 */
export function monotonicOf(settings: readonly ClockSetting[], shownMs: number, lateMs: number): number {
  const setting = settings.find(({ fromMs, aheadMs }, index) => {
    const untilMs = settings[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    return shownMs - aheadMs >= fromMs && shownMs - aheadMs <= untilMs + lateMs;
  });
  return shownMs - ((setting ?? settings[0])?.aheadMs ?? 0);
}
