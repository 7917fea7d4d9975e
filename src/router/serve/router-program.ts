import { REFUSED } from '../../engine/config/outcome.ts';
import { openApiSession } from '../../engine/kube/api-session.ts';
import { openCredentials } from '../../engine/kube/in-cluster.ts';
import { runConfigurationLoop } from '../../engine/monitor/configuration-loop.ts';
import { type Monitor, monitorProgram } from '../../engine/monitor/monitor-program.ts';
import type { Loops } from '../../engine/monitor/run-monitor.ts';
import { openPageTls, type PageTls } from '../../engine/observe/page-tls.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import type { Log } from '../../engine/system/log.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import { hawserVersion } from '../../engine/system/version.ts';
import { reloadCauses } from '../../haproxy/runtime/plan.ts';
import { checkSettings, settingsCheck } from '../render/check-settings.ts';
import { routerJournal } from '../router-journal.ts';
import { metricsAccess } from '../settings/metrics-settings.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { withoutEffect } from '../settings/without-effect.ts';
import { keepStatuses } from '../status/keep-statuses.ts';
import { type FollowedObjects, followObjects } from './follow-objects.ts';
import { haproxyProblem } from './haproxy-problem.ts';
import { checkGivenCertificate, watchedPaths } from './live-files.ts';
import { observeStatistics } from './observe-statistics.ts';
import { createRecentChanges } from './recent-changes.ts';
import { scriptProblem } from './reload-script.ts';
import { reportRemarks } from './report-remarks.ts';
import { type RouterConfiguration, routerConfiguration } from './router-configuration.ts';
import { createRouterMetrics, type RouterMetrics } from './router-metrics.ts';
import type { RouterObserver } from './router-observer.ts';
import type { RouterStatus } from './router-status.ts';

/** The kubelet's probe times out after one second. */
const PROBE_MS = 800;
/** `hawser status` waits 250 ms for an answer. */
const STATUS_PROBE_MS = 150;

/** The causes of change records, and the reasons why changed routes need a reload. */
const RELOAD_REASONS = ['start', 'routes-changed', 'template-changed', 'edited', ...reloadCauses, REFUSED];

/** Runs the router. Resolves with 0 after a requested stop, once clients have had time to move to other routers. */
export async function runRouter(settings: LiveSettings): Promise<number> {
  await checkGivenCertificate(settings);
  await checkReloadScript(settings);
  await checkSettings(settings, settingsCheck(settings.haproxy));
  const tls = await openPageTls(settings);
  const statistics = observeStatistics(settings);
  return await monitorProgram(
    {
      name: 'router',
      ...routerJournal,
      createMetrics: (nowMs, registry) => createRouterMetrics(nowMs, registry, RELOAD_REASONS),
      page: (metrics, unready) => ({
        unready,
        mayReadMetrics: metricsAccess(settings),
        openServer: tls?.openServer,
        moreMetrics: async () => {
          metrics.ready((await unready()) === undefined);
          return await statistics.page();
        },
      }),
    },
    { ...settings, otherFiles: watchedPaths(settings) },
    (monitor) => prepare(settings, monitor, statistics.observer, tls),
  );
}

/** Throws a ConfigError if the script cannot be run, since no retry helps. */
async function checkReloadScript({ reloadScript }: LiveSettings): Promise<void> {
  const problem = reloadScript === undefined ? undefined : await scriptProblem(reloadScript);
  if (problem !== undefined) throw new ConfigError([problem]);
}

async function prepare(
  settings: LiveSettings,
  { observers, log, wake, show, readyUnless, signal }: Monitor<RouterMetrics>,
  statistics: RouterObserver,
  tls: PageTls | undefined,
): Promise<Loops> {
  void tls?.follow(log, signal);
  for (const message of withoutEffect(settings.env)) log({ event: 'setting-without-effect', message });
  const kubeconfig = openCredentials(settings.kubeconfig, settings.env, log);
  // The session outlives `signal`, since the Lease is released after the abort.
  const closing = new AbortController();
  const session = openApiSession({ kubeconfig }, closing.signal);
  const statuses = keepStatuses(
    settings,
    { session, report: log, count: observers.metrics.statusWrite },
    signal,
  );
  const recent = createRecentChanges(monotonicMs);
  const others: readonly RouterObserver[] = [
    observers.metrics.observer,
    statistics,
    recent.observer,
    reportRemarks(log, monotonicMs),
    { onDecision: statuses.decided },
  ];
  const onChange = (): void => {
    observers.metrics.objectChanged();
    wake.poke();
  };
  const report: Log = (event) => {
    if (event.event === 'list-doubted') observers.metrics.listDoubted();
    log(event);
  };
  const api = {
    session,
    log: report,
    onChange,
    onRoute: statuses.observeRoute,
    onIngress: statuses.observeIngress,
  };
  const followed = followObjects(settings, api, signal);
  const configuration = routerConfiguration(settings, followed.objects, wake, observers, others, signal);
  const isSynced = () => followed.objects() !== undefined;
  const problem = (withinMs: number) => problemOf(settings, { followed, configuration }, withinMs);
  show(
    async (): Promise<RouterStatus> => ({
      version: hawserVersion(),
      synced: isSynced(),
      changes: recent.view(),
      unready: (await problem(STATUS_PROBE_MS)) ?? null,
      ...configuration.view(),
    }),
  );
  readyUnless(() => problem(PROBE_MS));
  log({ event: 'router-started', config: settings.config });
  return {
    objects: () => followed.ended,
    configuration: (stop) => runConfigurationLoop(configuration, stop),
    'left-out routes': configuration.retryLeftOut,
    statuses: async () => {
      await statuses.ended;
      closing.abort();
    },
  };
}

interface ReadyParts {
  readonly followed: FollowedObjects;
  readonly configuration: RouterConfiguration;
}

/** Why clients should not be sent to this router; undefined if they may. */
async function problemOf(
  settings: LiveSettings,
  { followed, configuration }: ReadyParts,
  withinMs: number,
): Promise<string | undefined> {
  if (followed.objects() === undefined) return 'not every kind of object has been listed yet';
  if (!configuration.isServed()) return 'the configuration is not served yet';
  return await haproxyProblem(settings, withinMs);
}
