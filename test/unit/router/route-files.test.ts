import { expect, test } from 'vitest';
import { routeFiles } from '../../../src/router/configuration/route-files.ts';
import { selfSigned } from '../../../src/router/configuration/self-signed.ts';
import { backendOf } from './backend-of.ts';

test('a route with the default certificate does not offer HTTP/2: hosts without one of their own share it', () => {
  const [own, defaultCertificate] = [selfSigned('own', new Date()), selfSigned('default', new Date())];
  const route = (key: string, pem: string) =>
    backendOf({ key: `n:${key}`, kind: 'edge', host: `${key}.test`, certificate: { pem, http2: true } });
  const routes = [route('own', own), route('same', defaultCertificate)];
  const [list] = routeFiles(routes, { http2: true, defaultCertificate });
  expect(list?.content).toBe('certs/n_own.pem [alpn h2,http/1.1] own.test\ncerts/n_same.pem same.test\n');
});
