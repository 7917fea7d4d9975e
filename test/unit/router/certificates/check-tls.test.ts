import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkTls } from '../../../../src/router/certificates/check-tls.ts';
import type { RouteTls } from '../../../../src/router/objects/route.ts';
import { createAuthority } from '../../../helpers/certificates.ts';

const dir = mkdtempSync(join(tmpdir(), 'hawser-router-tls-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
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

/** A self-signed pair, or one of a weak authority, as openssl makes them. */
function openssl(...args: readonly string[]): string {
  return execFileSync('openssl', [...args], {
    cwd: dir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function selfSigned(key: string, ...more: readonly string[]): { certificate: string; key: string } {
  openssl(
    'req',
    '-x509',
    '-newkey',
    ...key.split(' '),
    '-nodes',
    '-days',
    '1',
    '-subj',
    '/CN=self',
    ...more,
    '-keyout',
    'k',
    '-out',
    'c',
  );
  return { certificate: openssl('x509', '-in', 'c'), key: openssl('pkey', '-in', 'k') };
}

describe('a certificate with its key', () => {
  test('is encoded again: the key, the certificate, the CA, and nothing that stood between', () => {
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

  test('may have expired', () => {
    const old = authority.issue({ commonName: 'old', validity: past });
    expect(check({ certificate: old.cert, key: old.key }).kind).toBe('checked');
  });

  test('may have the key beside it', () => {
    expect(check({ certificate: `${pair.cert}${pair.key}` }).kind).toBe('checked');
  });

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
      'a block that is no certificate',
      { certificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', key: pair.key },
      'certificate: a PEM block CERTIFICATE cannot be parsed',
    ],
    [
      'a CA that is none',
      { certificate: pair.cert, key: pair.key, caCertificate: 'x' },
      'caCertificate: expected a PEM certificate',
    ],
    [
      'a CA of the pods that is none',
      { destinationCaCertificate: 'x' },
      'destinationCACertificate: expected a PEM certificate',
    ],
  ])('is refused with %s', (_, some, message) => {
    expect(check(some)).toEqual({ kind: 'wrong', message });
  });

  test('is refused with a key that OpenSSL would not load', () => {
    expect(check(selfSigned('rsa:1024'))).toMatchObject({
      message: 'certificate: an RSA key of 1024 bits is too short, expected 2048',
    });
  });

  test('is refused where it is signed with SHA-1, unless it is self-signed', () => {
    const self = selfSigned('rsa:2048', '-sha1');
    expect(check(self).kind).toBe('checked');
    openssl(
      'req',
      '-new',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=leaf',
      '-keyout',
      'lk',
      '-out',
      'lr',
    );
    openssl(
      'x509',
      '-req',
      '-in',
      'lr',
      '-CA',
      'c',
      '-CAkey',
      'k',
      '-CAcreateserial',
      '-sha1',
      '-days',
      '1',
      '-out',
      'lc',
    );
    const leaf = { certificate: openssl('x509', '-in', 'lc'), key: openssl('pkey', '-in', 'lk') };
    expect(check(leaf)).toMatchObject({
      kind: 'wrong',
      message: expect.stringMatching(/^certificate: a certificate is signed with .*sha1/i),
    });
    expect(check({ destinationCaCertificate: leaf.certificate }).kind).toBe('wrong');
  });
});
