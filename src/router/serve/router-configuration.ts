import type { ConfigurationCheck } from '../../engine/config/check.ts';
import { withNamesInSet } from '../../engine/config/layout.ts';
import type { ApplyOutcome } from '../../engine/config/outcome.ts';
import type { ConfigurationParts } from '../../engine/monitor/configuration-loop.ts';
import type { Observers } from '../../engine/monitor/observers.ts';
import { deployerOf } from '../../engine/monitor/product-deployer.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { runCommand } from '../../engine/system/process/run-command.ts';
import { monotonicMs } from '../../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../../engine/system/time/wake.ts';
import { createConfigurationCheck, runInBackground } from '../../haproxy/check-configuration.ts';
import { createDecider } from '../decide/decide.ts';
import type { ServableDecision } from '../decide/reject-routes.ts';
import type { RouterObjects } from '../follow/router-objects.ts';
import type { DeniedEndpoints } from '../safe-address.ts';
import type { LiveSettings } from '../settings/router-command.ts';
import { createIsolation } from './isolation.ts';
import { describeDefaultCertificate } from './live-files.ts';
import { createLiveRenderer } from './live-renderer.ts';
import { reloadByScript } from './reload-script.ts';
import { createDecisionReport } from './report-decisions.ts';
import type { RouterObserver } from './router-observer.ts';
import { certificateCounts, type RouterStatus, routeCounts } from './router-status.ts';
import { compareSets } from './set-difference.ts';

/** A check of 10,000 routes takes a second, and ten on a loaded machine. */
const CHECK_TIMEOUT_MS = 60_000;
/** The supervisor allows 50 s until a generation of 10,000 routes serves, and may validate it first. */
const RELOAD_TIMEOUT_MS = 90_000;
/** Keeps all of HAProxy's errors, so that every route in them is left out at once. HAProxy stops after 50 fatal errors of 1 kB each. */
const DETAIL_CHARACTERS = 200_000;

export interface RouterConfiguration extends ConfigurationParts<ServableDecision> {
  /** For `/status`; null before the first decision. */
  readonly view: () => Pick<
    RouterStatus,
    'routes' | 'certificates' | 'defaultCertificate' | 'configSha256' | 'lastChange'
  >;
  /** Whether any configuration of this process has been in effect. */
  readonly isServed: () => boolean;
  /** Validates left-out routes again, together with the accepted ones. Resolves once `stop` has aborted. */
  readonly retryLeftOut: (stop: AbortSignal) => Promise<void>;
}

/** Decides, renders and deploys haproxy.cfg with its files. `objects` returns undefined until everything was listed. */
export function routerConfiguration(
  settings: LiveSettings,
  objects: () => RouterObjects | undefined,
  wake: Wake,
  observers: Observers,
  others: readonly RouterObserver[],
  signal: AbortSignal,
): RouterConfiguration {
  const { haproxy: haproxyPath, config, socket, reloadScript } = settings;
  const runCheck = createConfigurationCheck({
    haproxyPath,
    timeoutMs: CHECK_TIMEOUT_MS,
    run: runInBackground,
    detailCharacters: DETAIL_CHARACTERS,
  });
  // Keeps the watchdog from taking a long series of checks, or a check before a long reload, for a hung loop.
  const check: ConfigurationCheck = async (path, stop) => {
    observers.metrics.beat();
    return await runCheck(path, stop).finally(observers.metrics.beat);
  };
  const decide = createDecider(settings, ownEndpoints(settings));
  const renderer = createLiveRenderer(settings, check, observers);
  const isolation = createIsolation(renderer, observers.log, monotonicMs, signal);
  const report = createDecisionReport(others);
  const deployer = deployerOf<ServableDecision>(
    {
      config,
      socket,
      check,
      checks: 'when-idle',
      now: monotonicMs,
      reloadTimeoutMs: RELOAD_TIMEOUT_MS,
      reloadEveryMs: settings.reloadInterval,
      compare: compareSets(settings),
      isSuperseded: wake.isPoked,
      proxy:
        reloadScript === undefined
          ? undefined
          : reloadByScript({ path: reloadScript, config, timeoutMs: RELOAD_TIMEOUT_MS, run: runCommand }),
      onReload: () => {
        observers.metrics.beat();
        report.reportNow();
        for (const { onReload } of others) onReload?.();
      },
      origin: ({ revision }) => ({ text: revision, parts: { 'routes-changed': revision } }),
      observe: ({ outcome, version, isPart, isValid }, cause, tookMs) => {
        const { decision } = version.of;
        report.reportNow();
        if (isValid === true) {
          isolation.accepted(decision);
          report.accepted(decision);
        }
        if (cause !== undefined)
          for (const { onOutcome } of others) onOutcome?.(outcome, tookMs, cause, isPart);
        return { routes: decision.model.backends.length, ...(isPart && { isPart }) };
      },
      after: async ({ outcome, version: { of, set } }) => {
        const refused = { decision: of.decision, rendered: set };
        if (await isolation.leaveOut(withRouteNames(outcome), refused)) wake.poke();
      },
    },
    observers,
  );

  return {
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: observers.metrics.beat,
    now: monotonicMs,
    deployer,
    next: async () => {
      const found = objects();
      const input = found && isolation.servable(decide(found));
      return { input, recheckInMs: undefined };
    },
    render: async (input) => {
      const { result, shown } = await renderer.render(input);
      if (shown === undefined) return result;
      report.decided(shown);
      return result;
    },
    retryLeftOut: async (stop) => await isolation.retryLeftOut(wake.poke, stop),
    view: () => {
      const decided = report.newest();
      return {
        routes: decided === undefined ? null : routeCounts(decided),
        certificates: decided === undefined ? null : certificateCounts(decided, Date.now()),
        defaultCertificate: describeDefaultCertificate(settings, renderer.defaultCertificate()),
        ...deployer.view(),
      };
    },
    isServed: deployer.hasServed,
  };
}

/** HAProxy's errors contain file names as on disk; maps them to the names in the set. */
function withRouteNames(outcome: ApplyOutcome): ApplyOutcome {
  return outcome.kind === 'rejected' ? { ...outcome, detail: withNamesInSet(outcome.detail) } : outcome;
}

/** The port of the supervisor's page in the router's Deployment. */
const SUPERVISOR_PAGE_PORT = 1937;

/** The machine's addresses at startup and the published ones, with the router's ports. An endpoint there would expose pages or loop requests. */
export function ownEndpoints({
  httpPort,
  httpsPort,
  listen,
  publishAddress,
}: Pick<LiveSettings, 'httpPort' | 'httpsPort' | 'listen' | 'publishAddress'>): NonNullable<
  DeniedEndpoints['own']
> {
  return {
    // A VIP may be on another node now and come to this one later.
    addresses: new Set([...presentAddresses(), ...publishAddress]),
    ports: new Set([httpPort, httpsPort, listen.port, SUPERVISOR_PAGE_PORT]),
  };
}
