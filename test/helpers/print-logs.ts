import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';

/** Of a log that repeats itself its end says enough. */
const MAX_CHARACTERS = 8_000;

/** For `afterEach`: prints a failed test's logs from `dir`, which is about to be removed. */
export function printLogsOfFailed({ task }: TestContext, dir: string): void {
  if (task.result?.state !== 'fail') return;
  const logs = readdirSync(dir).filter((name) => name.endsWith('.log'));
  for (const name of logs)
    console.error(`${name}:\n${readFileSync(join(dir, name), 'utf8').slice(-MAX_CHARACTERS)}`);
}
