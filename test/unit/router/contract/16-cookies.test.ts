import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { backendOptions, templateBackend } from '../../../../src/router/render/template-backend.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { backendWith, decided, routeObject, sliceObject } from '../objects-of.ts';

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const edge = { tls: { termination: 'edge' } };

describe('contract 16: the session cookie', () => {
  test("has openshift-router's name and values", () => {
    const backend = backendWith({}, edge);
    expect(backend.cookie).toEqual({ name: md5(' shop:a'), secure: true, sameSite: 'None' });
    const { servers } = templateBackend(backend, backendOptions(routerSettings()));
    expect(servers.map(({ options }) => options.split(' weight ')[0])).toEqual([
      `cookie '${md5('pod:web-1:web:http:10.0.0.1:8080')}'`,
      `cookie '${md5('pod:web-2:web:http:10.0.0.2:8080')}'`,
    ]);
  });

  test("is the one that seed 003's router set for demoprojectone/jenkins", () => {
    const route = routeObject({ name: 'jenkins', namespace: 'demoprojectone' });
    expect(decided([route]).model.backends[0]?.cookie?.name).toBe('4376ea64d7d0abf11209cfe5f7cca1e7');
  });

  test.each([
    [{}, { secure: false }],
    [{ tls: { termination: 'edge', insecureEdgeTerminationPolicy: 'Allow' } }, { secure: false }],
    [
      { tls: { termination: 'edge', insecureEdgeTerminationPolicy: 'Redirect' } },
      { secure: true, sameSite: 'None' },
    ],
    [{ tls: { termination: 'reencrypt' } }, { secure: true, sameSite: 'None' }],
  ])('the cookie of a route %j is %j', (spec, cookie) => {
    expect(backendWith({}, spec).cookie).toEqual({ name: md5(' shop:a'), ...cookie });
  });

  test.each([
    ['router.openshift.io/cookie_name', 'SESSION', { name: 'SESSION' }],
    ['router.openshift.io/cookie_name', 'a b', { name: 'STICKY' }],
    ['router.openshift.io/cookie-same-site', 'Strict', { name: 'STICKY', sameSite: 'Strict' }],
    ['router.openshift.io/cookie-same-site', 'strict', { name: 'STICKY', sameSite: 'None' }],
  ])('with %s %j is %j', (name, value, cookie) => {
    expect(backendWith({ [name]: value }, edge, { cookieName: 'STICKY' }).cookie).toMatchObject(cookie);
  });

  test('is left out with disable_cookies, and for passthrough', () => {
    expect(backendWith({ 'haproxy.router.openshift.io/disable_cookies': 'TRUE' }).cookie).toBeUndefined();
    expect(backendWith({}, { tls: { termination: 'passthrough' } }).cookie).toBeUndefined();
  });

  test('is the same for every order of the pods', () => {
    const slice = sliceObject('web', 3);
    const turned = { ...slice, endpoints: slice.endpoints.toReversed() };
    const [one, other] = [slice, turned].map((each) => decided([routeObject({ name: 'a' }), each]).model);
    expect(other).toEqual(one);
  });
});
