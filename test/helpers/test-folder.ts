import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A folder for the running test, removed at its end. Call it in the test, or in a hook before it. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-'));
  onTestFinished(() => remove(folder));
  return folder;
}

/** A folder for the test file, removed after its last test. */
export function fileFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-'));
  afterAll(() => remove(folder));
  return folder;
}

/** Programs that a test has stopped may still be writing there. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
