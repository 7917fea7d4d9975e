import { defineConfig } from 'vitest/config';

// Integration tests start real programs and share two cores: one file at a time keeps them honest.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: ['default'],
  },
});
