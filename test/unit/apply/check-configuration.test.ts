import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkConfiguration } from '../../../src/apply/check-configuration.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'hawser-check-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Checks with a program that does just this. */
async function checkWith(script: string, timeoutMs = 10_000) {
  const haproxyPath = join(directory, 'haproxy');
  writeFileSync(haproxyPath, `#!/bin/sh\n${script}\n`);
  chmodSync(haproxyPath, 0o755);
  return await checkConfiguration('/etc/haproxy.cfg', { haproxyPath, timeoutMs });
}

it('asks for a check of just this file', async () => {
  expect(await checkWith('[ "$*" = "-c -f /etc/haproxy.cfg" ]')).toEqual({ kind: 'valid' });
});

it('hands on the last words of HAProxy, and not a megabyte of them', async () => {
  const outcome = await checkWith('yes warning | head -c 500000 >&2; echo the error >&2; exit 1');
  expect(outcome).toMatchObject({ kind: 'invalid', detail: expect.stringMatching(/the error$/) });
  expect(outcome.kind === 'invalid' && outcome.detail.length).toBe(4_000);
});

it('does not take a check that hangs for a refusal', async () => {
  const outcome = await checkWith('exec sleep 60', 100);
  expect(outcome).toMatchObject({
    kind: 'impossible',
    message: expect.stringContaining('not done after 100 ms'),
  });
});
