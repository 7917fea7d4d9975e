import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { serveEndpoint } from '../../../../src/engine/observe/http-endpoint.ts';
import {
  type MetricsListenSettings,
  relayedMetrics,
  serveMetrics,
} from '../../../../src/engine/observe/metrics-listener.ts';
import type { LogEvent } from '../../../../src/engine/system/log.ts';
import { type Authority, createAuthority } from '../../../helpers/certificates.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

const host = '127.0.0.1';
const folder = fileFolder();
let authority: Authority;
let stop: AbortController;
let port: number;
let told: LogEvent[];
let troubles: (string | undefined)[];

beforeAll(() => {
  authority = createAuthority(join(folder, 'pki'));
});
beforeEach(async () => {
  stop = new AbortController();
  [port, told, troubles] = [await freePort(), [], []];
});
afterEach(() => stop.abort());

function tokenFile(content: string, mode = 0o600): string {
  const path = join(folder, 'token');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const pages = () => ({
  '/metrics': async () => 'own 1\n',
  '/metrics/supervisor': relayedMetrics({ host, port: 1 }, stop.signal),
});

/** Resolves once it listens or a problem has been logged. */
async function serve(settings: Omit<MetricsListenSettings, 'metricsListen'>): Promise<void> {
  const all = { ...settings, metricsListen: { host, port } };
  const log = (event: LogEvent) => void told.push(event);
  const onTrouble = (message: string | undefined) => void troubles.push(message);
  void serveMetrics(all, pages(), { log, onTrouble }, stop.signal, 10);
  await waitFor('a word about it', () => told.length > 0);
}

const messages = () => told.map(({ message }) => message);
const events = () => told.map(({ event }) => event);

/** The status and the body that curl prints. */
async function curl(path: string, ...more: readonly string[]): Promise<string> {
  const args = ['--silent', '--show-error', '--max-time', '10', '--write-out', '%{http_code}', ...more];
  const { stdout, stderr, exitCode } = await execa('curl', [...args, path], { reject: false });
  return exitCode === 0 ? stdout : `exit ${exitCode}: ${stderr}`;
}

const bearer = (token: string) => ['--header', `Authorization: Bearer ${token}`];

test('metrics need the token, and no other page exists', async () => {
  await serve({ metricsTokenFile: tokenFile('secret\n') });
  const url = `http://${host}:${port}`;
  expect(await curl(`${url}/metrics`, ...bearer('secret'))).toBe('own 1\n200');
  expect(await curl(`${url}/metrics`)).toBe('expected the bearer token\n401');
  expect(await curl(`${url}/metrics`, ...bearer('secre'))).toMatch(/401$/);
  expect(await curl(`${url}/metrics`, '--user', 'x:secret')).toMatch(/401$/);
  expect(await curl(`${url}/elsewhere`)).toMatch(/401$/);
  expect(await curl(`${url}/status`, ...bearer('secret'))).toMatch(/404$/);
  expect(await curl(`${url}/metrics`, ...bearer('secret'), '--data', 'x')).toMatch(/405$/);
  expect(await curl(`${url}/metrics/supervisor`, ...bearer('secret'))).toMatch(/nothing listens there\n502$/);
});

test('the metrics of another program in the pod are relayed', async () => {
  const other = await freePort();
  const endpoint = { trouble: () => undefined, metrics: () => 'other 1\n', status: () => ({}) };
  await serveEndpoint({ host, port: other }, endpoint, stop.signal);
  const relayed = relayedMetrics({ host, port: other }, stop.signal);
  expect(await relayed()).toBe('other 1\n');
});

test('a new token is valid at once; if the file becomes unusable, the last token stays valid', async () => {
  const metricsTokenFile = tokenFile('first');
  await serve({ metricsTokenFile });
  const url = `http://${host}:${port}/metrics`;
  tokenFile('second');
  expect(await curl(url, ...bearer('first'))).toMatch(/401$/);
  expect(await curl(url, ...bearer('second'))).toMatch(/200$/);
  tokenFile('');
  expect(await curl(url, ...bearer('second'))).toMatch(/200$/);
  expect(await curl(url, ...bearer('undefined'))).toMatch(/401$/);
  rmSync(metricsTokenFile);
  expect(await curl(url, ...bearer('second'))).toMatch(/200$/);
  tokenFile('third');
  expect(await curl(url, ...bearer('second'))).toMatch(/401$/);
  expect(events()).toEqual([
    ...['metrics-served', 'metrics-token-unusable', 'metrics-token-unusable', 'metrics-token-usable'],
  ]);
});

test.each([
  ['', 0o600, 'it is empty, expected a token'],
  ['two words', 0o600, 'its token contains white space, expected a single word'],
  ['secret', 0o644, 'it is world-readable (mode 644), expected mode 600'],
])('a token file with "%s" and mode %o opens no port until it is corrected', async (content, mode, what) => {
  const metricsTokenFile = tokenFile(content, mode);
  await serve({ metricsTokenFile });
  expect(messages()).toEqual([`Cannot use --metrics-token-file "${metricsTokenFile}": ${what}`]);
  expect(await curl(`http://${host}:${port}/metrics`)).toMatch(/^exit 7/);
  tokenFile('secret');
  await waitFor('it to be served', () => events().includes('metrics-served'));
  expect(await curl(`http://${host}:${port}/metrics`, ...bearer('secret'))).toMatch(/200$/);
});

test('the error for a missing token file names it', async () => {
  await serve({ metricsTokenFile: join(folder, 'missing') });
  expect(messages()[0]).toMatch(/missing": ENOENT.*, expected a file that is readable in this container/);
});

test('a port in use is reported once, and used as soon as it is free', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, host, resolve));
  await serve({});
  const what = 'another program listens there, expected a free port';
  expect(messages()).toEqual([`Cannot use --metrics-listen "${host}:${port}": ${what}`]);
  await new Promise((resolve) => other.close(resolve));
  await waitFor('it to be served', () => events().includes('metrics-served'));
  expect(events()).toEqual(['metrics-not-served', 'metrics-served']);
  expect(troubles[0]).toContain(what);
  expect(troubles.at(-1)).toBeUndefined();
});

