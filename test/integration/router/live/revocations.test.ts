import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthority } from '../../../helpers/certificates.ts';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** CRLs that a real HAProxy has from where the clients' CA says. */
const folder = mkdtempSync(join(tmpdir(), 'hawser-revocations-'));
const host = '10.77.0.11';
const clients = createAuthority(join(folder, 'clients'), [`http://${host}:8099/clients.crl`]);
const [good, gone] = ['good', 'gone'].map((commonName) => clients.issue({ commonName }));
const listServer = `
  const { readFileSync } = require('node:fs');
  const answer = (request, response) => {
    try { response.end(readFileSync(process.argv[1])); } catch { response.writeHead(404).end(); }
  };
  require('node:http').createServer(answer).listen(8099, '${host}', () => console.log('listens'));`;
const web = plainRoute('web', 'web.test');
const edge = plainRoute('edge', 'edge.test', { service: 'web' });
let live: LiveRouter;
let stopServer: () => void;

beforeAll(async () => {
  live = await startLiveRouter({
    objects: [
      ...[web, slice('web', [0])],
      { ...edge, spec: { ...(edge['spec'] as object), tls: { termination: 'edge' } } } as typeof edge,
    ],
    env: {
      ROUTER_MUTUAL_TLS_AUTH: 'optional',
      ROUTER_MUTUAL_TLS_AUTH_CA: clients.certFile,
      ROUTER_MUTUAL_TLS_AUTH_CRL: 'fetch',
    },
  });
  const [file, ...before] = live.cluster.namespace.prefix;
  const server = spawn(file, [...before, process.execPath, '-e', listServer, join(folder, 'clients.crl')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stopServer = () => void server.kill();
  await once(server.stdout, 'data');
  await live.answers('web.test', 'a');
});
afterAll(async () => {
  stopServer();
  await live[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The status of a request over TLS; 000 where the handshake fails. */
async function tls(client?: { readonly certFile: string; readonly keyFile: string }): Promise<string> {
  const identity = client === undefined ? [] : ['--cert', client.certFile, '--key', client.keyFile];
  const to = ['--connect-to', `::${live.host}:8443`, '--max-time', '5', '--insecure'];
  const asked = ['-s', '-o', '/dev/null', '-w', '%{http_code}', ...to, ...identity, 'https://edge.test/'];
  return await live.cluster.namespace
    .run('curl', ...asked)
    .catch((error: unknown) => (/exit code 28\b/.test(`${error}`) ? 'no answer' : '000'));
}

test('clients with a certificate are refused until the CRL is there, and those that it names from then on', async () => {
  await live.says('revocations-unusable');
  expect([await tls(), await tls(good), await tls(gone)]).toEqual(['200', '000', '000']);
  if (gone === undefined) throw new Error('no client');
  writeFileSync(join(folder, 'new.crl'), clients.revoke(gone));
  renameSync(join(folder, 'new.crl'), join(folder, 'clients.crl'));
  await waitFor('the CRL to be served', async () => (await tls(good)) === '200', 100_000);
  expect([await tls(), await tls(gone)]).toEqual(['200', '000']);
  expect(await live.says('revocations-fetched')).toMatchObject({ url: `http://${host}:8099/clients.crl` });
});
