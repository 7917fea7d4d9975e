import { describe, expect, test } from 'vitest';
import { createDecider } from '../../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../../src/router/follow/read-object-list.ts';
import { routerSettings } from '../../../helpers/router/router-settings.ts';
import { decided, type RouteText, routeObject, verdicts } from '../objects-of.ts';

const HOST = 'victim.example.com';

/** A Route with the status that router `public` wrote for this host. */
function withStatus(text: RouteText, host: string, refusal = '', routerName = 'public') {
  const condition = { type: 'Admitted', status: refusal === '' ? 'True' : 'False', reason: refusal };
  return {
    ...routeObject(text),
    status: { ingress: [{ host, routerName, wildcardPolicy: 'None', conditions: [condition] }] },
  };
}

const victim: RouteText = { name: 'web', namespace: 'victim', host: HOST, age: 100 };
const edited: RouteText = { name: 'decoy', namespace: 'evil', host: HOST, age: 1 };

describe('a served host is taken by editing an older Route (H1)', () => {
  test('the Route that was admitted for the host keeps it', () => {
    const decision = decided([withStatus(edited, 'decoy.evil.test'), withStatus(victim, HOST)]);
    expect(verdicts(decision)).toEqual(['evil:decoy HostAlreadyClaimed', 'victim:web admitted']);
    expect(decision.admission.rejected[0]?.message).toBe(
      'a route in another namespace holds victim.example.com and was admitted first',
    );
  });

  test('an older Route without a status does not take the host either', () => {
    const decision = decided([routeObject(edited), withStatus(victim, HOST)]);
    expect(verdicts(decision)).toEqual(['evil:decoy HostAlreadyClaimed', 'victim:web admitted']);
  });

  test.each(['ExtendedValidationFailed', 'ExternalCertificateGetFailed', 'ConfigurationRefused'])(
    'a Route that is refused with %s keeps its host',
    (reason) => {
      const decision = decided([routeObject(edited), withStatus(victim, HOST, reason)]);
      expect(verdicts(decision)).toContain('evil:decoy HostAlreadyClaimed');
    },
  );

  test.each(['HostAlreadyClaimed', 'RouteNotAdmitted', 'InvalidHost'])(
    'a Route that was refused with %s holds nothing',
    (reason) => {
      const decision = decided([withStatus(edited, HOST, reason), withStatus(victim, HOST)]);
      expect(verdicts(decision)).toContain('victim:web admitted');
    },
  );

  test('the status of another router has no effect', () => {
    const other = withStatus(victim, HOST, '', 'internal');
    expect(verdicts(decided([routeObject(edited), other]))).toContain('evil:decoy admitted');
    expect(verdicts(decided([routeObject(edited), other], { serviceName: 'internal' }))).toContain(
      'victim:web admitted',
    );
  });

  test('an unreadable Route gains no host through its status', () => {
    const unreadable = { ...routeObject(edited), spec: { host: HOST, to: { name: 7 } } };
    const decision = decided([unreadable, withStatus(victim, HOST)]);
    expect(verdicts(decision)).toEqual(['evil:decoy HostAlreadyClaimed', 'victim:web admitted']);
  });

  test('a wildcard Route that was admitted keeps an edited older host out of its domain', () => {
    const wildcard = { ...withStatus(victim, 'any.apps.test'), spec: {} };
    const object = {
      ...wildcard,
      spec: { host: 'any.apps.test', wildcardPolicy: 'Subdomain', to: { name: 'web' } },
      status: {
        ingress: [
          {
            host: 'any.apps.test',
            routerName: 'public',
            wildcardPolicy: 'Subdomain',
            conditions: [{ type: 'Admitted', status: 'True' }],
          },
        ],
      },
    };
    const older = routeObject({ ...edited, host: 'login.apps.test' });
    expect(verdicts(decided([older, object], { allowWildcards: true }))).toEqual([
      'evil:decoy HostAlreadyClaimed',
      'victim:web admitted',
    ]);
  });

  test('of two Routes that were both admitted for the host, the older keeps it', () => {
    const both = [withStatus(victim, HOST), withStatus(edited, HOST)];
    expect(verdicts(decided(both))).toContain('evil:decoy admitted');
    expect(verdicts(decided(both.toReversed()))).toContain('evil:decoy admitted');
  });
});

describe('a served host is taken by editing an older Ingress (H1)', () => {
  const ingress = (namespace: string, age: number, host: string, path = '/') => ({
    kind: 'Ingress',
    metadata: {
      name: 'web',
      namespace,
      uid: `uid-${namespace}`,
      creationTimestamp: new Date(Date.UTC(2026, 0, 1) + age * 1_000).toISOString(),
    },
    spec: {
      ingressClassName: 'hawser',
      rules: [
        {
          host,
          http: {
            paths: [
              { path, pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } },
            ],
          },
        },
      ],
    },
  });
  const service = (namespace: string, port = 80) => ({
    kind: 'Service',
    metadata: { name: 'web', namespace },
    spec: { ports: [{ port, name: 'http' }] },
  });
  const listOf = (...objects: readonly object[]) => readObjectList(JSON.stringify(objects)).objects;
  const objectsOf = (...objects: readonly object[]) => listOf(...objects, service('evil'), service('victim'));
  const settings = { ...routerSettings(), ingressClass: 'hawser' };
  const admitted = ({ admission }: ReturnType<ReturnType<typeof createDecider>>) =>
    admission.admitted.map(({ route, host }) => `${route.namespace} ${host}`);

  test('the Ingress that is served keeps the host in a running router', () => {
    const decide = createDecider(settings);
    decide(objectsOf(ingress('evil', 1, 'decoy.evil.test'), ingress('victim', 100, HOST)));
    const after = decide(objectsOf(ingress('evil', 1, HOST), ingress('victim', 100, HOST)));
    expect(admitted(after)).toEqual([`victim ${HOST}`]);
  });

  test('it keeps the host while its own paths change', () => {
    const decide = createDecider(settings);
    decide(objectsOf(ingress('victim', 100, HOST)));
    const after = decide(objectsOf(ingress('evil', 1, HOST), ingress('victim', 100, HOST, '/other')));
    expect(admitted(after)).toEqual([`victim ${HOST}`]);
  });

  test('it keeps the host while its Service lacks the port', () => {
    const decide = createDecider(settings);
    const both = [ingress('evil', 200, HOST), ingress('victim', 100, HOST), service('evil')];
    decide(listOf(...both, service('victim')));
    expect(admitted(decide(listOf(...both, service('victim', 8080))))).toEqual([]);
    expect(admitted(decide(listOf(...both, service('victim'))))).toEqual([`victim ${HOST}`]);
  });

  test('the host is free once the Ingress is deleted', () => {
    const decide = createDecider(settings);
    decide(objectsOf(ingress('victim', 100, HOST)));
    decide(objectsOf(ingress('evil', 1, HOST)));
    const after = decide(objectsOf(ingress('evil', 1, HOST), ingress('victim', 100, HOST)));
    expect(admitted(after)).toEqual([`evil ${HOST}`]);
  });

  test('a Route that was admitted keeps the host from an edited Ingress, even after a restart', () => {
    const decision = createDecider(settings)(objectsOf(ingress('evil', 1, HOST), withStatus(victim, HOST)));
    expect(admitted(decision)).toEqual([`victim ${HOST}`]);
  });
});
