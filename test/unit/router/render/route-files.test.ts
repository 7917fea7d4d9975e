import { expect, test } from 'vitest';
import type { RouteBackend } from '../../../../src/router/model.ts';
import { selfSigned } from '../../../../src/router/render/default-certificate.ts';
import {
  certificateLine,
  certificateLists,
  readDefaultCertificate,
} from '../../../../src/router/render/route-files.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';
import { backendOf } from '../backend-of.ts';

const scratch = fileFolder();

function listsOf(routes: readonly RouteBackend[], pem: string, strictSni = false) {
  const shared = readDefaultCertificate(pem);
  const named = routes.map((route) => ({ route, certificateLine: certificateLine(route, true, shared) }));
  return certificateLists(named, shared, strictSni).map(({ content }) => content);
}

test('a route with the default certificate does not offer HTTP/2', () => {
  const own = selfSigned('own', new Date());
  const defaultCertificate = selfSigned('default', new Date());
  const route = (key: string, pem: string) =>
    backendOf({ key: `n:${key}`, kind: 'edge', host: `${key}.test`, certificate: { pem, http2: true } });
  const routes = [route('own', own), route('same', defaultCertificate)];
  expect(listsOf(routes, defaultCertificate)[0]).toBe(
    'certs/n_same.pem same.test\ncerts/n_own.pem [alpn h2,http/1.1] own.test\n',
  );
});

test('the list of certificates follows the default certificate', () => {
  const one = selfSigned('one', new Date());
  const other = selfSigned('other', new Date());
  const backend = backendOf({
    key: 'n:a',
    kind: 'edge',
    host: 'a.test',
    certificate: { pem: one, http2: true },
  });
  const offersHttp2 = (pem: string) => listsOf([backend], pem)[0]?.includes('alpn h2');
  expect([one, other].map(offersHttp2)).toEqual([false, true]);
});

test("with strict-sni the default certificate serves its names that no route's certificate has", () => {
  const authority = createAuthority(scratch);
  const { key, cert } = authority.issue({
    commonName: 'Plain.test',
    dnsNames: ['*.apps.test', 'own.test', 'x.wild.test', 'free.test', '*.wild.test'],
  });
  const pem = selfSigned('own', new Date());
  const route = (host: string, wildcard = false) =>
    backendOf({ key: `n:${host}`, kind: 'edge', host, wildcard, certificate: { pem, http2: true } });
  const routes = [route('own.test'), route('shop.apps.test'), route('wild.test', true)];
  const lineWith = (strictSni: boolean) => listsOf(routes, `${key}${cert}`, strictSni)[1];
  expect(lineWith(false)).toBe('certs/_default.pem *\n');
  expect(lineWith(true)).toBe('certs/_default.pem * *.apps.test free.test plain.test\n');
});
