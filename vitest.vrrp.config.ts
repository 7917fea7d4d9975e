import { defineConfig } from 'vitest/config';
import { LongestFirst } from './vitest.longest-first.ts';
import { repeatedOnce } from './vitest.repeated.ts';
import { patience } from './vitest.shared.ts';

/** These check promised times and run alone, because other tests would lengthen those times. */
const timed = ['test/vrrp/killed-container.test.ts'];

/** `npm run test:vrrp`: three complete nodes per file, and two files at a time, because they mostly wait. */
export default defineConfig({
  test: {
    ...patience,
    globalSetup: 'test/helpers/build-once.ts',
    retry: repeatedOnce.retry,
    reporters: [...repeatedOnce.reporters],
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'vrrp', include: ['test/vrrp/**/*.test.ts'], exclude: timed } },
      {
        extends: true,
        test: { name: 'vrrp-timed', include: timed, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
