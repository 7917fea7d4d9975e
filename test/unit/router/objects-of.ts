import { type Decision, decide } from '../../../src/router/decide/decide.ts';
import { readObjectList } from '../../../src/router/follow/read-object-list.ts';
import type { RouteBackend } from '../../../src/router/model.ts';
import type { RouterSettings } from '../../../src/router/settings/router-settings.ts';
import { routerSettings } from '../../helpers/router/router-settings.ts';

export interface RouteText {
  readonly name: string;
  readonly namespace?: string;
  readonly host?: string;
  /** Seconds after a time one hour ago: a smaller number is older. */
  readonly age?: number;
  readonly uid?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

/** A Route as the API returns it, with the host app.example.com and the service web. */
export function routeObject({
  name,
  namespace = 'shop',
  host,
  age = 0,
  uid,
  annotations,
  labels,
  spec,
}: RouteText) {
  return {
    kind: 'Route',
    metadata: {
      name,
      namespace,
      uid: uid ?? `${namespace}-${name}`,
      creationTimestamp: new Date(Date.UTC(2026, 0, 1) + age * 1_000).toISOString(),
      annotations,
      labels,
    },
    spec: { host: host ?? 'app.example.com', to: { name: 'web' }, ...spec },
  };
}

/** The EndpointSlice of a service with this many pods, at 10.SUBNET.0.1 and so on, with port 8080 named http. */
export function sliceObject(service: string, pods: number, subnet = 0, port: object = {}) {
  return {
    kind: 'EndpointSlice',
    metadata: {
      name: `${service}-x`,
      namespace: 'shop',
      labels: { 'kubernetes.io/service-name': service },
    },
    addressType: 'IPv4',
    endpoints: Array.from({ length: pods }, (_, index) => ({
      addresses: [`10.${subnet}.0.${index + 1}`],
      targetRef: { kind: 'Pod', name: `${service}-${index + 1}` },
    })),
    ports: [{ name: 'http', port: 8080, ...port }],
  };
}

const defaults = routerSettings();

export function decided(objects: readonly object[], settings: Partial<RouterSettings> = {}): Decision {
  const all = { ...defaults, ...settings };
  const list = readObjectList(JSON.stringify(objects), all.routeLabels);
  if (list.problems.length > 0) throw new Error(list.problems.join('\n'));
  return decide(list.objects, all);
}

/** The verdict for each route: `shop:a admitted`, `shop:b HostAlreadyClaimed`. */
export function verdicts({ admission }: Decision): readonly string[] {
  return [
    ...admission.admitted.map(({ key }) => `${key} admitted`),
    ...admission.rejected.map(({ key, reason }) => `${key} ${reason}`),
  ].sort();
}

/** The backend of one route with these annotations and two pods. */
export function backendWith(
  annotations: Readonly<Record<string, string>>,
  spec: object = {},
  settings: Partial<RouterSettings> = {},
): RouteBackend {
  const objects = [routeObject({ name: 'a', annotations, spec }), sliceObject('web', 2)];
  const [backend] = decided(objects, settings).model.backends;
  if (backend === undefined) throw new Error('the route is not admitted');
  return backend;
}
