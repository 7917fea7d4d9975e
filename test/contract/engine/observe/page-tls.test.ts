import { copyFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { askProgram } from '../../../../src/engine/examine/ask-program.ts';
import { serveEndpoint } from '../../../../src/engine/observe/http-endpoint.ts';
import { openPageTls, type PageTlsSettings } from '../../../../src/engine/observe/page-tls.ts';
import { ConfigError } from '../../../../src/engine/system/errors.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { ask } from '../../../../src/engine/system/network/ask.ts';
import { type Authority, createAuthority, type IssuedCertificate } from '../../../helpers/certificates.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const host = '127.0.0.1';
const folder = fileFolder();
let authority: Authority;
let [first, second]: IssuedCertificate[] = [];
let stop: AbortController;
let port: number;
let told: LogEvent[];

beforeAll(() => {
  authority = createAuthority(join(folder, 'pki'));
  [first, second] = ['one', 'two'].map((commonName) => authority.issue({ commonName, addresses: [host] }));
});
beforeEach(async () => {
  stop = new AbortController();
  [port, told] = [await freePort(), []];
});
afterEach(() => stop.abort());

const files = () => ({
  metricsTlsCertFile: join(folder, 'tls.crt'),
  metricsTlsKeyFile: join(folder, 'tls.key'),
});
const settings = (more: Partial<PageTlsSettings> = {}): PageTlsSettings => ({
  ...files(),
  metricsTlsMinVersion: 'TLSv1.2',
  ...more,
});

function put(cert: IssuedCertificate | undefined, key = cert): void {
  if (cert === undefined || key === undefined) throw new Error('no certificate was issued');
  copyFileSync(cert.certFile, files().metricsTlsCertFile);
  copyFileSync(key.keyFile, files().metricsTlsKeyFile);
}

const endpoint = {
  trouble: () => undefined,
  unready: () => 'not yet',
  status: () => ({ v: 1 }),
  metrics: async () => ['a 1\n', 'b 2\n'],
  mayReadMetrics: async ({ authorization, isLocal }: { authorization: string; isLocal: boolean }) =>
    isLocal && authorization === 'Bearer me',
};

async function serve(more: Partial<PageTlsSettings> = {}): Promise<void> {
  const tls = await openPageTls(settings(more));
  await serveEndpoint({ host, port }, endpoint, stop.signal, tls?.openServer);
  void tls?.follow((event) => void told.push(event), stop.signal, 20);
}

async function get(path: string): Promise<readonly [number, string] | string> {
  const answer = await ask(
    { host, port, path, tls: { ca: authority.cert } },
    { timeoutMs: 10_000, maxBytes: 10_000 },
  );
  return answer.kind === 'silent' ? answer.reason : [answer.status, answer.body.toString()];
}

/** The protocol that a new connection negotiates, and the certificate that it gets. */
async function handshake(options: { readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3' } = {}) {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const opened = connect({ host, port, ca: authority.cert, ...options }, () => resolve(opened));
    opened.once('error', reject);
  });
  const name = socket.getPeerCertificate().subject?.CN;
  const found = { name, protocol: socket.getProtocol(), cipher: socket.getCipher().standardName };
  socket.destroy();
  return found;
}

async function problemsOf(more: Partial<PageTlsSettings> = {}): Promise<string> {
  const error: unknown = await openPageTls(settings(more)).catch((thrown: unknown) => thrown);
  return error instanceof ConfigError ? error.problems.join('\n') : 'none';
}

test('without a certificate the page speaks plain HTTP', async () => {
  expect(await openPageTls({ metricsTlsMinVersion: 'TLSv1.2' })).toBeUndefined();
});

test('the whole page uses TLS that a client can verify, and answers nothing in clear text', async () => {
  put(first);
  await serve();
  expect(await get('/healthz')).toEqual([200, 'ok\n']);
  expect(await get('/healthz/ready')).toEqual([503, 'not yet\n']);
  expect(await get('/metrics')).toEqual([401, 'expected a user or a token\n']);
  await expect(fetch(`http://${host}:${port}/healthz`)).rejects.toThrow('fetch failed');
  expect(await get('/healthz')).toEqual([200, 'ok\n']);
});

