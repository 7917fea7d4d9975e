import { expect, test } from 'vitest';
import { createDecider, decide } from '../../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';
import type { SecretReview } from '../../../../src/router/follow/secret-reviews.ts';
import { selfSigned } from '../../../../src/router/render/default-certificate.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { routeObject } from '../objects-of.ts';

const pem = selfSigned('app.example.com', new Date());
const base64 = Buffer.from(pem).toString('base64');
const secret = (name: string) => ({
  kind: 'Secret',
  metadata: { name, namespace: 'shop' },
  type: 'kubernetes.io/tls',
  data: { 'tls.crt': base64, 'tls.key': base64 },
});
const tls = { termination: 'edge', externalCertificate: { name: 'cert' } };
const route = routeObject({ name: 'web', spec: { tls } });
const ingress = {
  kind: 'Ingress',
  metadata: { name: 'in', namespace: 'shop', uid: 'in' },
  spec: {
    ingressClassName: 'hawser',
    tls: [{ hosts: ['in.example.com'], secretName: 'cert' }],
    rules: [
      {
        host: 'in.example.com',
        http: {
          paths: [
            { path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } },
          ],
        },
      },
    ],
  },
};
const settings = { ...routerSettings(), ingressClass: 'hawser' };
const { objects } = readObjectList(JSON.stringify([route, secret('cert'), ingress]));
const review = (verdict: SecretReview['verdict'], more: Partial<SecretReview> = {}): SecretReview => ({
  namespace: 'shop',
  name: 'cert',
  verdict,
  ...more,
});
const rejectedWith = (secretReviews: readonly SecretReview[], among = objects) =>
  decide({ ...among, secretReviews }, settings).admission.rejected.map(({ key, reason, message }) => ({
    key,
    reason,
    message,
  }));

test("a Route uses a Secret's certificate only if the router may get the Secret", () => {
  const reason = 'ExternalCertificateValidationFailed';
  expect(rejectedWith([review('allowed')])).toEqual([]);
  expect(rejectedWith([review('denied')])).toMatchObject([{ key: 'shop:web', reason }]);
  expect(rejectedWith([review('unknown')])).toMatchObject([{ key: 'shop:web', reason }]);
  expect(rejectedWith([])).toMatchObject([{ key: 'shop:web', reason }]);
  expect(rejectedWith([review('allowed', { namespace: 'other' })])).toMatchObject([{ reason }]);
});

test('the status of a refused Route names the missing Role and its user', () => {
  const user = 'system:serviceaccount:hawser-router:hawser-router';
  expect(rejectedWith([review('denied', { user })])[0]?.message).toBe(
    `the router may not get Secret shop/cert: expected a Role in namespace shop that allows get on this Secret, and a RoleBinding to ${user}`,
  );
  expect(rejectedWith([review('denied')])[0]?.message).toContain("the router's service account");
});

test('a Route does not reveal whether a Secret exists that the router may not get', () => {
  const without = { ...objects, secrets: [], ingresses: [] };
  expect(rejectedWith([review('denied')], without)).toEqual(rejectedWith([review('denied')]));
});

test('without reviews, as for a file of objects, every Secret may be used', () => {
  expect(decide(objects, settings).admission.rejected).toEqual([]);
});

test('an added or removed Role triggers a decision', () => {
  const next = createDecider(settings);
  const admitted = (verdict: SecretReview['verdict']) =>
    next({ ...objects, secretReviews: [review(verdict)] }).admission.admitted.some(
      ({ key }) => key === 'shop:web',
    );
  expect([admitted('denied'), admitted('allowed'), admitted('denied')]).toEqual([false, true, false]);
});
