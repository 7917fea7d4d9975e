import { defineConfig } from 'vitest/config';
import { LongestFirst } from './vitest.longest-first.ts';
import { repeatedOnce } from './vitest.repeated.ts';

/**
 * `npm run test:e2e`: builds the image once, and runs it and the manifests' pods in a real container engine. Runs two files at a time,
 * because they mostly wait.
 */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/e2e/helpers/global-setup.ts'],
    testTimeout: 900_000,
    hookTimeout: 900_000,
    retry: repeatedOnce.retry,
    reporters: [...repeatedOnce.reporters],
  },
});
