import { expect, test } from 'vitest';
import { routerResources } from '../../../../src/router/follow/router-resources.ts';
import { matchesFields } from '../../../helpers/api-server/label-selector.ts';

const types = [
  'kubernetes.io/tls',
  'Opaque',
  'example.com/own',
  'kubernetes.io/dockercfg',
  'kubernetes.io/dockerconfigjson',
  'kubernetes.io/service-account-token',
  'helm.sh/release.v1',
];

test.each([
  [undefined, ['kubernetes.io/tls']],
  ['hawser', ['kubernetes.io/tls', 'Opaque', 'example.com/own']],
])('with the Ingress class %j, Secrets of the types %j are listed', (ingressClass, expected) => {
  const { secrets } = routerResources({ watchEndpoints: false, ingressClass }, () => undefined);
  expect(types.filter((type) => matchesFields(secrets.fieldSelector, { type }))).toEqual(expected);
});