test('hawser status reads a TLS page; a page that closes every connection is silent', async () => {
  put(first);
  await serve();
  const schema = z.object({ v: z.number() });
  const found = await askProgram('router', { host, port }, schema, { timeoutMs: 10_000 });
  expect(found).toMatchObject({ program: { state: 'answers', problem: null }, status: { v: 1 } });

  const rude = createServer((socket) => socket.destroy());
  const at = await freePort();
  await new Promise<void>((resolve) => rude.listen({ host, port: at }, resolve));
  const silent = await askProgram('router', { host, port: at }, schema, { timeoutMs: 10_000 });
  expect(silent).toMatchObject({ program: { state: 'silent' }, status: null, isThere: true });
  rude.close();
});

test('a certificate that is renewed on disk is served to new connections', async () => {
  put(first);
  await serve();
  expect((await handshake()).name).toBe('one');
  put(second);
  await waitFor('the new certificate', async () => (await handshake()).name === 'two');
  expect(told).toEqual([expect.objectContaining({ event: 'page-certificate-loaded' })]);
});

test('a broken certificate is reported once, and the last valid one is served until the next', async () => {
  put(first);
  await serve();
  put(second, first);
  await waitFor('the report', () => told.length > 0);
  writeFileSync(files().metricsTlsCertFile, 'no PEM');
  await waitFor('the next report', () => told.length > 1);
  expect((await handshake()).name).toBe('one');
  expect(told.map(({ event, message }) => [event, message])).toEqual([
    [
      'page-certificate-unusable',
      `Cannot serve the page over TLS with "${files().metricsTlsKeyFile}": it is not the key of "${files().metricsTlsCertFile}", expected that`,
    ],
    ['page-certificate-unusable', expect.stringContaining('expected a certificate in PEM')],
  ]);
  put(first);
  await waitFor('the recovery', () => told.at(-1)?.event === 'page-certificate-usable');
  put(second);
  await waitFor('the new certificate', async () => (await handshake()).name === 'two');
  expect(told).toHaveLength(4);
});

test('version and ciphers are the configured ones', async () => {
  put(first);
  await serve({
    metricsTlsCiphers: 'ECDHE-ECDSA-AES256-GCM-SHA384,TLS_AES_128_GCM_SHA256',
    metricsTlsCurves: 'P-256',
  });
  expect((await handshake()).cipher).toBe('TLS_AES_128_GCM_SHA256');
  expect((await handshake({ maxVersion: 'TLSv1.2' })).cipher).toBe('TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384');
  stop.abort();
  [stop, port] = [new AbortController(), await freePort()];
  await serve({ metricsTlsMinVersion: 'TLSv1.3' });
  expect((await handshake()).protocol).toBe('TLSv1.3');
  await expect(handshake({ maxVersion: 'TLSv1.2' })).rejects.toThrow();
});

test('an unusable pair is a settings error, found before anything is served', async () => {
  put(first);
  expect(await problemsOf({ metricsTlsCertFile: '/missing/tls.crt' })).toMatch(
    /^Cannot serve the page over TLS with "\/missing\/tls\.crt": ENOENT.*, expected a PEM file that this process can read$/,
  );
  expect(await problemsOf({ metricsTlsCiphers: 'nonsense' })).toMatch(
    /^Cannot use --metrics-tls-ciphers "nonsense": .*, expected names that OpenSSL supports$/,
  );
  expect(await problemsOf({ metricsTlsCurves: 'P-1' })).toMatch(/^Cannot use --metrics-tls-curves "P-1": /);
  put(first, second);
  expect(await problemsOf()).toContain(`it is not the key of "${files().metricsTlsCertFile}"`);
  writeFileSync(files().metricsTlsKeyFile, 'no PEM');
  expect(await problemsOf()).toContain('expected an unencrypted private key in PEM');
});
