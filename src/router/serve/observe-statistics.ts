import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { createExporter, type Exporter } from '../../haproxy/exporter/exporter.ts';
import type { RouteBackend } from '../model.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import type { RouterObserver } from './router-observer.ts';
import { labelsOf } from './row-labels.ts';

/**
 * HAProxy's statistics for a running router, which counts its servers and asks HAProxy before a reload: the old generation may
 * end at once. The answer is read when the configuration has come to its end: of thousands of routes it would take the time of the change.
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
      // Of the process it is four times as many: a client with TLS counts twice, and for a moment after it has gone. Dashboards divide
      // the connections of clients by it.
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
