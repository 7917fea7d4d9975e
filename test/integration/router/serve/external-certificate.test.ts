import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { selfSigned } from '../../../../src/router/render/default-certificate.ts';
import type { StoredObject } from '../../../helpers/api-server/object-store.ts';
import { type LiveRouter, startLiveRouter } from '../../../helpers/router/live-router.ts';
import { plainRoute, slice } from '../../../helpers/router/route-objects.ts';
import { waitFor } from '../../../helpers/wait-for.ts';

let live: LiveRouter;

const pem = Buffer.from(selfSigned('web.test', new Date())).toString('base64');
const secret: StoredObject = {
  kind: 'Secret',
  apiVersion: 'v1',
  type: 'kubernetes.io/tls',
  metadata: { name: 'web-tls', namespace: 'shop', uid: 'uid-web-tls' },
  data: { 'tls.crt': pem, 'tls.key': pem },
};
const plain = plainRoute('plain', 'plain.test');
const tls = { termination: 'edge', insecureEdgeTerminationPolicy: 'Allow' };
const web = plainRoute('web', 'web.test');
const withSecret: StoredObject = {
  ...web,
  spec: { ...Object(web['spec']), tls: { ...tls, externalCertificate: { name: 'web-tls' } } },
};
const role: StoredObject = {
  kind: 'Role',
  apiVersion: 'rbac.authorization.k8s.io/v1',
  metadata: { name: 'web-tls', namespace: 'shop', uid: 'uid-role' },
  rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['web-tls'], verbs: ['get'] }],
};
const pods = [slice('web', [0]), slice('plain', [1])];

beforeAll(async () => {
  live = await startLiveRouter({ objects: [plain, withSecret, secret, ...pods] });
});
afterAll(async () => {
  await live[Symbol.asyncDispose]();
});

const routeSchema = z.looseObject({
  status: z.optional(
    z.object({
      ingress: z.array(z.looseObject({ conditions: z.array(z.looseObject({ status: z.string() })) })),
    }),
  ),
});

async function condition() {
  const path = '/apis/route.openshift.io/v1/namespaces/shop/routes/web';
  const text = await live.cluster.get(`https://${live.host}:6443${path}`);
  return z.parse(routeSchema, JSON.parse(text)).status?.ingress[0]?.conditions[0];
}

test('an external certificate is served if its namespace lets the router get the Secret, and other routes always', async () => {
  await live.answers('plain.test', 'b');
  await live.answers('web.test', '503');
  const refused = await waitFor('the status', condition);
  expect(refused).toMatchObject({
    status: 'False',
    reason: 'ExternalCertificateValidationFailed',
    message:
      'the router may not get Secret shop/web-tls: expected a Role in namespace shop that allows get on this Secret, and a RoleBinding to system:serviceaccount:hawser-router:hawser-router',
  });
  live.set([plain, withSecret, secret, role, ...pods]);
  await live.answers('web.test', 'a');
  await waitFor('the status', async () => (await condition())?.status === 'True');
  const renamed = {
    ...withSecret,
    spec: { ...Object(withSecret['spec']), tls: { ...tls, externalCertificate: { name: 'other' } } },
  };
  live.set([plain, renamed, secret, role, ...pods]);
  await live.answers('web.test', '503');
});

test('8: a Route reports that its Secret was deleted, and is served again once it exists', async () => {
  live.set([plain, withSecret, secret, role, ...pods]);
  await live.answers('web.test', 'a');
  live.set([plain, withSecret, role, ...pods]);
  await live.answers('web.test', '503');
  const gone = await waitFor('the status', async () => {
    const found = await condition();
    return found?.['reason'] === 'ExternalCertificateGetFailed' ? found : undefined;
  });
  expect(gone['message']).toBe('there is no Secret shop/web-tls of type kubernetes.io/tls');
  live.set([plain, withSecret, secret, role, ...pods]);
  await live.answers('web.test', 'a');
  await waitFor('the status', async () => (await condition())?.status === 'True');
});
