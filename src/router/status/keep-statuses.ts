import { once } from 'node:events';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { isSameList } from '../../engine/system/same-list.ts';
import type { Decision } from '../decide/decide.ts';
import { admissionPolicy } from '../settings/decision-settings.ts';
import type { RouterSettings, StatusSettings } from '../settings/router-settings.ts';
import { ingressStatus, wantedIngressStatuses } from './ingress-status.ts';
import { followPublishedAddresses } from './published-addresses.ts';
import { createStatusWishes, routeStatus } from './route-status.ts';
import { type StatusWriterSettings, startStatusWriter } from './status-writer.ts';

type Decided = Pick<Decision, 'admission' | 'outside' | 'ingresses'>;

interface StatusKeeper {
  /** Take every object in a list or a watch event, whether or not it changed. Never throw. */
  readonly observeRoute: (route: unknown) => void;
  readonly observeIngress: (ingress: unknown) => void;
  readonly decided: (decision: Decided, unproven: ReadonlySet<string>) => void;
  /** Resolves once the Lease was released: the session must stay open until then. */
  readonly ended: Promise<void>;
}

type Means = Pick<StatusWriterSettings, 'report' | 'count' | 'timing'> & { readonly session: ApiSession };

/** What keeps the statuses of one kind. */
interface Keeper extends Pick<StatusKeeper, 'decided'> {
  readonly see: (object: unknown) => void;
}

/** Writes decisions into the statuses of Routes and Ingresses, unless ROUTER_UPDATE_STATUS turns that off. */
export function keepStatuses(
  settings: RouterSettings & StatusSettings,
  means: Means,
  signal: AbortSignal,
): StatusKeeper {
  const nothing = () => undefined;
  if (!settings.updateStatus)
    return { observeRoute: nothing, observeIngress: nothing, decided: nothing, ended: aborted(signal) };
  const { serviceName, serviceNamespace: namespace, routeLabels: labels } = settings;
  const lease = { namespace, name: `hawser-router-${serviceName}` };
  const writer = startStatusWriter({ ...means, router: serviceName, lease, labels }, signal);
  const routes = keepRoutes(settings, writer);
  const ingresses = keepIngresses(settings, writer, means, signal);
  return {
    observeRoute: routes.see,
    observeIngress: ingresses?.see ?? nothing,
    decided: (decision, unproven) => {
      routes.decided(decision, unproven);
      ingresses?.decided(decision, unproven);
    },
    ended: Promise.all([writer.ended, ingresses?.ended]).then(() => undefined),
  };
}

type Writer = Pick<ReturnType<typeof startStatusWriter>, 'open'>;

function keepRoutes(settings: RouterSettings & StatusSettings, { open }: Writer): Keeper {
  const { serviceName: name, canonicalHostname = '' } = settings;
  const writer = open(routeStatus({ name, canonicalHostname }));
  const wishes = createStatusWishes(admissionPolicy(settings));
  const isNews = createNews();
  return {
    see: writer.see,
    decided: (decision, unproven) => {
      if (isNews([decision.admission, decision.outside, unproven.size === 0 ? undefined : unproven]))
        writer.want(wishes(decision, unproven));
    },
  };
}

/** Undefined where no Ingress is served, or no address is known to write. */
function keepIngresses(
  settings: RouterSettings & StatusSettings,
  { open }: Writer,
  means: Means,
  signal: AbortSignal,
): (Keeper & Pick<StatusKeeper, 'ended'>) | undefined {
  if (settings.ingressClass === undefined) return undefined;
  let last: { readonly decision: Decided; readonly unproven: ReadonlySet<string> } | undefined;
  const isNews = createNews();
  const consider = (): void => {
    if (last === undefined) return;
    const { decision, unproven } = last;
    const addresses = published?.addresses();
    const facts = [
      decision.admission,
      decision.ingresses,
      addresses,
      unproven.size === 0 ? undefined : unproven,
    ];
    if (isNews(facts)) writer.want(wantedIngressStatuses(decision, unproven, addresses));
  };
  const published = followPublishedAddresses(settings, means, consider, signal);
  if (published === undefined) return undefined;
  const writer = open(ingressStatus(settings.serviceName));
  return {
    see: writer.see,
    decided: (decision, unproven) => {
      last = { decision, unproven };
      consider();
    },
    ended: published.ended,
  };
}

/** Most decisions are of endpoints, which no status shows. */
function createNews(): (facts: readonly unknown[]) => boolean {
  let last: readonly unknown[] = [];
  return (facts) => {
    const isNews = !isSameList(last, facts);
    last = facts;
    return isNews;
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
