import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkTls } from '../../../../src/router/decide/check-tls.ts';
import type { RouteTls } from '../../../../src/router/follow/route.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';

const dir = fileFolder();
const authority = createAuthority(join(dir, 'ca'));
const pair = authority.issue({ commonName: 'app', dnsNames: ['app.example.com'] });
const other = authority.issue({ commonName: 'other' });
const past = { from: new Date(Date.UTC(2020, 0, 1)), to: new Date(Date.UTC(2020, 0, 2)) };

function check(some: Partial<RouteTls>) {
  return checkTls({
    termination: 'edge',
    insecurePolicy: '',
    certificate: '',
    key: '',
    caCertificate: '',
    destinationCaCertificate: '',
    ...some,
  });
}

/** A self-signed pair, or one of a weak authority, created by openssl. */
function openssl(...args: readonly string[]): string {
  return execFileSync('openssl', [...args], {
    cwd: dir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function rsaKey(file: string, bits = 2_048): string {
  openssl('genrsa', '-out', file, String(bits));
  return file;
}

/** The keys of the authority and of its certificates. Creating them takes longer than everything else. */
const authorityKey = rsaKey('authority.key');
const leafKey = rsaKey('leaf.key');
const textOf = (file: string): string => readFileSync(join(dir, file), 'utf8');

function selfSigned(key: string, ...more: readonly string[]): { certificate: string; key: string } {
  openssl('req', '-x509', '-key', key, '-days', '1', '-subj', '/CN=self', ...more, '-out', 'self.crt');
  return { certificate: textOf('self.crt'), key: textOf(key) };
}

/** Signed by an authority, so that the signature is checked. */
function signed(...flags: readonly string[]): { certificate: string; key: string } {
  selfSigned(authorityKey);
  openssl('req', '-new', '-key', leafKey, '-subj', '/CN=leaf', '-out', 'leaf.csr');
  const signer = ['-CA', 'self.crt', '-CAkey', authorityKey, '-CAcreateserial', '-days', '1'];
  openssl('x509', '-req', '-in', 'leaf.csr', ...signer, ...flags, '-out', 'leaf.crt');
  return { certificate: textOf('leaf.crt'), key: textOf(leafKey) };
}

function pemOf(der: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
}

/** A certificate whose public key is not a valid point of its curve. */
function unreadableKey(): string {
  const der = new X509Certificate(pair.cert).raw;
  const point = der.indexOf(Buffer.from('03420004', 'hex'));
  der.fill(0xff, point + 4, point + 68);
  return pemOf(der);
}

/** A certificate whose first or second date is invalid. */
function undated(which: 0 | 1): string {
  const der = new X509Certificate(pair.cert).raw;
  const first = der.indexOf(Buffer.from('170d', 'hex'));
  der[first + 15 * which + 2] = 0;
  return pemOf(der);
}

describe('a certificate with its key', () => {
  test('is re-encoded: key, certificate and CA, without other text', () => {
    const found = check({
      certificate: `# a comment\n${pair.cert}\nglobal\n`,
      key: `evil\n${pair.key}`,
      caCertificate: authority.cert,
    });
    const block = /-----BEGIN .*-----[^-]*-----END .*-----\n/g;
    const pem = found.kind === 'checked' ? (found.tls.certificate?.pem ?? '') : '';
    expect([...pem.matchAll(/BEGIN (.*)-----/g)].map(([, label]) => label)).toEqual([
      'PRIVATE KEY',
      'CERTIFICATE',
      'CERTIFICATE',
    ]);
    expect(pem.replaceAll(block, '')).toBe('');
    expect(new X509Certificate(pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'))).subject).toContain('app');
  });

  test('is parsed once for all routes that share it, as the paths of an Ingress do', () => {
    const shared = { certificate: pair.cert, key: pair.key };
    const first = check(shared);
    const second = check({ ...shared });
    expect(second).toBe(first);
    expect(check({ ...shared, caCertificate: authority.cert })).not.toBe(first);
    expect(check({ ...shared, key: other.key }).kind).toBe('invalid');
  });

  test('may have expired', () => {
    const old = authority.issue({ commonName: 'old', validity: past });
    expect(check({ certificate: old.cert, key: old.key }).kind).toBe('checked');
  });

  test('may include the key', () => {
    expect(check({ certificate: `${pair.cert}${pair.key}` }).kind).toBe('checked');
  });

  test.each([0, 1] as const)(
    'is refused without a date that can be read: the status could not say when it ends',
    (which) => {
      expect(check({ certificate: undated(which), key: pair.key })).toEqual({
        kind: 'invalid',
        message: 'certificate: the dates of a certificate cannot be read',
      });
    },
  );

  test.each([
    [
      'the key of another',
      { certificate: pair.cert, key: other.key },
      'key: it is not the key of the certificate',
    ],
    ['no key', { certificate: pair.cert }, 'key: expected a PEM private key'],
    [
      'no certificate in the text',
      { certificate: 'x', key: pair.key },
      'certificate: expected a PEM certificate',
    ],
    [
      'a block of another kind',
      { certificate: pair.cert.replaceAll('CERTIFICATE', 'DH PARAMETERS'), key: pair.key },
      'certificate: unknown PEM block DH PARAMETERS',
    ],
    [
      'a damaged block',
      { certificate: pair.cert.replace('-----END', '----END'), key: pair.key },
      'certificate: a PEM block is damaged or encrypted',
    ],
    [
      'a block without a certificate',
      { certificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', key: pair.key },
      'certificate: a PEM block CERTIFICATE cannot be parsed',
    ],
    [
      'an invalid CA',
      { certificate: pair.cert, key: pair.key, caCertificate: 'x' },
      'caCertificate: expected a PEM certificate',
    ],
    [
      'an invalid CA of the pods',
      { destinationCaCertificate: 'x' },
      'destinationCACertificate: expected a PEM certificate',
    ],
  ])('is refused with %s', (_, some, message) => {
    expect(check(some)).toEqual({ kind: 'invalid', message });
  });

  test('is refused with a key that OpenSSL would not load', () => {
    expect(check(selfSigned(rsaKey('short.key', 1_024)))).toMatchObject({
      message: 'key: an RSA key of 1024 bits is too short, expected 2048 to 4096',
    });
  });

  test('is refused if its public key cannot be read, without an exception', () => {
    expect(check({ certificate: unreadableKey(), key: pair.key })).toEqual({
      kind: 'invalid',
      message: 'certificate: its public key cannot be read',
    });
    expect(check({ destinationCaCertificate: unreadableKey() }).kind).toBe('invalid');
  });

  test.each([
    ['RIPEMD-160', '-ripemd160', 'invalid'],
    ['SHA-512/224', '-sha512-224', 'invalid'],
    ['SHA-1 in a PSS signature', '-sha1 -sigopt rsa_padding_mode:pss', 'invalid'],
    ['SHA-256 in a PSS signature', '-sha256 -sigopt rsa_padding_mode:pss', 'checked'],
    ['SHA-384', '-sha384', 'checked'],
    ['SHA3-256', '-sha3-256', 'checked'],
  ])('signed with %s (%s) is %s, as a certificate and as a CA', (_, flags, kind) => {
    const leaf = signed(...flags.split(' '));
    expect(check(leaf).kind).toBe(kind);
    expect(check({ ...pair, certificate: pair.cert, caCertificate: leaf.certificate }).kind).toBe(kind);
    expect(check({ destinationCaCertificate: leaf.certificate }).kind).toBe(kind);
  });

  test('is refused if its signature algorithm is unknown', () => {
    // The last byte of the object identifier's second occurrence, which is after the signed part.
    const der = new X509Certificate(signed('-sha256').certificate).raw;
    const oid = Buffer.from('06092a864886f70d01010b', 'hex');
    for (let at = der.indexOf(oid); at >= 0; at = der.indexOf(oid, at + 1)) der[at + 10] = 0x7f;
    expect(check({ destinationCaCertificate: pemOf(der) })).toMatchObject({
      message: expect.stringMatching(/signed with an unknown algorithm/),
    });
  });

  test('is refused if it is signed with SHA-1, unless it is self-signed', () => {
    const self = selfSigned(authorityKey, '-sha1');
    expect(check(self).kind).toBe('checked');
    const leaf = signed('-sha1');
    expect(check(leaf)).toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/^certificate: a certificate is signed with .*sha1/i),
    });
    expect(check({ destinationCaCertificate: leaf.certificate }).kind).toBe('invalid');
  });
});
