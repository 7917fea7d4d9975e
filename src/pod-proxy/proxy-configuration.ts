import { type ApplyOutcome, isServed } from '../engine/config/outcome.ts';
import type { ConfigurationParts } from '../engine/monitor/configuration-loop.ts';
import { deployerOf } from '../engine/monitor/product-deployer.ts';
import type { RenderResult } from '../engine/monitor/proposal.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../engine/system/time/wake.ts';
import { createSupervisorCheck } from '../haproxy/check-in-supervisor.ts';
import { createArrival } from './arrival.ts';
import { modelOf, podProxyDifference, renderedSet } from './configuration-set.ts';
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
  readonly onChange: () => void;
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
  const { wake, followed, problems, statistics } = parts;
  const { metrics } = observers;
  const arrival = createArrival<ProxyInput>(isSame);
  const render = renderOnce(signal);
  let served: Hosts | undefined;
  const deployer = deployerOf<ProxyInput>(
    {
      config: settings.config,
      socket: settings.socket,
      now: monotonicMs,
      check: createSupervisorCheck(settings.socket),
      reloadEveryMs: settings.reloadInterval,
      compare: podProxyDifference,
      // The old generation may end at once, and its counters are lost then.
      onReload: () => void statistics.scrape(),
      origin: ({ set, of }) => ({ text: set.text, parts: partsOf(of) }),
      observe: ({ outcome, version: { set, of: input }, isPart }) => {
        const { hosts } = modelOf(input);
        const isAll = isServed(outcome) && isPart !== true;
        const changeMs = isAll ? arrival.markServed(input, monotonicMs()) : undefined;
        if (changeMs !== undefined) metrics.changeServed(changeMs / 1_000);
        if (outcome.kind === 'rejected')
          problems.note(input.own, { reason: 'ConfigurationRefused', ...messageIn(outcome) });
        if (!isAll) return { hosts, ...(isPart && { isPart }) };
        problems.note(input.own, input.problem);
        metrics.hosts(hosts);
        served = hosts;
        statistics.served(set.text, input.downstreams);
        return { hosts, changeMs };
      },
    },
    observers,
  );
  return {
    onChange: () => {
      const view = followed.view();
      if (view.kind === 'known') arrival.observe(view, monotonicMs());
    },
    wake,
    deployer,
    checkIntervalMs: settings.checkInterval,
    beat: metrics.beat,
    now: monotonicMs,
    next: async () => {
      const view = followed.view();
      if (view.kind === 'unusable') problems.note(view.own, view.problem);
      return { input: view.kind === 'known' ? view : undefined, recheckInMs: undefined };
    },
    render: async (input): Promise<RenderResult> => {
      const outcome = await render({ template: input.template, model: modelOf(input) });
      if (outcome.kind === 'rendered')
        return { kind: 'rendered', rendered: renderedSet(outcome.text, input, settings) };
      problems.note(input.own, { reason: 'TemplateRefused', message: outcome.message });
      return { kind: 'refused', message: outcome.message };
    },
    view: () => ({
      hosts: served ?? null,
      problem: problems.current() ?? null,
      lastProblem: problems.last(),
      ...deployer.view(),
    }),
  };
}

function isSame(a: ProxyInput, b: ProxyInput): boolean {
  const shown = (input: ProxyInput): string => JSON.stringify([modelOf(input), input.certificates]);
  return a.template === b.template && shown(a) === shown(b);
}

/** A configuration's inputs, keyed by the cause that is logged when the input changes. */
function partsOf(input: ProxyInput): Readonly<Record<string, string>> {
  return {
    'hosts-changed': JSON.stringify(modelOf(input).hosts),
    'template-changed': input.template,
    'certificates-changed': JSON.stringify(input.certificates),
  };
}

function messageIn({ message, detail }: Extract<ApplyOutcome, { readonly kind: 'rejected' }>) {
  return { message, detail };
}
