import { expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { neededAccess } from '../../../../src/router/look/checks.ts';
import { routerCommand } from '../../../../src/router/settings/router-command.ts';
import { grantedBy } from '../../../helpers/granted-rules.ts';

const granted = grantedBy('manifests/router/rbac.yaml');
const neededWith = (...flags: readonly string[]) =>
  neededAccess(settingsTyped(routerCommand, flags, { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, () => undefined));

test('the roles of the manifest have all that a router needs, however it is set', () => {
  const most = neededWith('--ingress-class=hawser', '--namespace-labels=team=a');
  const words = most.map(({ verb, group, resource }) => `${verb} ${resource}.${group}`);
  expect(words).toContain('list ingresses.networking.k8s.io');
  expect(words.filter((each) => !granted.includes(each))).toEqual([]);
});

test('permissions for features that are off are not needed', () => {
  const least = neededWith('--secrets=false', '--update-status=false', '--namespace=shop');
  expect(new Set(least.map(({ resource }) => resource))).toEqual(
    new Set(['routes', 'endpointslices', 'services']),
  );
  expect(new Set(least.map(({ namespace }) => namespace))).toEqual(new Set(['shop']));
});
