import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeCertificate } from '../../../../src/operate/doctor/credential-checks.ts';
import { kubernetesSlice, node } from '../../../helpers/api-server/objects.ts';
import { createAuthority } from '../../../helpers/certificates.ts';
import { startAnswering, startApi } from '../../../helpers/doctor/api.ts';
import { examine, type Files, type Settings, said } from '../../../helpers/doctor/scene.ts';

/** Settings of a node with an API server. Its client certificate is that of a kubelet. */
async function api({
  objects = [node('cp-1', ['192.0.2.11']), node('cp-2', ['192.0.2.12'])],
  answer = 'allowed' as 'allowed' | 'unauthenticated' | 'forbidden',
  user = '',
  hasForeignCa = false,
} = {}): Promise<Settings> {
  const started = await startApi(objects, () => answer);
  const client = user === '' ? started.client : started.authority.issue({ commonName: user });
  const ca = hasForeignCa ? createAuthority(join(started.dir, 'other')) : started.authority;
  return { kubeconfig: started.kubeconfig({ client, ca: ca.certFile }), apiPort: started.port };
}

async function withBrokenCertificate(): Promise<Settings> {
  const { client, kubeconfig } = await startApi([]);
  writeFileSync(client.certFile, 'no certificate');
  return { kubeconfig: kubeconfig() };
}

async function withoutApi(): Promise<Settings> {
  const { kubeconfig } = await startApi([]);
  return { kubeconfig: kubeconfig({ server: 'https://127.0.0.1:1' }), apiPort: 1 };
}

async function answering(status: number, skewMs?: number): Promise<Settings> {
  return { apiPort: await startAnswering(status, skewMs), servers: 'cp-2=127.0.0.1' };
}

const silent = async (): Promise<Settings> => ({ apiPort: 1, servers: 'cp-2=127.0.0.1' });
const forbidden = () => api({ answer: 'forbidden' });
const slice = kubernetesSlice('kubernetes', ['192.0.2.11', '192.0.2.12', '192.0.2.13']);
const slices = (settings: Settings) => ({ ...settings, source: 'endpoints' as const });
const others = () => api({ answer: 'forbidden', user: 'monitors' });
const unlisted = async () => ({ ...(await api()), nodeName: 'cp-9' });

test.each<[check: string, claim: string, settings: () => Promise<Settings>, words: RegExp]>([
  ['credentials', 'may list nodes', api, /^ok: .* 2 API servers/],
  ['credentials', 'of a kubelet see only their own Node since 1.32', forbidden, /^fail: .*rbac --kubelet \|/],
  [
    'credentials',
    'of another user may not list nodes',
    others,
    /^fail: (?!.*kubelet).*hawser rbac \| kubectl/,
  ],
  [
    'credentials',
    'may list slices and nodes',
    async () => slices(await api({ objects: [slice, node('cp-1', ['192.0.2.11'])] })),
    /^ok: .* 1 API servers/,
  ],
  [
    'credentials',
    'may list slices, which is all that a worker needs',
    async () => ({ ...slices(await api({ objects: [slice] })), worker: true }),
    /^ok: .* 3 API servers/,
  ],
  [
    'credentials',
    'may not list slices',
    async () => slices(await forbidden()),
    /^fail: .*rbac --endpoints \|/,
  ],
  ['credentials', 'are unknown to the API', () => api({ answer: 'unauthenticated' }), /^fail: .*401/],
  ['credentials', 'cannot be judged without an API', withoutApi, /^unknown: /],
  ['node-labels', 'are on this node', api, /^ok: /],
  ['node-labels', 'are missing on this node', unlisted, /^warn: .*kubectl label node cp-9/],
  ['node-labels', 'are on no node', () => api({ objects: [] }), /^fail: /],
  [
    'node-labels',
    'are on a node without address',
    () => api({ objects: [node('cp-1', [])] }),
    /^fail: .*InternalIP/,
  ],
  ['api-certificate', "is signed by the kubeconfig's authority", api, /^ok: /],
  [
    'api-certificate',
    'is signed by another one',
    () => api({ hasForeignCa: true }),
    /^fail: .*test authority/,
  ],
  ['client-certificate', 'is valid for a day', api, /^ok: /],
  ['client-certificate', 'cannot be parsed', withBrokenCertificate, /^unknown: /],
  ['anonymous-readyz', 'answers 200', () => answering(200), /^ok: /],
  ['anonymous-readyz', 'answers 401', () => answering(401), /^fail: /],
  ['anonymous-readyz', 'answers 403', () => answering(403), /^fail: /],
  ['anonymous-readyz', 'answers 500', () => answering(500), /^warn: /],
  ['anonymous-readyz', 'is not served here', async () => ({ apiPort: 1 }), /^skip: /],
  [
    'clock',
    "is compared with a peer's that does not answer",
    silent,
    /^skip: .*127\.0\.0\.1 does not answer$/,
  ],
  ['clock', "agrees with a peer's", () => answering(401), /^ok: /],
  ['clock', "is 10 s off a peer's", () => answering(401, 10_000), /^warn: .* s behind /],
  ['clock', "is an hour off a peer's", () => answering(401, -3_600_000), /^fail: .* s ahead of /],
])('%s: %s', async (check, _, settings, words) => {
  expect(said(await examine(check, undefined, await settings()))).toMatch(words);
});

