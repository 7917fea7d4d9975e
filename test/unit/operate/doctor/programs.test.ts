import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examine, temporaryRoot } from '../../../helpers/doctor/scene.ts';

/** A program that prints this and ends. */
function program(output: string): string {
  const path = join(temporaryRoot({ '/program': `#!/bin/sh\ncat <<'END'\n${output}\nEND\n` }), 'program');
  chmodSync(path, 0o755);
  return path;
}

test('haproxy-program: the one of the distribution will do', async () => {
  expect(await examine('haproxy-program', undefined)).toMatchObject({ kind: 'ok' });
});

test.each([
  ['an old one', 'HAProxy version 2.4.22-f8e3218 2023/02/14\nFeature list : +OPENSSL', 'fail', '2.4.22'],
  ['one without TLS', 'HAProxy version 3.0.5-8e879a5 2024/09/19\nFeature list : -OPENSSL', 'fail', 'OpenSSL'],
  [
    'one whose authors stopped fixing it, which its distribution may go on to do',
    'HAProxy version 2.7.1 2022/12/19\nStatus: stable branch - will stop receiving fixes around Q1 2024.\nFeature list : +OPENSSL',
    'ok',
    '2.7.1',
  ],
  ['something else', 'hello', 'unknown', 'no version'],
])('haproxy-program: %s', async (_, output, kind, words) => {
  const finding = await examine('haproxy-program', undefined, { haproxy: program(output) });
  expect(finding).toMatchObject({ kind, message: expect.stringContaining(words) });
});

test('keepalived-program: the one of the distribution does', async () => {
  expect(await examine('keepalived-program', undefined)).toMatchObject({ kind: 'ok' });
});

test.each([
  ['an old one', 'Keepalived v2.0.10 (11/12,2018)\n\nConfig options:  LVS VRRP', 'fail'],
  ['one without VRRP', 'Keepalived v2.3.1 (05/24,2024)\n\nConfig options:  LVS', 'fail'],
  ['a newer one', 'Keepalived v2.3.1 (05/24,2024)\n\nConfig options:  LVS VRRP VRRP_AUTH', 'ok'],
])('keepalived-program: %s', async (_, output, kind) => {
  expect(await examine('keepalived-program', undefined, { keepalived: program(output) })).toMatchObject({
    kind,
  });
});

test('a program that is not here may be in the image of its pod', async () => {
  const finding = await examine('keepalived-program', undefined, { keepalived: '/nowhere/keepalived' });
  expect(finding).toMatchObject({ kind: 'unknown', message: expect.stringContaining('not installed') });
});
