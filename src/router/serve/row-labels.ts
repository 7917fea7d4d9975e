import type { RowLabels } from '../../haproxy/exporter/statistics-page.ts';
import { backendPrefix } from '../model.ts';

/** What openshift-router's exporter calls the kinds of backends. */
const kinds: ReadonlyMap<string, string> = new Map([
  [backendPrefix.http, 'http'],
  [backendPrefix.edge, 'https-edge'],
  [backendPrefix.reencrypt, 'https'],
  [backendPrefix.passthrough, 'tcp'],
]);

/** The labels of openshift-router's exporter: `backend="http",namespace="shop",route="cart"`. */
export const labelsOf: RowLabels = ({ type, key }) => {
  const [proxy = '', server = ''] = key.split(' ');
  switch (type) {
    case 'frontend':
      return { frontend: proxy };
    case 'backend':
      return backendOf(proxy);
    case 'server': {
      const { namespace, route } = backendOf(proxy);
      const { name, pod, service } = serverOf(server);
      return { server: name, namespace, route, pod, service };
    }
  }
};

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
