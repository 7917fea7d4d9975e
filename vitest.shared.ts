/** A busy machine makes a test slow, not wrong: only what hangs runs into these. */
export const patience = { testTimeout: 120_000, hookTimeout: 120_000 } as const;
