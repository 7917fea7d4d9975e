import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './vitest.longest-first.ts';
import { patience } from './vitest.shared.ts';

/** These starve HAProxy of CPU time. Nothing else may run with them. */
const starving = [
  'test/slow/api-lb/starved-server.test.ts',
  'test/slow/haproxy/busy.test.ts',
  'test/slow/haproxy/busy-worker.test.ts',
  'test/slow/haproxy/spinning-worker.test.ts',
];

/** A project per folder (docs/internals/decisions/0046-test-projects.md). `group`: runs after the others, with fewer files at a time. */
const project = (
  name: string,
  include: readonly string[],
  group?: { readonly groupOrder: number; readonly maxWorkers: number },
  exclude: readonly string[] = [],
) => ({
  extends: true as const,
  test: {
    name,
    include: include.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`)),
    exclude: [...exclude],
    ...(group && { maxWorkers: group.maxWorkers, sequence: { groupOrder: group.groupOrder } }),
  },
});

/**
 * Forks, because tests change the umask and the time zone of their process. Workers are reused, because starting one per
 * file would take longer than most unit tests.
 */
export default defineConfig({
  test: {
    ...patience,
    isolate: false,
    globalSetup: 'test/helpers/build-once.ts',
    setupFiles: 'test/helpers/property-seed.ts',
    // Programs started by tests are compiled only once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    // More than there are cores, because contract tests are isolated from each other and often wait.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', ['test/architecture.test.ts', 'test/unit']),
      project('contract', ['test/contract', 'test/golden']),
      project('integration', ['test/integration']),
      project('slow', ['test/slow', 'test/browser'], { groupOrder: 1, maxWorkers: 2 }, starving),
      project('slow-alone', starving, { groupOrder: 2, maxWorkers: 1 }),
      project('tools', ['test/tools'], { groupOrder: 3, maxWorkers: 2 }),
    ],
  },
});
