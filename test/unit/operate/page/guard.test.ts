import { expect, test } from 'vitest';
import { isLoopback } from '../../../../src/engine/observe/http-endpoint.ts';
import { refusalOf, safetyHeaders } from '../../../../src/operate/page/guard.ts';

const asked = { method: 'GET', host: '127.0.0.1:9446', site: undefined };

test.each(['127.0.0.1:9446', 'localhost', 'LOCALHOST:1', '[::1]:9446', '10.0.0.11:80', '[fd00::b]'])(
  'a request for %s is answered',
  (host) => {
    expect(refusalOf({ ...asked, host })).toBeUndefined();
  },
);

test.each([
  'attacker.example:9446',
  'localhost.attacker.example',
  '127.0.0.1.attacker.example',
  '127.0.0.1:9446.attacker.example',
  '[::1].attacker.example',
  'cp-1',
  '',
  '127.0.0.1:',
  undefined,
])("a request for host %s is refused, because another site's name could resolve to this server", (host) => {
  expect(refusalOf({ ...asked, host })?.status).toBe(421);
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'get', undefined])('%s is refused', (method) => {
  expect(refusalOf({ ...asked, method })?.status).toBe(405);
});

test('pages of other sites can load nothing, even with an allowed host', () => {
  const statusOf = (site: string | undefined) => refusalOf({ ...asked, site })?.status;
  expect(['cross-site', 'same-site', 'same-origin', 'none', undefined].map(statusOf)).toEqual([
    ...[403, 403, undefined, undefined, undefined],
  ]);
});

test('the policy allows only files of this server: no inline scripts and no inline styles', () => {
  const policy = safetyHeaders['content-security-policy'] ?? '';
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
});

test('loopback addresses are recognized', () => {
  expect(['127.0.0.1', '127.8.8.8', '::1', '0.0.0.0', '::', '10.0.0.1', 'fd00::1'].map(isLoopback)).toEqual([
    ...[true, true, true, false, false, false, false],
  ]);
});
