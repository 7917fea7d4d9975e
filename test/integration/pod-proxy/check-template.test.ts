import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTemplateCheck } from '../../../src/pod-proxy/check-template.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hawser-check-template-'));
});
afterEach(() => {
  delete process.env['AWS_SECRET_ACCESS_KEY'];
  rmSync(dir, { recursive: true });
});

/** HAProxy's words about a frontend with these lines. */
async function wordsAbout(...lines: readonly string[]): Promise<string> {
  const path = join(dir, 'haproxy.cfg');
  writeFileSync(
    path,
    ['frontend a', 'mode http', 'bind *:2181', 'timeout client 1s', ...lines, ''].join('\n'),
  );
  const outcome = await createTemplateCheck('haproxy')(path);
  return outcome.kind === 'invalid' ? outcome.detail : outcome.kind;
}

test('a token that a template has HAProxy read as a list is not in its words', async () => {
  const [header, claims] = [{ alg: 'RS256' }, { sub: 'system:serviceaccount:shop:hawser-pod-proxy' }].map(
    (part) => Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const file = join(dir, 'token');
  writeFileSync(file, `${header}.${claims}.c2lnbmF0dXJl-_`);
  const words = await wordsAbout(`acl a src -f ${file}`);
  expect(words).toContain("'TOKEN' is not a valid");
  expect(words).not.toMatch(new RegExp(`${claims}|c2lnbmF0dXJl`));
});

test('credentials for AWS in variables are not there for a template', async () => {
  process.env['AWS_SECRET_ACCESS_KEY'] = 'wJalrXUtnFEMI';
  const words = await wordsAbout('"x$AWS_SECRET_ACCESS_KEY"');
  expect(words).toContain("unknown keyword 'x'");
});
