import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAgreementFile } from '../../../../src/vip/agreement/agreement-file.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hwkv-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test.each<[string, (path: string) => void, string]>([
  ['a FIFO without a writer', (path) => execFileSync('mkfifo', [path]), 'it is no regular file'],
  [
    'a file of a gigabyte',
    (path) => [writeFileSync(path, ''), truncateSync(path, 1e9)],
    'MAX_AGREEMENT_BYTES',
  ],
])('%s in the place of the agreement is unusable, and is not waited for', async (_what, make, problem) => {
  const path = join(dir, 'monitor.conf');
  make(path);
  const message = expect.stringContaining(problem);
  expect(await readAgreementFile([path])).toEqual({ kind: 'unusable', path, message });
});
