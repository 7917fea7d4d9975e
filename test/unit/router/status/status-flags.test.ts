import { expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { commandSpec } from '../../../../src/cli/command-spec.ts';
import { statusFlags } from '../../../../src/router/settings/status-flags.ts';

const spec = commandSpec({ name: 'router', summary: '', flags: statusFlags, examples: [], notes: [] });
const settings = (env: Readonly<Record<string, string>>) =>
  settingsTyped(spec, [], { ...env }, () => undefined);

test('statuses are written under the name of openshift-router, unless that is turned off', () => {
  expect(settings({})).toMatchObject({
    updateStatus: true,
    serviceName: 'public',
    serviceNamespace: 'default',
  });
  for (const off of ['false', 'False', '0', 'f'])
    expect(settings({ ROUTER_UPDATE_STATUS: off })).toMatchObject({ updateStatus: false });
});

test.each([
  [{ ROUTER_UPDATE_STATUS: 'no' }, 'expected true or false'],
  [{ ROUTER_SERVICE_NAME: 'My Router' }, 'expected a name'],
  [{ ROUTER_SERVICE_NAMESPACE: 'a.b' }, 'expected a DNS label'],
  [{ ROUTER_CANONICAL_HOSTNAME: '192.0.2.1' }, 'expected the name of a host'],
  [{ ROUTER_CANONICAL_HOSTNAME: 'a b' }, 'expected a domain'],
])('%j is an error: %s', (env, words) => {
  expect(() => settings(env)).toThrow(words);
});
