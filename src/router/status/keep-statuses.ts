import { once } from 'node:events';
import { isSameList } from '../../engine/system/same-list.ts';
import type { Decision } from '../decide/decide.ts';
import { admissionPolicy } from '../settings/decision-settings.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import type { StatusSettings } from '../settings/status-flags.ts';
import { type StatusWriterSettings, startStatusWriter } from './status-writer.ts';
import { createStatusWishes } from './wanted-statuses.ts';

interface StatusKeeper {
  /** Takes every Route that a list or a watch tells of, whatever of it has changed. Never throws. */
  readonly see: (route: unknown) => void;
  readonly decided: (
    decision: Pick<Decision, 'admission' | 'outside'>,
    unproven: ReadonlySet<string>,
  ) => void;
  /** Resolves once the Lease was given back: the session must live until then. */
  readonly ended: Promise<void>;
}

/** Writes decisions into the Routes' statuses, unless ROUTER_UPDATE_STATUS turns that off. */
export function keepStatuses(
  settings: RouterSettings & StatusSettings,
  means: Pick<StatusWriterSettings, 'session' | 'report' | 'count' | 'timing'>,
  signal: AbortSignal,
): StatusKeeper {
  if (!settings.updateStatus)
    return { see: () => undefined, decided: () => undefined, ended: aborted(signal) };
  const { serviceName, serviceNamespace: namespace, canonicalHostname = '', routeLabels } = settings;
  const wishes = createStatusWishes(admissionPolicy(settings));
  const writer = startStatusWriter(
    {
      ...means,
      router: { name: serviceName, canonicalHostname },
      lease: { namespace, name: `hawser-router-${serviceName}` },
      routeLabels,
    },
    signal,
  );
  let last: readonly unknown[] = [];
  return {
    see: writer.see,
    decided: (decision, unproven) => {
      // Most decisions are of endpoints, which no status shows.
      const now = [decision.admission, decision.outside, unproven.size === 0 ? undefined : unproven];
      if (isSameList(last, now)) return;
      last = now;
      writer.want(wishes(decision, unproven));
    },
    ended: writer.ended,
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
