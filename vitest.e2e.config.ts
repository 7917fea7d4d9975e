import { defineConfig } from 'vitest/config';
import { repeatedOnce } from './vitest.repeated.ts';

/** `npm run test:e2e`: builds the image once, and runs it and the manifests' pods in a real container engine. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    fileParallelism: false,
    globalSetup: ['test/e2e/helpers/global-setup.ts'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    retry: repeatedOnce.retry,
    reporters: [...repeatedOnce.reporters],
  },
});