const installed = { '/etc/hawser/installed.json': '{}' };
const truncated = { '/etc/kubernetes/kubelet.conf': 'apiVersion: v1\nclusters: [' };
const named = { kubeconfig: '/etc/hawser/kubeconfig' };
const ofKubelet = {
  '/etc/hawser/installed.json': JSON.stringify({
    ...{ version: 1, image: 'x', vips: [], ports: [], directories: [], files: [] },
    credentials: 'kubelet',
  }),
};
const commands = /^fail: \/etc\/hawser\/kubeconfig is missing.*kubeadm kubeconfig user/;
const copy = /^fail: .*install -m 0600 \/etc\/kubernetes\/kubelet\.conf \/etc\/hawser\/kubeconfig/;

test.each<[check: string, claim: string, files: Files, settings: Settings, words: RegExp]>([
  ['credentials', 'are not needed before an install', {}, {}, /^skip: /],
  ['credentials', 'are missing after an install', installed, {}, commands],
  ['credentials', 'are missing where --kubeconfig names them', {}, named, commands],
  ['credentials', "are missing after an install with the kubelet's", ofKubelet, {}, copy],
  ['credentials', 'are a truncated file', truncated, {}, /^fail: /],
  ['client-certificate', 'has no kubeconfig', {}, named, /^unknown: .*see check credentials$/],
  ['api-certificate', 'has no kubeconfig', {}, named, /^unknown: .*see check credentials$/],
  ['node-labels', 'has no kubeconfig', {}, named, /^unknown: .*see check credentials$/],
  ['clock', 'has no peer to compare with', {}, {}, /^skip: /],
  ['peer-ports', 'has no peer to connect to', {}, {}, /^skip: /],
])('%s: %s', async (check, _, files, settings, words) => {
  expect(said(await examine(check, files, settings))).toMatch(words);
});

test.each([
  ['not valid yet', '2025-12-31', 'fail'],
  ['valid for months', '2026-06-01', 'ok'],
  ['valid for less than a tenth of its time', '2026-12-20', 'warn'],
  ['expired', '2027-01-02', 'fail'],
])('a client certificate that is %s', (_, date, kind) => {
  expect(judgeCertificate(certificateOf('CN=x'), new Date(date), named.kubeconfig).kind).toBe(kind);
});

test.each([
  ['CN=hawser', /kubeadm kubeconfig user --client-name hawser .*>\/etc\/hawser\/kubeconfig/],
  ['O=system:nodes, CN=system:node:cp-1', /systemctl restart kubelet/],
])('an expired client certificate of %s is renewed by its owner', (subject, words) => {
  const finding = judgeCertificate(certificateOf(subject), new Date('2027-01-02'), named.kubeconfig);
  expect(said(finding)).toMatch(words);
});

function certificateOf(subject: string) {
  const from = new Date('2026-01-01T00:00:00Z');
  return { kind: 'certificate', subject, from, to: new Date('2027-01-01T00:00:00Z') } as const;
}
