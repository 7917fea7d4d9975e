import { createApplier } from '../engine/apply/applier.ts';
import type { ApplyOutcome } from '../engine/apply/apply-outcome.ts';
import { createChangeRecord } from '../engine/reconcile/change-record.ts';
import type { ConfigurationParts } from '../engine/reconcile/configuration-loop.ts';
import { logForeignFile, logOutcome } from '../engine/reconcile/log-outcome.ts';
import type { RenderResult } from '../engine/reconcile/proposal.ts';
import { runCommand } from '../engine/system/process/run-command.ts';
import { monotonicMs } from '../engine/system/time/monotonic-clock.ts';
import type { Wake } from '../engine/system/time/wake.ts';
import { createConfigurationCheck } from '../haproxy/check-configuration.ts';
import { configurationText } from './configuration-text.ts';
import { additions } from './difference.ts';
import type { FollowedProxy, ProxyView } from './follow-proxy.ts';
import { createPace } from './pace.ts';
import type { ProblemRecord } from './problem.ts';
import type { ProxyObservers } from './proxy-metrics.ts';
import type { ProxySettings } from './proxy-settings.ts';
import type { ProxyStatus } from './proxy-status.ts';
import { renderOnce } from './render-once.ts';

export type ProxyInput = Extract<ProxyView, { readonly kind: 'known' }>;

/** A loaded machine takes seconds for what takes 40 ms at rest. */
const CHECK_TIMEOUT_MS = 20_000;
/** haproxy.cfg is for HAProxy's user, who is not always ours. */
const MODE = 0o644;

export interface ProxyConfiguration extends ConfigurationParts<ProxyInput> {
  /** Notes when a change came. */
  readonly see: () => void;
  readonly view: () => Pick<ProxyStatus, 'hosts' | 'problem' | 'configSha256' | 'lastChange'>;
}

/** haproxy.cfg for the configuration loop: rendered from what the API says, checked by HAProxy, applied by its supervisor. */
export function proxyConfiguration(
  settings: ProxySettings,
  parts: { readonly wake: Wake; readonly followed: FollowedProxy; readonly problems: ProblemRecord },
  observers: ProxyObservers,
  signal: AbortSignal,
): ProxyConfiguration {
  const { config: configPath, socket: socketPath, haproxy: haproxyPath, reloadInterval } = settings;
  const { wake, followed, problems } = parts;
  const { metrics } = observers;
  const check = createConfigurationCheck({ haproxyPath, timeoutMs: CHECK_TIMEOUT_MS, run: runCommand });
  const changes = createChangeRecord();
  const pace = createPace<ProxyInput>(reloadInterval, isSame);
  const render = renderOnce(signal);
  let served: ProxyInput | undefined;
  return {
    see: () => {
      const view = followed.view();
      if (view.kind === 'known') pace.see(view, monotonicMs());
    },
    wake,
    checkIntervalMs: settings.checkInterval,
    beat: metrics.beat,
    now: monotonicMs,
    next: async () => {
      const view = followed.view();
      if (view.kind === 'no-template')
        problems.note(view.own, { reason: 'TemplateMissing', message: view.message });
      return view.kind === 'known'
        ? pace.next(view, monotonicMs())
        : { input: undefined, lookAgainInMs: undefined };
    },
    render: async ({ own, template, hosts }): Promise<RenderResult> => {
      const outcome = await render({ template, model: { hosts } });
      if (outcome.kind === 'rendered')
        return {
          kind: 'rendered',
          rendered: { text: configurationText(outcome.text, settings), mode: MODE },
        };
      problems.note(own, { reason: 'TemplateRefused', message: outcome.message });
      return { kind: 'refused', message: outcome.message };
    },
    applier: createApplier({
      ...{ configPath, check, socketPath, difference: additions },
      onForeign: logForeignFile(observers),
    }),
    observe: (outcome, input, text) => {
      const causes = { 'hosts-changed': JSON.stringify(input.hosts), 'template-changed': input.template };
      const cause = changes.note({ text, parts: causes }, outcome);
      const changeMs = isServed(outcome) ? pace.markServed(input, monotonicMs()) : undefined;
      if (changeMs !== undefined) metrics.changeServed(changeMs / 1_000);
      logOutcome(outcome, { cause, hosts: input.hosts, changeMs }, observers);
      if (outcome.kind === 'rejected')
        problems.note(input.own, { reason: 'ConfigurationRefused', ...wordsOf(outcome) });
      if (!isServed(outcome)) return;
      problems.note(input.own, undefined);
      metrics.hosts(input.hosts);
      served = input;
    },
    view: () => ({
      hosts: served?.hosts ?? null,
      problem: problems.current() ?? null,
      ...changes.view(),
    }),
  };
}

function isSame(a: ProxyInput, b: ProxyInput): boolean {
  return a.template === b.template && JSON.stringify(a.hosts) === JSON.stringify(b.hosts);
}

function isServed({ kind }: ApplyOutcome): boolean {
  return kind === 'unchanged' || kind === 'reloaded';
}

function wordsOf({ message, detail }: Extract<ApplyOutcome, { readonly kind: 'rejected' }>) {
  return { message, detail };
}
