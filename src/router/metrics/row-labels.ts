import { escapedLabel } from '../../engine/observe/metrics-registry.ts';
import { backendPrefix } from '../model.ts';
import type { StatisticsRow } from './statistics-rows.ts';

/** What openshift-router's exporter calls the kinds of backends. */
const kinds: ReadonlyMap<string, string> = new Map([
  [backendPrefix.http, 'http'],
  [backendPrefix.edge, 'https-edge'],
  [backendPrefix.reencrypt, 'https'],
  [backendPrefix.passthrough, 'tcp'],
]);

/** `backend="http",namespace="shop",route="cart"`: the labels of openshift-router's exporter. */
export function labelsOf({ type, key }: Pick<StatisticsRow, 'type' | 'key'>): string {
  const [proxy = '', server = ''] = key.split(' ');
  switch (type) {
    case 'frontend':
      return labels({ frontend: proxy });
    case 'backend':
      return labels(backendOf(proxy));
    case 'server': {
      const { namespace, route } = backendOf(proxy);
      const { name, pod, service } = serverOf(server);
      return labels({ server: name, namespace, route, pod, service });
    }
  }
}

function labels(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapedLabel(value)}"`)
    .join(',');
}

/** `be_http:NAMESPACE:ROUTE`; a backend that belongs to no route is `other/NAME`. */
function backendOf(proxy: string) {
  const [prefix = '', namespace, route] = proxy.split(':');
  const kind = kinds.get(prefix);
  return kind === undefined || namespace === undefined || route === undefined
    ? { backend: `other/${proxy}`, namespace: '', route: '' }
    : { backend: kind, namespace, route };
}

/** `pod:POD:SERVICE:PORT:ADDRESS`, and `ept:SERVICE:PORT:ADDRESS` of an endpoint that is no pod. */
function serverOf(server: string) {
  const [, pod = '', service, name] = /^(?:pod:([^:]*)|ept):([^:]*):[^:]*:(.*)$/.exec(server) ?? [];
  return service === undefined || name === undefined
    ? { name: server, pod: '', service: '' }
    : { name, pod, service };
}
