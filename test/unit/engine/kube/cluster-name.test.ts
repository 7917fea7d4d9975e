import { expect, test } from 'vitest';
import { clusterNameOf } from '../../../../src/engine/kube/control-plane/cluster-name.ts';

test.each([
  ['api.prod.example.com', 'prod'],
  ['api-int.prod.example.com', 'prod'],
  ['prod.example.com', 'prod'],
  ['api', 'api'],
  ['10.0.0.5', '10-0-0-5'],
  ['[fd00::5]', 'fd00-5'],
])('the name of the cluster behind "%s" is "%s"', (host, name) => {
  expect(clusterNameOf(host)).toBe(name);
});
