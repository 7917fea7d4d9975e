import { defineConfig } from 'vitest/config';
import { LongestFirst } from './vitest.longest-first.ts';
import { repeatedOnce } from './vitest.repeated.ts';
import { patience } from './vitest.shared.ts';

/** `npm run test:vrrp`: three whole nodes a file, and two files at a time, as they wait for most of it. */
export default defineConfig({
  test: {
    ...patience,
    retry: repeatedOnce.retry,
    reporters: [...repeatedOnce.reporters],
    include: ['test/vrrp/**/*.test.ts'],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
