import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { createExporter, type Exporter } from '../../haproxy/exporter/exporter.ts';
import type { RowLabels } from '../../haproxy/exporter/statistics-page.ts';
import { backendPrefix, type RouteBackend } from '../model.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import type { RouterObserver } from './router-observer.ts';

/**
 * HAProxy's statistics for a running router. Counts the servers of the model, and scrapes HAProxy before a reload, since the old generation may exit
 * at any time. The scrape is parsed after the reload: with thousands of routes it would delay the change.
 */
export function observeStatistics(
  settings: LiveSettings,
): Pick<Exporter, 'page'> & { readonly observer: RouterObserver } {
  let backends: readonly RouteBackend[] = [];
  let applied = Promise.withResolvers<void>();
  applied.resolve();
  const exporter = createExporter(
    {
      statsSocket: settings.statsSocket,
      exported: settings.metricsExported,
      serverThreshold: settings.metricsServerThreshold,
      baseIntervalMs: settings.metricsInterval,
      timeoutMs: settings.metricsTimeout,
      labelsOf,
      // HAProxy's own limit is four times as high, since one client may take several connections. Dashboards divide the number of client
      // connections by this value.
      maxClients: settings.maxConnections === 'auto' ? undefined : settings.maxConnections,
      whenFree: () => applied.promise,
    },
    () => backends.reduce((sum, { servers }) => sum + servers.length, 0),
    monotonicMs,
  );
  return {
    page: exporter.page,
    observer: {
      onDecision: ({ model }) => {
        backends = model.backends;
      },
      onReload: () => {
        applied.resolve();
        applied = Promise.withResolvers();
        void exporter.scrape();
      },
      onOutcome: () => applied.resolve(),
    },
  };
}

/** openshift-router's names of the kinds of backends. */
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

/** `pod:POD:SERVICE:PORT:ADDRESS`, or `ept:SERVICE:PORT:ADDRESS` for an endpoint that is not a pod. */
function serverOf(server: string) {
  const [, pod = '', service, name] = /^(?:pod:([^:]*)|ept):([^:]*):[^:]*:(.*)$/.exec(server) ?? [];
  return service === undefined || name === undefined
    ? { name: server, pod: '', service: '' }
    : { name, pod, service };
}
