import { expect, test } from 'vitest';
import {
  judgeCertificates,
  judgeDefaultCertificate,
  judgeLeftOut,
  judgeReady,
} from '../../../../src/router/report/checks.ts';
import { routerSays } from '../../../helpers/status-samples.ts';

const now = Date.parse('2026-11-21T00:00:00Z');

test('a router is reading, not ready, or serving', () => {
  expect(judgeReady({ ...routerSays, synced: false })).toMatchObject({
    kind: 'fail',
    message: expect.stringContaining('listed'),
  });
  const unready = 'HAProxy does not answer on its stats socket';
  expect(judgeReady({ ...routerSays, unready })).toMatchObject({ kind: 'fail' });
  expect(judgeReady(routerSays)).toEqual({ kind: 'ok', message: 'serves 9990 routes' });
});

test('routes that are left out are counted, and the first ones are named', () => {
  expect(judgeLeftOut(routerSays)).toMatchObject({
    kind: 'fail',
    message: expect.stringMatching(/^2 admitted routes left out, including shop:basket: /),
  });
  const routes = {
    admitted: 3,
    hosts: 3,
    rejected: { HostAlreadyClaimed: 7 },
    leftOut: [],
    refused: [],
    ignoring: { routes: 0, first: [] },
  };
  expect(judgeLeftOut({ ...routerSays, routes }).kind).toBe('ok');
});

test('expired certificates fail, and soon expiring ones warn', () => {
  expect(judgeCertificates(routerSays)).toMatchObject({
    kind: 'fail',
    message: '1 route certificate expired',
    remedy: expect.stringContaining('shop:cart (cart.example.com) 2026-11-20'),
  });
  const certificates = { served: 4, expired: 0, expiring: 2, first: routerSays.certificates?.first ?? [] };
  expect(judgeCertificates({ ...routerSays, certificates }).kind).toBe('warn');
  expect(judgeCertificates({ ...routerSays, certificates: { ...certificates, expiring: 0 } }).kind).toBe(
    'ok',
  );
});

test.each([
  [null, 'skip'],
  [{ isGiven: false, validTo: '2030-01-01T00:00:00Z' }, 'warn'],
  [{ isGiven: true, validTo: '2026-11-20T00:00:00Z' }, 'fail'],
  [{ isGiven: true, validTo: '2026-11-30T00:00:00Z' }, 'warn'],
  [{ isGiven: true, validTo: '2027-11-30T00:00:00Z' }, 'ok'],
])('the default certificate %j is %s', (defaultCertificate, kind) => {
  expect(judgeDefaultCertificate({ ...routerSays, defaultCertificate }, now).kind).toBe(kind);
});
