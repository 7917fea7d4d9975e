import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A folder of the running test's own, removed when it has ended. For a hook before it, or the test itself. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-'));
  onTestFinished(() => remove(folder));
  return folder;
}

/** A folder of the file's own, removed after its last test. */
export function fileFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-'));
  afterAll(() => remove(folder));
  return folder;
}

/** Programs that a test has ended may still write there. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
