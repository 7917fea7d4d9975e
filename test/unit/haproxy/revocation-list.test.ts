import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { elementAt, elementsIn } from '../../../src/haproxy/certificates/der.ts';
import { distributionPoints } from '../../../src/haproxy/certificates/distribution-points.ts';
import { readRevocationList } from '../../../src/haproxy/certificates/revocation-list.ts';
import { createAuthority } from '../../helpers/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'hawser-lists-'));
afterAll(() => rmSync(folder, { recursive: true }));
const uris = ['http://pki.test/a.crl', 'ldap:///CN=a?certificateRevocationList', 'https://pki.test/a'];
const authority = createAuthority(join(folder, 'ec'), uris);
const keyOf = ({ cert }: { readonly cert: string }) => new X509Certificate(cert).publicKey;
const pem = authority.revoke(authority.issue({ commonName: 'gone' }));
const der = execFileSync('openssl', ['crl', '-outform', 'DER'], { input: pem });

test('a certificate names the places of a list in their order, of any scheme', () => {
  expect(distributionPoints(new X509Certificate(authority.cert))).toEqual(uris);
  expect(distributionPoints(new X509Certificate(createAuthority(join(folder, 'plain')).cert))).toEqual([]);
});

test('a list is read as DER and as PEM, with its times', () => {
  const found = readRevocationList(der, keyOf(authority));
  expect(readRevocationList(Buffer.from(`a comment\n${pem}`), keyOf(authority))).toEqual(found);
  if (found.kind !== 'list') throw new Error(found.message);
  const { list } = found;
  const dates = execFileSync('openssl', ['crl', '-noout', '-lastupdate', '-nextupdate'], { input: list.pem });
  const said = `${dates}`.match(/(?<==).*/g)?.map((date) => Date.parse(date));
  expect([list.issuedMs, list.validToMs]).toEqual(said);
});

test('a list is taken of the CA alone that has signed it, with RSA too', () => {
  const rsa = createAuthority(join(folder, 'rsa'), [], ['-newkey', 'rsa:2048', '-nodes']);
  const list = Buffer.from(rsa.revoke());
  expect(readRevocationList(list, keyOf(rsa))).toMatchObject({ kind: 'list' });
  for (const [bytes, key] of [
    [list, keyOf(authority)],
    [der, keyOf(rsa)],
  ] as const)
    expect(readRevocationList(bytes, key)).toEqual({
      kind: 'wrong',
      message: 'its authority has not signed it',
    });
});

const inside = der.length / 3;

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a page', Buffer.from('<html>Sign in</html>')],
  ['a certificate', Buffer.from(authority.cert)],
  ['half of a list', der.subarray(0, der.length / 2)],
  [
    'a list of which one bit is another',
    Buffer.from(der.map((byte, at) => (at === inside >>> 0 ? byte ^ 1 : byte))),
  ],
  [
    'a list with an unknown signature',
    Buffer.from(der.map((byte, at) => (at > der.length - 80 && at < der.length - 70 ? 0xff : byte))),
  ],
])('%s is no list', (_what, bytes) => {
  expect(readRevocationList(bytes, keyOf(authority))).toMatchObject({ kind: 'wrong' });
});

test.each([
  ['no length', '30'],
  ['a length beyond the end', '300502'],
  ['a length without an end', '3080'],
  ['a length of nine bytes', '3089000000000000000000'],
  ['a tag of several bytes', '1f8101'],
  ['a part that is longer than the whole', '30030205ffff'],
])('%s is no DER', (_what, hex) => {
  const bytes = Buffer.from(hex, 'hex');
  expect(() => elementsIn(bytes, elementAt(bytes, 0))).toThrow(RangeError);
});
