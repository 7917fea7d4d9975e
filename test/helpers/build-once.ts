import type { TestProject } from 'vitest/node';
import { ensureBuilt } from './supervisor-build.ts';

/** Before the first file: workers that build at the same time would run each other's half-written bundles. */
export function setup(project: TestProject): void {
  ensureBuilt();
  project.onTestsRerun(async () => ensureBuilt());
}
