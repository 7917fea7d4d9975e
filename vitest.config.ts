import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './vitest.longest-first.ts';
import { patience } from './vitest.shared.ts';

/** A project is a folder (docs/internals/decisions/0046-test-projects.md); `one` file at a time where a figure depends on it. */
const project = (name: string, include: readonly string[], one?: { readonly groupOrder: number }) => ({
  extends: true as const,
  test: {
    name,
    include: include.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`)),
    ...(one !== undefined && { maxWorkers: 1, sequence: one }),
  },
});

/**
 * Forks, because tests change the umask and the time zone of their process. A worker is used for file after file: starting
 * one for each would take longer than most unit tests.
 */
export default defineConfig({
  test: {
    ...patience,
    isolate: false,
    globalSetup: 'test/helpers/build-once.ts',
    setupFiles: 'test/helpers/property-seed.ts',
    // The programs that tests start are compiled once, not each time.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
    // More than there are cores: a contract test has namespaces and folders of its own, and often waits.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', ['test/architecture.test.ts', 'test/unit']),
      project('contract', ['test/contract', 'test/golden']),
      project('integration', ['test/integration']),
      project('slow', ['test/slow', 'test/browser'], { groupOrder: 1 }),
      project('tools', ['test/tools'], { groupOrder: 2 }),
    ],
  },
});
