import { execFileSync } from 'node:child_process';
import { createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { crlIssuer, readCrl } from '../../../src/haproxy/certificates/crl.ts';
import { elementAt, elementsIn } from '../../../src/haproxy/certificates/der.ts';
import { distributionPoints } from '../../../src/haproxy/certificates/distribution-points.ts';
import { createAuthority } from '../../helpers/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'hawser-crl-'));
afterAll(() => rmSync(folder, { recursive: true }));
const uris = ['http://pki.test/a.crl', 'ldap:///CN=a?certificateRevocationList', 'https://pki.test/a'];
const authority = createAuthority(join(folder, 'ec'), uris);
const issuerOf = ({ cert }: { readonly cert: string }) => crlIssuer(new X509Certificate(cert));
const pem = authority.revoke(authority.issue({ commonName: 'gone' }));
const der = execFileSync('openssl', ['crl', '-outform', 'DER'], { input: pem });

test('a certificate names the places of a CRL in their order, of any scheme', () => {
  expect(distributionPoints(new X509Certificate(authority.cert))).toEqual(uris);
  expect(distributionPoints(new X509Certificate(createAuthority(join(folder, 'plain')).cert))).toEqual([]);
});

test('a CRL is read as DER and as PEM, with its times', () => {
  const found = readCrl(der, issuerOf(authority));
  expect(readCrl(Buffer.from(`a comment\n${pem}`), issuerOf(authority))).toEqual(found);
  if (found.kind !== 'crl') throw new Error(found.message);
  const { crl } = found;
  const dates = execFileSync('openssl', ['crl', '-noout', '-lastupdate', '-nextupdate'], { input: crl.pem });
  const said = `${dates}`.match(/(?<==).*/g)?.map((date) => Date.parse(date));
  expect([crl.issuedMs, crl.validToMs]).toEqual(said);
});

test('a CRL is taken of the CA alone that has signed it, with RSA too', () => {
  const rsa = createAuthority(join(folder, 'rsa'), [], ['-newkey', 'rsa:2048', '-nodes']);
  const crl = Buffer.from(rsa.revoke());
  expect(readCrl(crl, issuerOf(rsa))).toMatchObject({ kind: 'crl' });
  for (const [bytes, issuer] of [
    [crl, issuerOf(authority)],
    [der, issuerOf(rsa)],
  ] as const)
    expect(readCrl(bytes, issuer)).toEqual({
      kind: 'wrong',
      message: 'its authority has not signed it',
    });
});

/** DER of this identifier and value. */
function element(tag: number, ...value: readonly Buffer[]): Buffer {
  const content = Buffer.concat(value);
  const bytes = content.length < 0x80 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

const own = { key: createPrivateKey(readFileSync(join(folder, 'ec/ca.key'))), issuer: issuerOf(authority) };
const signed = elementAt(der, 0).begin;
const parts: readonly Buffer[] = [
  element(0x02, Buffer.from([1])),
  ...elementsIn(der, elementAt(der, signed)).map(({ at, end }) => der.subarray(at, end)),
];
const algorithm: Buffer = parts[1] ?? Buffer.alloc(0);
/** The CRL with other parts, signed anew. */
function crlOf(edited: readonly Buffer[], outer: Buffer = algorithm, unusedBits = 0): Buffer {
  const crl = element(0x30, ...edited);
  const signature = sign('sha256', crl, own.key);
  return element(0x30, crl, outer, element(0x03, Buffer.from([unusedBits]), signature));
}
const oid = (hex: string) => element(0x06, Buffer.from(hex, 'hex'));
const critical = element(0x01, Buffer.from([0xff]));
const withExtension = (id: string, ...value: readonly Buffer[]) =>
  crlOf([...parts, element(0xa0, element(0x30, element(0x30, oid(id), critical, element(0x04, ...value))))]);

test('a CRL that was signed anew is one, so that the next ones are refused for what differs', () => {
  expect(readCrl(crlOf(parts), own.issuer)).toMatchObject({ kind: 'crl' });
  const userCertificates = element(0x30, Buffer.from([0x81, 1, 0xff]));
  expect(readCrl(withExtension('551d1c', userCertificates), own.issuer)).toMatchObject({
    kind: 'crl',
  });
});

test.each([
  ['of changes alone', withExtension('551d1b', element(0x02, Buffer.from([1]))), 'a delta CRL'],
  [
    'for some reasons',
    withExtension('551d1c', element(0x30, Buffer.from([0x83, 2, 6, 0x40]))),
    'not for all',
  ],
  [
    'of other authorities',
    withExtension('551d1c', element(0x30, Buffer.from([0x84, 1, 0xff]))),
    'not for all',
  ],
  ['with an unknown critical extension', withExtension('551d63', element(0x05)), 'critical extension'],
  ['without its next update', crlOf(parts.toSpliced(4, 1)), 'it is no X.509 CRL'],
  [
    'of another name',
    crlOf(parts.map((part, at) => (at === 2 ? element(0x30) : part))),
    'of another authority',
  ],
  [
    'with another algorithm outside',
    crlOf(parts, element(0x30, oid('2a8648ce3d040303'))),
    'it is no X.509 CRL',
  ],
  ['with a signature that has bits too many', crlOf(parts, algorithm, 1), 'it is no X.509 CRL'],
  ['with something behind it', Buffer.concat([crlOf(parts), Buffer.from([0x05, 0])]), 'it is no X.509 CRL'],
])('a signed CRL %s is refused', (_what, bytes, message) => {
  expect(readCrl(bytes, own.issuer)).toEqual({
    kind: 'wrong',
    message: expect.stringContaining(message),
  });
});

const inside = der.length / 3;

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a page', Buffer.from('<html>Sign in</html>')],
  ['a certificate', Buffer.from(authority.cert)],
  ['half of a CRL', der.subarray(0, der.length / 2)],
  [
    'a CRL of which one bit is another',
    Buffer.from(der.map((byte, at) => (at === inside >>> 0 ? byte ^ 1 : byte))),
  ],
  [
    'a CRL with an unknown signature',
    Buffer.from(der.map((byte, at) => (at > der.length - 80 && at < der.length - 70 ? 0xff : byte))),
  ],
])('%s is no CRL', (_what, bytes) => {
  expect(readCrl(bytes, issuerOf(authority))).toMatchObject({ kind: 'wrong' });
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
