import { expect, test } from 'vitest';
import { settingsTyped } from '../../../../src/cli/command-line.ts';
import { commandSpec } from '../../../../src/cli/command-spec.ts';
import { publishProblems, statusFlags } from '../../../../src/router/settings/router-settings.ts';

const spec = commandSpec({ name: 'router', summary: '', flags: statusFlags, examples: [], notes: [] });
const settings = (env: Readonly<Record<string, string>>) =>
  settingsTyped(spec, [], { ...env }, () => undefined);

test("statuses are written under openshift-router's name, unless disabled", () => {
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
  [{ ROUTER_CANONICAL_HOSTNAME: '192.0.2.1' }, 'expected a host name'],
  [{ ROUTER_CANONICAL_HOSTNAME: 'a b' }, 'expected a domain'],
  [{ HAWSER_PUBLISH_SERVICE: 'router' }, 'expected NAMESPACE/NAME'],
  [{ HAWSER_PUBLISH_SERVICE: 'a/b/c' }, 'expected NAMESPACE/NAME'],
  [{ HAWSER_PUBLISH_ADDRESS: '192.0.2.1,a b' }, 'expected an address'],
])('%j is an error: %s', (env, words) => {
  expect(() => settings(env)).toThrow(words);
});

test('addresses to publish are canonical, and at most sixteen', () => {
  const { publishAddress } = settings({ HAWSER_PUBLISH_ADDRESS: '2001:DB8:0::1, LB.example.com' });
  expect(publishAddress).toEqual(['2001:db8::1', 'lb.example.com']);
  const many = Array.from({ length: 17 }, (_, index) => `192.0.2.${index}`);
  expect(publishProblems({ publishAddress: many })).toMatchObject([expect.stringContaining('at most 16')]);
});

test('a Service and explicit addresses exclude each other', () => {
  const both = settings({ HAWSER_PUBLISH_SERVICE: 'edge/router', HAWSER_PUBLISH_ADDRESS: '192.0.2.1' });
  expect(publishProblems(both)).toMatchObject([expect.stringContaining('expected one of them')]);
  expect(publishProblems(settings({ HAWSER_PUBLISH_SERVICE: 'edge/router' }))).toEqual([]);
});
