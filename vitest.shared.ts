/** A busy machine makes a test slow, not wrong, so only a hung test runs into these timeouts. */
export const patience = { testTimeout: 120_000, hookTimeout: 120_000 } as const;
