import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askRuntimeApi } from '../../../src/haproxy/runtime-api.ts';
import { type Authority, createAuthority, type IssuedCertificate } from '../../helpers/certificates.ts';
import { tlsSecret } from '../../helpers/pod-objects.ts';
import { createPodProxies, type PodProxies, type PodProxy } from '../../helpers/pod-proxy.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** The certificates of a template, and HAProxy's statistics. */
let world: PodProxies;
let proxy: PodProxy;
let authority: Authority;

const annotations = {
  'hawser.dev/certs': 'web',
  'hawser.dev/config': `
defaults
  timeout connect 1s
  timeout client 10s
  timeout server 10s

frontend web
  bind *:8443 ssl crt {{certs.web}}
  default_backend web

backend web
  {%- for ip in hosts.web %}
  server web-{{loop.index}} {{ip}}:8080
  {%- endfor %}
`,
};
const pods = [{ name: 'web-0', app: 'web', ip: '10.77.0.21' }];

function show(pair: { readonly cert: string; readonly key: string } | undefined, more: object = {}): void {
  const others = pair === undefined ? [] : [tlsSecret('web', pair)];
  world.show({ annotations: { ...annotations, ...more }, pods, others });
}

/** Waits until HAProxy has read this certificate. */
async function serves({ cert }: IssuedCertificate): Promise<void> {
  const wanted = new X509Certificate(cert).fingerprint.replaceAll(':', '');
  await waitFor('the certificate', async () => (await shown()).includes(wanted));
}

const pathInUse = (): string => / crt (\S+)/.exec(proxy.configText())?.[1] ?? '';
const tell = async (command: string): Promise<string> =>
  (await askRuntimeApi(join(world.cluster.dir, 'haproxy-1/haproxy.sock'), command, 2_000)) ?? '';

/** HAProxy's copy of the certificate, under the name from which it was read. */
async function shown(): Promise<string> {
  const [name] = /^\/.*$/m.exec(await tell('show ssl cert')) ?? [];
  return await tell(`show ssl cert ${name}`);
}

let [first, second]: IssuedCertificate[] = [];

beforeAll(async () => {
  world = await createPodProxies(['haproxy-1']);
  authority = createAuthority(join(world.cluster.dir, 'secrets'));
  [first, second] = [authority.issue({ commonName: 'web' }), authority.issue({ commonName: 'web' })];
  show(undefined);
  proxy = await world.start('haproxy-1', 29_452);
});

afterAll(() => world[Symbol.asyncDispose]());

test('a missing Secret is reported; once it exists, HAProxy serves its certificate from a private file', async () => {
  await waitFor('the problem', async () => (await proxy.status()).problem?.reason === 'CertificateRefused');
  expect((await proxy.status()).problem?.message).toContain('Secret "web": it does not exist');
  if (first === undefined) throw new Error('no certificate');
  show(first);
  await serves(first);
  expect(statSync(pathInUse()).mode & 0o777).toBe(0o600);
  await waitFor('no problem', async () => (await proxy.status()).problem === null);
});

test('a Secret with a mismatched key keeps the previous certificate, while addresses are updated', async () => {
  if (first === undefined || second === undefined) throw new Error('no certificate');
  show({ cert: second.cert, key: first.key });
  await waitFor('the problem', async () => (await proxy.status()).problem?.message.includes('not the key'));
  await waitFor('the Event', async () =>
    (await world.listed('events')).find((each) => each['reason'] === 'CertificateRefused'),
  );
  pods.push({ name: 'web-1', app: 'web', ip: '10.77.0.22' });
  show({ cert: second.cert, key: first.key });
  await proxy.serves('web-1', 'web-2');
  await serves(first);
  const { pid } = await proxy.supervisor().waitForServing();
  show(second);
  await serves(second);
  expect((await proxy.supervisor().waitForServing()).pid).toBe(pid);
});

test('check 10: the statistics have the group and the pod of a server', async () => {
  await waitFor('the labels', async () =>
    /^haproxy_server_up\{proxy="web",sv="web-2",group="web",pod="web-1"\} /m.test(await proxy.metrics()),
  );
  expect(await proxy.metrics()).toMatch(/^haproxy_frontend_current_sessions\{proxy="web"\} /m);
});
