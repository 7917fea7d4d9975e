import { expect, test } from 'vitest';
import { hostOf } from '../../../../src/router/decide/host-of.ts';
import { admissionPolicy } from '../../../../src/router/settings/decision-settings.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { decided, routeObject, verdicts } from '../objects-of.ts';

const variable = (name: string) => `$\{${name}}`;
const template = { subdomain: `${variable('name')}-${variable('namespace')}.apps.example.com` };

test.each([
  [{ host: 'a.b' }, {}, 'a.b'],
  [{}, {}, ''],
  [{}, template, 'web-shop.apps.example.com'],
  [{ host: 'a.b' }, template, 'a.b'],
  [{ host: 'a.b' }, { ...template, overrideHostname: true }, 'web-shop.apps.example.com'],
  [{ host: 'x.old.com' }, { ...template, overrideDomains: ['old.com'] }, 'web-shop.apps.example.com'],
  [{ host: 'xold.com' }, { ...template, overrideDomains: ['old.com'] }, 'xold.com'],
  [{ subdomain: 'web' }, { domain: 'apps.example.com' }, 'web.apps.example.com'],
  [{ host: 'a.b', subdomain: 'web' }, { domain: 'apps.example.com' }, 'a.b'],
  [{}, { subdomain: '"$name.example.com"' }, 'web.example.com'],
  [{}, { subdomain: `${variable('name')}.${variable('unknown')}` }, ''],
  [{}, { subdomain: `${variable('name')}.${variable('constructor')}` }, ''],
])('a route with %j and the policy %j has the host %j', (some, policy, host) => {
  const route = { name: 'web', namespace: 'shop', host: '', subdomain: '', ...some };
  expect(hostOf(route, admissionPolicy({ ...routerSettings(), ...policy }))).toBe(host);
});

test.each([
  [{ deniedDomains: ['example.com'] }, 'shop:a RouteNotAdmitted'],
  [{ deniedDomains: ['app.example.com'] }, 'shop:a RouteNotAdmitted'],
  [{ deniedDomains: ['ample.com'] }, 'shop:a admitted'],
  [{ allowedDomains: ['example.net'] }, 'shop:a RouteNotAdmitted'],
  [{ allowedDomains: ['example.com'] }, 'shop:a admitted'],
  [{ allowedDomains: ['example.com'], deniedDomains: ['app.example.com'] }, 'shop:a RouteNotAdmitted'],
])('with the domains %j: %s', (policy, verdict) => {
  expect(verdicts(decided([routeObject({ name: 'a' })], policy))).toEqual([verdict]);
});

test.each([
  ['secret.example.com', 'shop:a RouteNotAdmitted'],
  ['deep.secret.example.com', 'shop:a admitted'],
  ['other.net', 'shop:a admitted'],
])('a wildcard of example.com with the denied domain %s: %s', (denied, verdict) => {
  const wildcard = routeObject({ name: 'a', host: 'any.example.com', spec: { wildcardPolicy: 'Subdomain' } });
  const policy = { allowWildcards: true, deniedDomains: [denied] };
  expect(verdicts(decided([wildcard], policy))).toEqual([verdict]);
});

test.each([
  ['', 'NoHostValue'],
  ['App.example.com', 'InvalidHost'],
  ['app.example.com.', 'InvalidHost'],
  ['app_1.example.com', 'InvalidHost'],
  [`${'a'.repeat(64)}.example.com`, 'InvalidHost'],
])('the host %j is refused: %s', (host, reason) => {
  expect(verdicts(decided([routeObject({ name: 'a', host })]))).toEqual([`shop:a ${reason}`]);
});

test.each([
  [{ tls: { termination: 'none' } }],
  [{ tls: { termination: 'edge', insecureEdgeTerminationPolicy: 'Maybe' } }],
  [{ tls: { termination: 'passthrough', insecureEdgeTerminationPolicy: 'Allow' } }],
  [{ tls: { termination: 'passthrough' }, path: '/a' }],
  [{ tls: { termination: 'passthrough', certificate: 'x' } }],
  [{ tls: { termination: 'edge', destinationCACertificate: 'x' } }],
  [{ path: 'a' }],
  [{ path: '/a b' }],
  [{ path: "/a'" }],
])('a route with %j is refused by extended validation', (spec) => {
  expect(verdicts(decided([routeObject({ name: 'a', spec })]))).toEqual(['shop:a ExtendedValidationFailed']);
});
