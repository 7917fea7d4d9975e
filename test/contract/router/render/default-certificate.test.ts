import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultCertificate, selfSigned } from '../../../../src/router/render/default-certificate.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';

const folder = fileFolder();

const now = new Date('2026-01-01T00:00:00Z');
const none = {
  defaultCertificate: undefined,
  defaultCertificateDir: undefined,
  defaultCertificatePath: undefined,
};
const missing = join(folder, 'missing.pem');
const pem = selfSigned('given', now);
const split = pem.indexOf('-----BEGIN CERTIFICATE');

test('a certificate is configured as text, as a file, or as a folder', async () => {
  const path = join(folder, 'both.pem');
  writeFileSync(path, pem);
  writeFileSync(join(folder, 'tls.key'), pem.slice(0, split));
  writeFileSync(join(folder, 'tls.crt'), pem.slice(split));
  expect(await defaultCertificate({ ...none, defaultCertificate: pem }, missing, now)).toBe(pem);
  expect(await defaultCertificate({ ...none, defaultCertificatePath: path }, missing, now)).toBe(pem);
  expect(await defaultCertificate({ ...none, defaultCertificateDir: folder }, missing, now)).toBe(pem);
});

test('a certificate without its key is reported as an error', async () => {
  const other = `${selfSigned('other', now).slice(0, split)}${pem.slice(split)}`;
  const ask = (text: string) => defaultCertificate({ ...none, defaultCertificate: text }, missing, now);
  await expect(ask(other)).rejects.toThrow('key: it is not the key of the certificate');
  await expect(ask('nonsense')).rejects.toThrow('Cannot use --default-certificate');
});

test('without a configured certificate, the one created earlier is kept until it expires', async () => {
  const made = await defaultCertificate(none, missing, now);
  const before = join(folder, 'before.pem');
  writeFileSync(before, made);
  expect(await defaultCertificate(none, before, now)).toBe(made);
  expect(await defaultCertificate(none, missing, now)).not.toBe(made);
  expect(await defaultCertificate(none, before, new Date('2126-01-01T00:00:00Z'))).not.toBe(made);
});

test('a certificate that HAProxy would refuse is reported as an error', async () => {
  const key = join(folder, 'weak.key');
  const request = ['req', '-x509', '-newkey', 'rsa:1024', '-nodes', '-days', '1', '-subj', '/CN=weak'];
  const weak = execFileSync('openssl', [...request, '-keyout', key], { encoding: 'utf8', stdio: 'pipe' });
  const ask = (text: string) => defaultCertificate({ ...none, defaultCertificate: text }, missing, now);
  await expect(ask(`${weak}${readFileSync(key, 'utf8')}`)).rejects.toThrow('1024 bits is too short');
  const garbage = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  await expect(ask(`${pem}${garbage}`)).rejects.toThrow('a PEM block CERTIFICATE cannot be parsed');
  await expect(ask('\n')).rejects.toThrow('expected a PEM certificate');
});

test('key, chain and DH parameters may come in any order', async () => {
  const parameters = '-----BEGIN DH PARAMETERS-----\nMAYCAQcCAQI=\n-----END DH PARAMETERS-----\n';
  const chain = selfSigned('chain', now).slice(split);
  const ownKey = pem.slice(0, split);
  const own = pem.slice(split);
  const given = `Bag Attributes\n${own}${parameters}${chain}${ownKey}`;
  const read = await defaultCertificate({ ...none, defaultCertificate: given }, missing, now);
  expect(read).toBe(`${ownKey}${own}${chain}`);
});
