import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './vitest.longest-first.ts';
import { patience } from './vitest.shared.ts';

/** What takes minutes of a processor's time: `npm run test:slow`. */
const slow = [
  'test/browser/**/*.test.ts',
  'test/integration/api-lb/restarted-server.test.ts',
  'test/integration/api-lb/starved-server.test.ts',
  'test/integration/demo/demo.test.ts',
  'test/integration/demo-router/demo-router.test.ts',
  'test/integration/engine/apply/file-set-trouble.test.ts',
  'test/integration/haproxy/busy.test.ts',
  'test/integration/haproxy/busy-worker.test.ts',
  'test/integration/haproxy/runtime-changes.test.ts',
  'test/integration/haproxy/spinning-worker.test.ts',
  'test/integration/operate/install/dry-run.test.ts',
  'test/integration/operate/install/edited.test.ts',
  'test/integration/operate/install/foreign.test.ts',
  'test/integration/operate/install/refusals.test.ts',
  'test/integration/operate/install/uninstall.test.ts',
  'test/integration/router/serve/faulty-api.test.ts',
  'test/integration/router/serve/interleavings.test.ts',
  'test/integration/router/status/status-trouble.test.ts',
  'test/integration/vip/guards/virtual-router-id.test.ts',
];

/**
 * The projects "unit" and "integration" are `npm test` (docs/internals/decisions/0046-test-projects.md). Forks, because tests change
 * the umask and the time zone of their process. A worker is used for file after file: starting one for each would take
 * longer than most unit tests.
 */
export default defineConfig({
  test: {
    ...patience,
    isolate: false,
    globalSetup: 'test/helpers/build-once.ts',
    setupFiles: 'test/helpers/property-seed.ts',
    // The programs that tests start are compiled once, not each time.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    // More than there are cores: each integration file has network namespaces and folders of its own, and mostly waits.
    maxWorkers: 8,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/architecture.test.ts', 'test/unit/**/*.test.ts', 'test/golden/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: slow,
        },
      },
      {
        extends: true,
        test: { name: 'slow', include: slow, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
