import { watchEventLoop } from '../observe/event-loop-lag.ts';
import { type Endpoint, type OpenServer, serveEndpoint } from '../observe/http-endpoint.ts';
import { type LogSettings, openLog } from '../observe/journal/journal.ts';
import type { JournalEvents } from '../observe/journal/journal-events.ts';
import {
  type MetricsListenSettings,
  type MetricsPages,
  relayedMetrics,
  serveMetrics,
} from '../observe/metrics-listener.ts';
import { createMetricsRegistry, type MetricsRegistry } from '../observe/metrics-registry.ts';
import type { MonitorMetrics } from '../observe/monitor-metrics.ts';
import { createOnce } from '../observe/once.ts';
import { pieces } from '../observe/pieces.ts';
import { processMetrics } from '../observe/process-metrics.ts';
import { messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';
import { hostPort } from '../system/network/address-text.ts';
import { stopOnSignals } from '../system/process/stop-signals.ts';
import { abortLater } from '../system/time/abort-later.ts';
import { monotonicMs } from '../system/time/monotonic-clock.ts';
import { createWake, type Wake } from '../system/time/wake.ts';
import { hawserVersion } from '../system/version.ts';
import { watchClientCertificate } from './client-certificate.ts';
import { fileMounts, type InputPaths, watchInputs } from './inputs.ts';
import type { Observers } from './observers.ts';
import { type Loops, runMonitor } from './run-monitor.ts';

interface PageAddress {
  readonly host: string;
  readonly port: number;
}

interface MonitorSettings extends InputPaths, LogSettings, MetricsListenSettings {
  readonly listen: PageAddress;
  /** How long the monitor keeps running after SIGTERM, not ready. Undefined: stops at once. */
  readonly shutdownDelayMs?: number;
}

/** Name of a monitor in its log, the events of its journal, and its metrics. */
interface MonitorKind<Metrics extends MonitorMetrics> {
  readonly name: string;
  readonly events: JournalEvents;
  readonly createMetrics: (nowMs: () => number, registry: MetricsRegistry) => Metrics;
  /** More parts of the monitor's page. `unready` returns why the monitor is not ready; undefined if it is ready. */
  readonly page?: (metrics: Metrics, unready: Problem) => MorePage;
  /**
   * Pages with metrics of the pod's other programs, keyed by the part of the path after `/metrics/` on `metricsListen`. Undefined if the program does
   * not run.
   */
  readonly relays?: Readonly<Record<string, PageAddress | undefined>>;
}

interface MorePage extends Pick<Endpoint, 'mayReadMetrics' | 'unready'> {
  /** Undefined: plain HTTP. */
  readonly openServer?: OpenServer | undefined;
  readonly moreMetrics: () => Promise<Iterable<string>>;
}

type Problem = () => Promise<string | undefined>;

/** What a monitor gets to prepare its loops. */
export interface Monitor<Metrics extends MonitorMetrics> {
  readonly observers: Observers<Metrics>;
  readonly log: Log;
  /** Wakes the loop. A changed input file wakes it too. */
  readonly wake: Wake;
  /** Sets the function that answers `/status`. Earlier requests wait for it. */
  readonly show: (status: () => object) => void;
  /** Sets the function that returns why the monitor is not ready; undefined if it is ready. The monitor is not ready until this is called. */
  readonly readyUnless: (problem: Problem) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs a monitor until a signal stops it, and resolves with the exit code. Its page answers before `prepare` starts, so that a monitor that waits for
 * its cluster is not restarted.
 */
export async function monitorProgram<Metrics extends MonitorMetrics>(
  { name, events, createMetrics, page: pageOf, relays = {} }: MonitorKind<Metrics>,
  settings: MonitorSettings,
  prepare: (monitor: Monitor<Metrics>) => Promise<Loops>,
): Promise<number> {
  const log = await openLog(name, settings, events);
  const metrics = createMetrics(monotonicMs, createMetricsRegistry());
  const observers = { log, metrics, once: createOnce() };
  const stopping = stopOnSignals(log);
  const asked = abortLater(stopping, settings.shutdownDelayMs ?? 0);
  const surroundings = { log, asked, replaced: fileMounts(settings) };
  return await runMonitor(surroundings, async (signal) => {
    watchEventLoop(metrics.lag);
    watchClientCertificate(settings.kubeconfig, observers, signal);
    const own = processMetrics({ version: hawserVersion() });
    const first = Promise.withResolvers<object>();
    let status: () => object | Promise<object> = () => first.promise;
    const show: Monitor<Metrics>['show'] = (next) => {
      status = next;
      first.resolve(next());
    };
    let metricsProblem: string | undefined;
    let problem: Problem = async () => 'it is starting';
    const { moreMetrics, openServer, ...more }: Partial<MorePage> =
      pageOf?.(metrics, async () => (stopping.aborted ? 'it is stopping' : await problem())) ?? {};
    const page = {
      ...more,
      trouble: () => livenessFailure(metrics.secondsSinceBeat()),
      metrics: async () => {
        const others = await moreMetrics?.();
        const text = `${metrics.text()}\n${own()}`;
        return others === undefined ? text : pieces(`${text}\n`, others);
      },
      status: async () => ({ ...(await status()), ...(metricsProblem !== undefined && { metricsProblem }) }),
    };
    await serveEndpoint(settings.listen, page, signal, openServer).catch((error: unknown) => {
      throw new Error(`Cannot serve --listen "${hostPort(settings.listen)}": ${messageOf(error)}`, {
        cause: error,
      });
    });
    const onTrouble = (message: string | undefined): void => {
      metricsProblem = message;
    };
    void serveMetrics(settings, metricsPages(page.metrics, relays, signal), { log, onTrouble }, signal);
    const wake = createWake();
    const readyUnless: Monitor<Metrics>['readyUnless'] = (next) => {
      problem = next;
    };
    const loops = await prepare({ observers, log, wake, show, readyUnless, signal });
    if (!signal.aborted) watchInputs(settings, wake, observers, signal);
    return loops;
  });
}

/** A loop that completes no iteration for this long hangs. A reload that waits for another one takes at most 20 s. */
const HUNG_AFTER_S = 120;

/** The message for `/healthz` if the loop hangs; undefined otherwise. */
function livenessFailure(secondsSinceBeat: number): string | undefined {
  if (secondsSinceBeat < HUNG_AFTER_S) return undefined;
  return `the monitor's loop has not completed an iteration for ${Math.round(secondsSinceBeat)} s, expected one at least every ${HUNG_AFTER_S} s`;
}

function metricsPages(
  own: MetricsPages[string],
  relays: Readonly<Record<string, PageAddress | undefined>>,
  signal: AbortSignal,
): MetricsPages {
  const others = Object.entries(relays).flatMap(([word, address]) =>
    address === undefined ? [] : [[`/metrics/${word}`, relayedMetrics(address, signal)] as const],
  );
  return { '/metrics': own, ...Object.fromEntries(others) };
}
