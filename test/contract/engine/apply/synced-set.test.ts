import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';

const script = fileURLToPath(new URL('apply-synced.ts', import.meta.url));

test.each([
  ['HAProxy takes at runtime', 'told', ['asked', 'copied', 'copied']],
  ['HAProxy starts with', 'reload', ['asked', 'copied', 'asked', 'copied']],
  ['an ended process has left', 'left', ['asked', 'copied', 'asked', 'copied']],
])('a set that %s is on the disk before a last good copy names it', async (_what, how, expected) => {
  const directory = mkdtempSync(join(tmpdir(), 'hawser-synced-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const argv = [process.execPath, script, directory, how] as const;
  const { stdout, stderr } = await runCommand(argv, { timeoutMs: 30_000 });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual(expected.map((when) => ({ when, unsynced: [] })));
});
