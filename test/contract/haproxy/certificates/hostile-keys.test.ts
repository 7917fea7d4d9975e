import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readKeyPair } from '../../../../src/haproxy/certificates/key-pair.ts';
import { readPem } from '../../../../src/haproxy/certificates/pem.ts';
import { doesSign } from '../../../../src/haproxy/certificates/private-key.ts';
import { bogusRsaKey } from '../../../helpers/bogus-rsa.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';

const dir = fileFolder();
const authority = createAuthority(join(dir, 'ca'));
const authorityKey = join(dir, 'ca', 'ca.key');

function openssl(...args: readonly string[]): string {
  return execFileSync('openssl', args, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** A certificate of the authority for any key. The authority does not check that the key works. */
function certified(key: string): string {
  writeFileSync(join(dir, 'key'), key);
  openssl('pkey', '-in', 'key', '-pubout', '-out', 'public');
  const signer = ['-CA', authority.certFile, '-CAkey', authorityKey, '-days', '1'];
  return openssl('x509', '-new', '-subj', '/CN=evil', '-force_pubkey', 'public', ...signer);
}

function newKey(...options: readonly string[]): string {
  return openssl('genpkey', ...options);
}

const curve = (name: string): readonly string[] => [
  ...['-algorithm', 'EC', '-pkeyopt', `ec_paramgen_curve:${name}`, '-pkeyopt', 'ec_param_enc:named_curve'],
];

describe('a key that would delay HAProxy at each ClientHello', () => {
  test.each([4_104, 16_384, 64_000])(
    'is refused as an RSA key of %i bits, before OpenSSL computes with it',
    (bits) => {
      const key = bogusRsaKey(bits);
      expect(readKeyPair(authority.cert, key)).toBe(
        `key: an RSA key of ${bits} bits is too long, expected 2048 to 4096`,
      );
    },
  );

  test('is refused as the RSA key of a certificate with another key', () => {
    const certificate = certified(bogusRsaKey(16_384));
    expect(readKeyPair(certificate, bogusRsaKey(2_048))).toBe(
      'certificate: an RSA key of 16384 bits is too long, expected 2048 to 4096',
    );
  });

  test('is refused if it matches its certificate but does not sign', () => {
    const key = bogusRsaKey(2_048);
    expect(readKeyPair(certified(key), key)).toBe('key: it does not sign, expected a key that works');
  });

  test('is refused as DSA or DH, because parsing such keys is expensive', () => {
    const parameters = join(dir, 'dsa');
    const dsa = ['-algorithm', 'DSA', '-pkeyopt', 'dsa_paramgen_bits:1024', '-out', parameters];
    openssl('genpkey', '-genparam', ...dsa);
    const message = 'a private key is of an unsupported type, expected RSA, or EC P-256, P-384 or P-521';
    for (const key of [
      newKey('-paramfile', parameters),
      newKey('-algorithm', 'DH', '-pkeyopt', 'group:ffdhe2048'),
    ])
      expect(readPem(key)).toEqual({ kind: 'bad', message });
  });

  test('is refused with a scalar that is longer than its curve', () => {
    const der = Buffer.from('3081a702010104819b', 'hex');
    const named = Buffer.from('a00a06082a8648ce3d030107', 'hex');
    const scalar = Buffer.alloc(0x9b, 0x5a);
    const body = Buffer.concat([der.subarray(3, 6), Buffer.from('04819b', 'hex'), scalar, named]);
    const whole = Buffer.concat([Buffer.from('3081', 'hex'), Buffer.of(body.length), body]);
    const pem = `-----BEGIN EC PRIVATE KEY-----\n${whole.toString('base64')}\n-----END EC PRIVATE KEY-----\n`;
    expect(readPem(pem)).toMatchObject({ kind: 'bad' });
  });
});

describe('a certificate that HAProxy cannot serve or clients cannot use', () => {
  test('is refused with an Ed25519 key, as in openshift-router', () => {
    const key = newKey('-algorithm', 'ed25519');
    expect(readKeyPair(certified(key), key)).toMatch(/^key: a private key is of an unsupported type/);
    expect(readKeyPair(certified(key), readFileSync(authorityKey, 'utf8'))).toMatch(
      /^certificate: a key is of type ed25519/,
    );
  });

  test.each(['secp224r1', 'secp256k1', 'brainpoolP256r1'])('is refused with a key of %s', (name) => {
    const key = newKey(...curve(name));
    expect(readKeyPair(certified(key), key)).toMatch(/^key: a private key is of an unsupported type/);
    expect(readKeyPair(certified(key), '')).toMatch(/^certificate: a key is of an unsupported curve/);
  });
});

test.each([
  ['RSA with 2,048 bits', ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048']],
  ['EC P-256', curve('P-256')],
  ['EC P-384', curve('P-384')],
  ['EC P-521', curve('P-521')],
])('a key of %s is used, in each form that openssl writes', (_, options) => {
  const key = newKey(...options);
  writeFileSync(join(dir, 'any'), key);
  const traditional = openssl('pkey', '-in', 'any', '-traditional');
  const certificate = certified(key);
  for (const form of [key, traditional])
    expect(readKeyPair(certificate, form)).toMatchObject({ pem: expect.stringContaining('PRIVATE KEY') });
});

test('a key is proved once and cached: ten thousand routes cost no signature per pass', () => {
  const [key, other] = [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ];
  expect(doesSign(other.privateKey, key.publicKey)).toBe(false);
  expect(doesSign(key.privateKey, key.publicKey)).toBe(true);
  expect(doesSign(key.privateKey, other.publicKey)).toBe(true);
});

test('the CA of a chain may have an RSA key of 8,192 bits: HAProxy never signs with it', () => {
  const key = readFileSync(authorityKey, 'utf8');
  const chain = (bits: number) => `${authority.cert}${certified(bogusRsaKey(bits))}`;
  expect(readKeyPair(chain(8_192), key)).toMatchObject({ fingerprint: expect.any(String) });
  expect(readKeyPair(chain(8_200), key)).toBe(
    'certificate: an RSA key of 8200 bits is too long, expected 2048 to 8192',
  );
});

test('a PEM of more than 64 kB is refused before it is parsed', () => {
  const text = `${authority.cert}${' '.repeat(64 * 1024)}`;
  expect(readPem(text)).toEqual({ kind: 'bad', message: 'a PEM of more than 65536 characters' });
  expect(readPem(text.slice(0, 64 * 1024)).kind).toBe('read');
});
