import { expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { neededAccess } from '../../../../src/router/report/checks.ts';
import { routerCommand } from '../../../../src/router/settings/router-command.ts';
import { grantedBy } from '../../../helpers/granted-rules.ts';

const granted = grantedBy('manifests/router/rbac.yaml');
const neededWith = (...flags: readonly string[]) =>
  neededAccess(settingsTyped(routerCommand, flags, { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, () => undefined));

test("the manifest's roles have all permissions that any settings need", () => {
  const most = neededWith('--ingress-class=hawser', '--namespace-labels=team=a', '--publish-service=a/b');
  const words = most.map(({ verb, group, resource }) => `${verb} ${resource}.${group}`);
  expect(words).toContain('list ingresses.networking.k8s.io');
  expect(words).toContain('patch ingresses/status.networking.k8s.io');
  expect(words.filter((each) => !granted.includes(each))).toEqual([]);
});

test.each([
  [['--publish-address=192.0.2.1']],
  [['--ingress-class=hawser']],
  [['--ingress-class=hawser', '--publish-address=192.0.2.1', '--update-status=false']],
])('with %j, statuses of Ingresses are not written', (flags) => {
  expect(neededWith(...flags).map(({ resource }) => resource)).not.toContain('ingresses/status');
});

test('disabled features need no permissions', () => {
  const least = neededWith('--secrets=false', '--update-status=false', '--namespace=shop');
  expect(new Set(least.map(({ resource }) => resource))).toEqual(
    new Set(['routes', 'endpointslices', 'services']),
  );
  expect(new Set(least.map(({ namespace }) => namespace))).toEqual(new Set(['shop']));
});
