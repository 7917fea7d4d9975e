import { expect, it } from 'vitest';
import { chooseCertificates, readCertificate } from '../../../src/pod-proxy/certificate.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { tlsSecret } from '../../helpers/pod-objects.ts';
import { fileFolder } from '../../helpers/test-folder.ts';

const dir = fileFolder();
const authority = createAuthority(dir);
const [web, api] = ['web', 'api'].map((commonName) => authority.issue({ commonName }));

const usable = (name: string, pem: string) => ({ kind: 'usable', name, pem }) as const;
const wrong = { kind: 'wrong', name: 'web', message: 'it has no tls.crt' } as const;

it("a Secret's certificate and key are re-encoded", () => {
  const found = readCertificate(tlsSecret('web', { cert: `text\n${web?.cert}`, key: `${web?.key}` }));
  expect(found).toMatchObject({ kind: 'usable', name: 'web' });
  expect(found?.kind === 'usable' && found.pem).toMatch(
    /^-----BEGIN PRIVATE KEY-----[\s\S]*END CERTIFICATE-----\n$/,
  );
});

it.each([
  ['the key of another certificate', { cert: `${web?.cert}`, key: `${api?.key}` }, /not the key/],
  ['no key', { cert: `${web?.cert}`, key: '' }, /key: expected a PEM private key/],
  ['no certificate', { cert: '', key: `${web?.key}` }, /it has no tls.crt/],
  ['invalid PEM', { cert: 'web', key: 'web' }, /certificate: expected a PEM certificate/],
])('a Secret with %s is refused', (_what, pair, message) => {
  expect(readCertificate(tlsSecret('web', pair))).toMatchObject({
    kind: 'wrong',
    message: expect.stringMatching(message),
  });
});

it('anything but a Secret is ignored', () => {
  for (const object of [
    undefined,
    null,
    1,
    {},
    { metadata: {} },
    { metadata: { name: 'a' }, data: { a: 1 } },
  ])
    expect(readCertificate(object)).toBeUndefined();
});

it('an invalid or deleted Secret keeps its previous certificate and is reported', () => {
  const before = { api: 'API 1', web: 'WEB 1' };
  expect(chooseCertificates(['api', 'web'], [usable('api', 'API 2'), wrong], before)).toEqual({
    certificates: { api: 'API 2', web: 'WEB 1' },
    trouble: expect.stringContaining('Secret "web": it has no tls.crt'),
    isLacking: false,
  });
  expect(chooseCertificates(['web'], [], before)).toMatchObject({
    certificates: { web: 'WEB 1' },
    trouble: expect.stringContaining('it does not exist'),
  });
});

it('nothing can be configured while a Secret has never had a valid certificate', () => {
  expect(chooseCertificates(['web'], [wrong], {})).toMatchObject({ isLacking: true });
  expect(chooseCertificates(['constructor'], [], {})).toMatchObject({ certificates: {}, isLacking: true });
  expect(chooseCertificates([], [], { web: 'WEB 1' })).toEqual({
    certificates: {},
    trouble: undefined,
    isLacking: false,
  });
});
