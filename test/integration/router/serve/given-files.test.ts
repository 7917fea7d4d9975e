import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredObject } from '../../../helpers/api-server/object-store.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { fileFolder } from '../../../helpers/test-folder.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

/** The administrator's files change on disk while a real HAProxy serves; nothing else changes. */
const folder = fileFolder();
const at = (name: string): string => join(folder, name);
/** Replaces the file atomically, like a program that renews files. */
const put = (name: string, content: string): void => {
  writeFileSync(at(`${name}.new`), content);
  renameSync(at(`${name}.new`), at(name));
};
const page = (text: string): string => `HTTP/1.0 503 Unavailable\r\nContent-Type: text/plain\r\n\r\n${text}`;

const clients = createAuthority(at('clients'));
const services = createAuthority(at('services'));
const renewed = createAuthority(at('renewed'));
const client = clients.issue({ commonName: 'client' });
const own = services.issue({ commonName: 'router.test', dnsNames: ['edge.test', 're.test'] });
const tlsRoute = (name: string, host: string, termination: string): StoredObject => {
  const route = plainRoute(name, host, { service: 'web' });
  return { ...route, spec: { ...(route['spec'] as object), tls: { termination } } } as StoredObject;
};
const objects = [
  plainRoute('web', 'web.test'),
  slice('web', [0]),
  plainRoute('none', 'none.test'),
  slice('none', []),
  tlsRoute('edge', 'edge.test', 'edge'),
  tlsRoute('re', 're.test', 'reencrypt'),
];
let live: LiveRouter;

beforeAll(async () => {
  put('default.pem', `${own.key}${own.cert}`);
  put('clients.crl', clients.revoke());
  put('destination.crt', services.cert);
  put('503.http', page('Come back later.'));
  live = await startLiveRouter({
    objects,
    identity: renewed.issue({ commonName: 'pod', dnsNames: ['web.shop.svc'] }),
    env: {
      DEFAULT_CERTIFICATE_PATH: at('default.pem'),
      DEFAULT_DESTINATION_CA_PATH: at('destination.crt'),
      ROUTER_MUTUAL_TLS_AUTH: 'optional',
      ROUTER_MUTUAL_TLS_AUTH_CA: clients.certFile,
      ROUTER_MUTUAL_TLS_AUTH_CRL: at('clients.crl'),
      ROUTER_ERRORFILE_503: at('503.http'),
    },
  });
  await live.answers('web.test', 'a');
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
});

/** The status of a request over TLS; 000 if the handshake fails. */
async function tls(host: string, ...more: readonly string[]): Promise<string> {
  const to = ['--connect-to', `::${live.host}:8443`, '--max-time', '5', '--cacert', services.certFile];
  const asked = ['-s', '-o', '/dev/null', '-w', '%{http_code}', ...to, ...more, `https://${host}/`];
  return await live.cluster.namespace.run('curl', ...asked).catch(() => '000');
}

test('an error page that changes on disk is served', async () => {
  await live.answers('none.test', 'Come back later.');
  put('503.http', page('Come back tomorrow.'));
  await live.answers('none.test', 'Come back tomorrow.');
  put('503.http', 'no answer');
  expect(await live.says('file-unusable')).toMatchObject({
    setting: '--error-file503 (ROUTER_ERRORFILE_503)',
    message: expect.stringContaining('it is not an HTTP response'),
  });
  live.set([...objects, plainRoute('first', 'first.test', { service: 'web' })]);
  await live.answers('first.test', 'a');
  await live.answers('none.test', 'Come back tomorrow.');
});

test('a client with a revoked certificate is refused once the list on disk says so', async () => {
  const identity = ['--cert', client.certFile, '--key', client.keyFile];
  expect(await tls('edge.test', ...identity)).toBe('200');
  put('clients.crl', clients.revoke(client));
  await waitFor('the client to be refused', async () => (await tls('edge.test', ...identity)) === '000');
  expect(await tls('edge.test')).toBe('200');
});

test("after the services' CA was rotated, pods are trusted again once the new CA arrives", async () => {
  expect(await tls('re.test')).toBe('503');
  put('destination.crt', `${services.cert}${renewed.cert}`);
  await waitFor('the pod to be trusted', async () => (await tls('re.test')) === '200');
});

test('a weak renewal of the default certificate is rejected and reported once, and routes keep changing', async () => {
  const request = ['req', '-x509', '-newkey', 'rsa:1024', '-nodes', '-days', '1', '-subj', '/CN=weak'];
  execFileSync('openssl', [...request, '-keyout', at('weak.key'), '-out', at('weak.crt')], { stdio: 'pipe' });
  put('default.pem', `${readFileSync(at('weak.key'), 'utf8')}${readFileSync(at('weak.crt'), 'utf8')}`);
  await live.says('default-certificate-unusable');
  for (const name of ['second', 'third']) {
    live.set([...objects, plainRoute(name, `${name}.test`, { service: 'web' })]);
    await live.answers(`${name}.test`, 'a');
  }
  expect(await tls('edge.test')).toBe('200');
  const said = live.events('default-certificate-unusable').map(({ message }) => message);
  expect(said).toEqual([expect.stringContaining('1024 bits is too short')]);
});
