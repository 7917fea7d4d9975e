import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examine, said, temporaryRoot } from '../../../helpers/doctor/scene.ts';

/** A program that prints this and exits. */
function printing(output: string): string {
  const path = join(temporaryRoot({ '/program': `#!/bin/sh\ncat <<'END'\n${output}\nEND\n` }), 'program');
  chmodSync(path, 0o755);
  return path;
}

const haproxy = (version: string, openssl = '+') =>
  `HAProxy version ${version}\nFeature list : ${openssl}OPENSSL`;
const keepalived = (version: string, options: string) =>
  `Keepalived v${version}\n\nConfig options:  ${options}`;
const ended = '2.7.1 2022/12/19\nStatus: stable branch - will stop receiving fixes around Q1 2024.';

test.each<[program: 'haproxy' | 'keepalived', claim: string, output: string | undefined, words: RegExp]>([
  ['haproxy', 'of the distribution passes', undefined, /^ok: /],
  ['haproxy', 'that is too old fails', haproxy('2.4.22-f8e3218 2023/02/14'), /^fail: .*2\.4\.22/],
  ['haproxy', 'without TLS fails', haproxy('3.0.5-8e879a5 2024/09/19', '-'), /^fail: .*OpenSSL/],
  [
    'haproxy',
    'past its upstream support passes: a distribution may fix it',
    haproxy(ended),
    /^ok: .*2\.7\.1/,
  ],
  ['haproxy', 'without a version cannot be judged', 'hello', /^unknown: .*no version/],
  ['keepalived', 'of the distribution passes', undefined, /^ok: /],
  ['keepalived', 'that is too old fails', keepalived('2.0.10 (11/12,2018)', 'LVS VRRP'), /^fail: /],
  ['keepalived', 'without VRRP fails', keepalived('2.3.1 (05/24,2024)', 'LVS'), /^fail: /],
  ['keepalived', 'that is newer passes', keepalived('2.3.1 (05/24,2024)', 'LVS VRRP VRRP_AUTH'), /^ok: /],
])('a %s %s', async (program, _, output, words) => {
  const settings = output === undefined ? {} : { [program]: printing(output) };
  expect(said(await examine(`${program}-program`, undefined, settings))).toMatch(words);
});

test('a program that is missing here may be in the image of its pod', async () => {
  const finding = await examine('keepalived-program', undefined, { keepalived: '/nowhere/keepalived' });
  expect(said(finding)).toMatch(/^unknown: .*not installed/);
});
