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
const authority = createAuthority(join(folder, 'ca'));
const pem = authority.revoke(authority.issue({ commonName: 'gone' }));
const der = execFileSync('openssl', ['crl', '-outform', 'DER'], { input: pem });

test('a certificate names the places of its list in their order, of any scheme', () => {
  const uris = ['http://pki.test/a.crl', 'ldap:///CN=a?certificateRevocationList', 'https://pki.test/a'];
  const points = `crlDistributionPoints=${uris.map((uri) => `URI:${uri}`).join(',')}`;
  const made = (...more: readonly string[]) =>
    new X509Certificate(
      execFileSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:P-256',
          '-nodes',
          '-keyout',
          '/dev/null',
        ].concat(['-subj', '/CN=a', '-days', '1', ...more]),
        { stdio: ['ignore', 'pipe', 'ignore'] },
      ),
    );
  expect(distributionPoints(made('-addext', points))).toEqual(uris);
  expect(distributionPoints(made())).toEqual([]);
});

test('a list is read as DER and as PEM, with its times', () => {
  const found = readRevocationList(der);
  expect(readRevocationList(Buffer.from(`a comment\n${pem}`))).toEqual(found);
  if (found.kind !== 'list') throw new Error(found.message);
  const dates = execFileSync('openssl', ['crl', '-noout', '-lastupdate', '-nextupdate'], {
    input: found.pem,
  });
  const said = `${dates}`.match(/(?<==).*/g)?.map((date) => Date.parse(date));
  expect([found.issuedMs, found.validToMs]).toEqual(said);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a page', Buffer.from('<html>Sign in</html>')],
  ['a certificate', Buffer.from(authority.cert)],
  ['half of a list', der.subarray(0, der.length / 2)],
  [
    'a list whose inside is damaged',
    Buffer.from(der.map((byte, at) => (at > der.length - 80 && at < der.length - 70 ? 0xff : byte))),
  ],
])('%s is no list', (_what, bytes) => {
  expect(readRevocationList(bytes)).toMatchObject({ kind: 'wrong' });
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
