const EXIT_CODES = { healthy: 0, whole: 0, degraded: 1, broken: 1, unknown: 2 } as const;

/** The exit code of a command that reports a verdict: doctor, status and timeline. */
export function exitCodeOf({ verdict }: { readonly verdict: keyof typeof EXIT_CODES }): number {
  return EXIT_CODES[verdict];
}
