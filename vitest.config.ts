import { defineConfig } from 'vitest/config';

// Integration tests start real programs and share two cores: one file at a time keeps them honest.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Three whole nodes at a time, five minutes in all: `npm run test:vrrp`.
    exclude: ['test/integration/vrrp/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: ['default'],
  },
});
