import { createApplier } from '../engine/apply/applier.ts';
import type { ApplyOutcome } from '../engine/apply/apply-outcome.ts';
import { createChangeRecord } from '../engine/monitor/change-record.ts';
import type { ConfigurationParts } from '../engine/monitor/configuration-loop.ts';
import { logForeignFile, logOutcome } from '../engine/monitor/log-outcome.ts';
import type { RenderResult } from '../engine/monitor/proposal.ts';
import { createReloadPace } from '../engine/monitor/reload-pace.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../engine/system/time/wake.ts';
import { createSupervisorCheck } from '../haproxy/check-in-supervisor.ts';
import { createArrival } from './arrival.ts';
import { modelOf, renderedSet } from './configuration-set.ts';
import { gentleDifference } from './difference.ts';
import type { FollowedProxy, ProxyView } from './follow-proxy.ts';
import type { Hosts } from './hosts.ts';
import type { ProblemRecord } from './problem.ts';
import type { ProxyObservers } from './proxy-metrics.ts';
import type { ProxySettings } from './proxy-settings.ts';
import type { ProxyStatus } from './proxy-status.ts';
import type { Statistics } from './statistics.ts';
import { renderOnce } from './template/render-in-child.ts';

type ProxyInput = Extract<ProxyView, { readonly kind: 'known' }>;

interface ProxyConfiguration extends ConfigurationParts<ProxyInput> {
  /** Records the arrival of a change. */
  readonly see: () => void;
  readonly view: () => Pick<ProxyStatus, 'hosts' | 'problem' | 'lastProblem' | 'configSha256' | 'lastChange'>;
}

/** haproxy.cfg for the configuration loop: rendered from the API's objects, then validated and applied by HAProxy's supervisor. */
export function proxyConfiguration(
  settings: ProxySettings,
  parts: {
    readonly wake: Wake;
    readonly followed: FollowedProxy;
    readonly problems: ProblemRecord;
    readonly statistics: Pick<Statistics, 'scrape' | 'served'>;
  },
  observers: ProxyObservers,
  signal: AbortSignal,
): ProxyConfiguration {
  const { config: configPath, socket: socketPath, reloadInterval } = settings;
  const { wake, followed, problems, statistics } = parts;
  const { metrics } = observers;
  const check = createSupervisorCheck(socketPath);
  const changes = createChangeRecord();
  const arrival = createArrival<ProxyInput>(isSame);
  const pace = createReloadPace<ProxyInput>({
    ...{ intervalMs: reloadInterval, nowMs: monotonicMs, difference: gentleDifference },
  });
  const render = renderOnce(signal);
  let served: Hosts | undefined;
  return {
    see: () => {
      const view = followed.view();
      if (view.kind === 'known') arrival.see(view, monotonicMs());
    },
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: metrics.beat,
    now: monotonicMs,
    next: async () => {
      const view = followed.view();
      if (view.kind === 'unusable') problems.note(view.own, view.problem);
      return { input: view.kind === 'known' ? view : undefined, lookAgainInMs: undefined };
    },
    render: async (input): Promise<RenderResult> => {
      const outcome = await render({ template: input.template, model: modelOf(input) });
      if (outcome.kind === 'rendered')
        return { kind: 'rendered', rendered: renderedSet(outcome.text, input, settings) };
      problems.note(input.own, { reason: 'TemplateRefused', message: outcome.message });
      return { kind: 'refused', message: outcome.message };
    },
    pace,
    applier: createApplier({
      ...{ configPath, check, socketPath, difference: gentleDifference },
      onForeign: logForeignFile(observers),
      // The old generation may end at once, and its counters with it.
      onReload: () => void statistics.scrape(),
    }),
    observe: (outcome, input, { text }) => {
      const { hosts } = modelOf(input);
      const causes = {
        'hosts-changed': JSON.stringify(hosts),
        'template-changed': input.template,
        'certificates-changed': JSON.stringify(input.certificates),
      };
      const cause = changes.note({ text, parts: causes }, outcome);
      const changeMs = isServed(outcome) ? arrival.markServed(input, monotonicMs()) : undefined;
      if (changeMs !== undefined) metrics.changeServed(changeMs / 1_000);
      logOutcome(outcome, { cause, hosts, changeMs }, observers);
      if (outcome.kind === 'rejected')
        problems.note(input.own, { reason: 'ConfigurationRefused', ...wordsOf(outcome) });
      if (!isServed(outcome)) return;
      problems.note(input.own, input.problem);
      metrics.hosts(hosts);
      served = hosts;
      statistics.served(text, input.downstreams);
    },
    view: () => ({
      hosts: served ?? null,
      problem: problems.current() ?? null,
      lastProblem: problems.last(),
      ...changes.view(),
    }),
  };
}

function isSame(a: ProxyInput, b: ProxyInput): boolean {
  const shown = (input: ProxyInput): string => JSON.stringify([modelOf(input), input.certificates]);
  return a.template === b.template && shown(a) === shown(b);
}

function isServed({ kind }: ApplyOutcome): boolean {
  return kind === 'unchanged' || kind === 'reloaded';
}

function wordsOf({ message, detail }: Extract<ApplyOutcome, { readonly kind: 'rejected' }>) {
  return { message, detail };
}
