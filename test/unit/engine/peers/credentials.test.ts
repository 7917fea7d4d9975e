import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readCredentials } from '../../../../src/engine/peers/credentials.ts';
import type { PeerFiles } from '../../../../src/engine/peers/peer.ts';
import { runCommand } from '../../../../src/engine/system/process/run-command.ts';
import { early, expired, type PeerAuthority, peerAuthority } from '../../../helpers/peers/peer-files.ts';

const node = { commonName: 'cp-1', dnsNames: ['cp-1'], addresses: ['10.0.0.11'] };

async function problemOf(files: PeerFiles): Promise<string> {
  const look = await readCredentials(files, new Date());
  return look.kind === 'good' ? 'good' : look.message;
}

test('a certificate, its key and its authority are good', async () => {
  expect(await problemOf(peerAuthority().filesFor(node))).toBe('good');
});

test('a certificate whose file also has what leads to the authority is good', async () => {
  const files = peerAuthority().filesFor(node);
  writeFileSync(files.cert, readFileSync(files.cert, 'utf8') + readFileSync(files.ca, 'utf8'));
  expect(await problemOf(files)).toBe('good');
});

test('two authorities stand side by side while one takes the place of the other', async () => {
  const files = peerAuthority().filesFor(node);
  const next = readFileSync(peerAuthority().certFile, 'utf8');
  writeFileSync(files.ca, next + readFileSync(files.ca, 'utf8'));
  expect(await problemOf(files)).toBe('good');
});

test.each([
  ['expired', expired, /tls\.crt": it expired at .*Z, expected/],
  ['not valid yet', early, /tls\.crt": it is not valid before .*Z, expected/],
])('a certificate that is %s is told with its time', async (_, validity, message) => {
  expect(await problemOf(peerAuthority().filesFor({ ...node, validity }))).toMatch(message);
});

test.each<[string, (files: PeerFiles, authority: PeerAuthority) => void, RegExp]>([
  ['a missing key', ({ key }) => rmSync(key), /tls\.key": ENOENT/],
  [
    'another key',
    ({ key }, { filesFor }) => copyFileSync(filesFor(node).key, key),
    /tls\.key": it is not the key of/,
  ],
  ['no key at all', ({ key, cert }) => copyFileSync(cert, key), /tls\.key": it holds no key/],
  [
    'half a certificate',
    ({ cert }) => writeFileSync(cert, readFileSync(cert, 'utf8').slice(0, 300)),
    /tls\.crt": it is only half/,
  ],
  [
    'half a chain',
    ({ ca, cert }) =>
      writeFileSync(cert, readFileSync(cert, 'utf8') + readFileSync(ca, 'utf8').slice(0, 300)),
    /tls\.crt": it is only half/,
  ],
  ['an empty authority', ({ ca }) => writeFileSync(ca, ''), /ca\.crt": there is no certificate in it/],
  [
    'noise in PEM',
    ({ ca }) => writeFileSync(ca, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
    /ca\.crt": it holds a certificate that cannot be read/,
  ],
  [
    'a certificate that is no authority',
    ({ ca, cert }) => copyFileSync(cert, ca),
    /ca\.crt": .* expected CA:TRUE/,
  ],
  [
    'an authority that did not issue it',
    ({ ca }) => copyFileSync(peerAuthority().certFile, ca),
    /tls\.crt": the CA in ".*ca\.crt" did not issue it/,
  ],
  [
    'a file of a megabyte',
    ({ ca }) => writeFileSync(ca, 'x'.repeat(1_000_000)),
    /ca\.crt": it has 1000000 bytes/,
  ],
])('%s is unusable, and the file is named', async (_, spoil, message) => {
  const authority = peerAuthority();
  const files = authority.filesFor(node);
  spoil(files, authority);
  expect(await problemOf(files)).toMatch(message);
});

test('a FIFO or a folder in the place of a file makes no caller wait', async () => {
  const files = peerAuthority().filesFor(node);
  rmSync(files.key);
  await runCommand(['mkfifo', files.key], { timeoutMs: 10_000 });
  expect(await problemOf(files)).toMatch(/tls\.key": it is no regular file/);
  rmSync(files.ca);
  mkdirSync(files.ca);
  expect(await problemOf(files)).toMatch(/ca\.crt": /);
});

test('no message holds anything of the key', async () => {
  const files = peerAuthority().filesFor(node);
  const key = readFileSync(files.key, 'utf8');
  writeFileSync(files.key, key.slice(0, -80));
  const message = await problemOf(files);
  expect(message).toMatch(/tls\.key": it holds no key/);
  for (const line of key.split('\n').filter((each) => each.length > 8)) expect(message).not.toContain(line);
});
