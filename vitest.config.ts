import { defineConfig } from 'vitest/config';

// Integration tests start real programs and share two cores: one file at a time keeps them honest.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Three whole nodes at a time: `npm run test:vrrp`. The image and its containers: `npm run test:e2e`.
    exclude: ['test/integration/vrrp/**', 'test/e2e/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    reporters: ['default'],
  },
});
