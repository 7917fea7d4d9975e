import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { defaultCertificate } from '../../../src/router/configuration/default-certificate.ts';
import { selfSigned } from '../../../src/router/configuration/self-signed.ts';

const folder = mkdtempSync(join(tmpdir(), 'hawser-certificate-'));
afterAll(() => rmSync(folder, { recursive: true }));

const now = new Date('2026-01-01T00:00:00Z');
const none = {
  defaultCertificate: undefined,
  defaultCertificateDir: undefined,
  defaultCertificatePath: undefined,
};
const missing = join(folder, 'missing.pem');
const pem = selfSigned('given', now);
const split = pem.indexOf('-----BEGIN CERTIFICATE');

test('a given certificate is taken as text, from a file, or from a folder', async () => {
  const path = join(folder, 'both.pem');
  writeFileSync(path, pem);
  writeFileSync(join(folder, 'tls.key'), pem.slice(0, split));
  writeFileSync(join(folder, 'tls.crt'), pem.slice(split));
  expect(await defaultCertificate({ ...none, defaultCertificate: pem }, missing, now)).toBe(pem);
  expect(await defaultCertificate({ ...none, defaultCertificatePath: path }, missing, now)).toBe(pem);
  expect(await defaultCertificate({ ...none, defaultCertificateDir: folder }, missing, now)).toBe(pem);
});

test('a certificate without its key is an error that says so', async () => {
  const other = `${selfSigned('other', now).slice(0, split)}${pem.slice(split)}`;
  const ask = (text: string) => defaultCertificate({ ...none, defaultCertificate: text }, missing, now);
  await expect(ask(other)).rejects.toThrow('the key is not that of the certificate');
  await expect(ask('nonsense')).rejects.toThrow('Cannot use --default-certificate');
});

test('without one the certificate that was made before is kept until it expires', async () => {
  const made = await defaultCertificate(none, missing, now);
  const before = join(folder, 'before.pem');
  writeFileSync(before, made);
  expect(await defaultCertificate(none, before, now)).toBe(made);
  expect(await defaultCertificate(none, missing, now)).not.toBe(made);
  expect(await defaultCertificate(none, before, new Date('2126-01-01T00:00:00Z'))).not.toBe(made);
});