test('curl gets the metrics over TLS with a trusted certificate and the token', async () => {
  const { certFile, keyFile } = authority.issue({ commonName: 'node', addresses: [host] });
  const metricsTlsCertFile = join(folder, 'tls.crt');
  const metricsTlsKeyFile = join(folder, 'tls.key');
  copyFileSync(certFile, metricsTlsCertFile);
  copyFileSync(keyFile, metricsTlsKeyFile);
  writeFileSync(join(folder, 'ca.crt'), authority.cert);
  await serve({ metricsTokenFile: tokenFile('secret'), metricsTlsCertFile, metricsTlsKeyFile });
  const url = `https://${host}:${port}/metrics`;
  const ca = ['--cacert', join(folder, 'ca.crt')];
  expect(await curl(url, ...ca, ...bearer('secret'))).toBe('own 1\n200');
  expect(await curl(url, ...ca)).toMatch(/401$/);
  expect(await curl(url.replace('https', 'http'), ...bearer('secret'))).toMatch(/^exit/);
});

test('an overlong request gets no answer', async () => {
  await serve({});
  const url = `http://${host}:${port}/metrics`;
  expect(await curl(url, '--header', `X: ${'x'.repeat(4_000)}`)).toMatch(/200$/);
  expect(await curl(url, '--header', `X: ${'x'.repeat(9_000)}`)).toMatch(/^exit/);
});

test('idle connections do not prevent a scrape: the oldest is closed', async () => {
  await serve({});
  const idle = Array.from({ length: 64 }, () => connect(port, host).on('error', () => undefined));
  const ended = idle.map((socket) => text(socket));
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  expect(await curl(`http://${host}:${port}/metrics`)).toMatch(/200$/);
  expect(await Promise.race(ended)).toBe('');
  for (const socket of idle) socket.destroy();
});
