import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { patience } from './vitest.shared.ts';

/**
 * `npm test`. Forks, because tests change the umask and the time zone of their process. A worker is used for file after
 * file: starting one for each would take longer than most unit tests.
 */
export default defineConfig({
  test: {
    ...patience,
    isolate: false,
    // The programs that tests start are compiled once, not each time.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/architecture.test.ts', 'test/unit/**/*.test.ts', 'test/golden/**/*.test.ts'],
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/browser/**/*.test.ts'],
          // Three whole nodes at a time: `npm run test:vrrp`.
          exclude: ['test/integration/vrrp/**'],
          // Each file has network namespaces and folders of its own, and mostly waits for its programs.
          maxWorkers: 5,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
