import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crlIssuer, readCrl } from '../../../src/haproxy/certificates/crl.ts';
import { fetchCrl } from '../../../src/router/live/fetch-crl.ts';
import { createAuthority } from '../../helpers/certificates.ts';
import { freePort } from '../../helpers/free-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'hawser-fetch-crl-'));
const authority = createAuthority(join(folder, 'ca'));
const crl = authority.revoke();
const read = (bytes: Buffer) => readCrl(bytes, crlIssuer(new X509Certificate(authority.cert)));
const part = Buffer.alloc(1024 * 1024);
/** More than any CRL may have, for as long as somebody reads. */
function endless(response: ServerResponse): void {
  while (response.write(part));
  response.once('drain', () => endless(response));
}
const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/list': (response) => response.end(crl),
  '/moved': (response) => response.writeHead(302, { location: '/list' }).end(),
  '/page': (response) => response.end('<html>Sign in</html>'),
  '/endless': endless,
  '/silent': () => undefined,
  '/cut': (response) =>
    void response.writeHead(200, { 'content-length': 9_999 }).write(crl, () => response.destroy()),
};
const server = createServer((request, response) => {
  const page = pages[request.url ?? ''];
  if (page === undefined) response.writeHead(404).end('no such CRL');
  else page(response);
});
let [base, closed] = ['', 0];
const never = new AbortController().signal;
const fetched = (...paths: readonly string[]) =>
  fetchCrl(
    paths.map((path) => (path.startsWith('/') ? `${base}${path}` : path)),
    read,
    never,
  );

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closed = await freePort();
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

test('the first place that gives a CRL is taken, also one that has moved', async () => {
  for (const paths of [['/list'], ['/moved'], ['ldap:///CN=a', '/none', '/page', '/cut', '/list']])
    expect(await fetched(...paths)).toMatchObject({ kind: 'crl', url: `${base}${paths.at(-1)}` });
});

test.each([
  ['/none', 'HTTP 404, expected 200'],
  ['/page', 'it is no X.509 CRL'],
  ['/endless', 'limit MAX_CRL_BYTES'],
  ['/cut', ''],
  ['ldap:///CN=a', 'over HTTP or HTTPS'],
  ['http://127.0.0.1:CLOSED/a', 'ECONNREFUSED'],
  ['http://localhost:CLOSED/a', 'ECONNREFUSED'],
  ['http://[/', ''],
])('%s is a failure with its reason', async (path, reason) => {
  const outcome = await fetched(path.replace('CLOSED', `${closed}`));
  expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining(reason) });
  expect(outcome.kind === 'failed' && outcome.message).toMatch(/: .{5}/);
});

test('a place that does not answer is left once it is no longer wanted', async () => {
  const stop = new AbortController();
  server.once('request', () => stop.abort());
  const outcome = await fetchCrl([`${base}/silent`, `${base}/list`], read, stop.signal);
  expect(outcome).toEqual({ kind: 'failed', message: `${base}/silent: This operation was aborted` });
});
