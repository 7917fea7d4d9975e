import { once } from 'node:events';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { isSameList } from '../../engine/system/same-list.ts';
import type { Decision } from '../decide/decide.ts';
import { admissionPolicy } from '../settings/decision-settings.ts';
import type { RouterSettings, StatusSettings } from '../settings/router-settings.ts';
import { desiredIngressStatuses, ingressStatus } from './ingress-status.ts';
import { followPublishedAddresses } from './published-addresses.ts';
import { createDesiredRouteStatuses, routeStatus } from './route-status.ts';
import { type StatusWriterSettings, startStatusWriter } from './status-writer.ts';

type Decided = Pick<Decision, 'admission' | 'outside' | 'ingresses'>;

interface StatusKeeper {
  /** Called with every object in a list or watch event, whether or not it changed. Never throws. */
  readonly observeRoute: (route: unknown) => void;
  readonly observeIngress: (ingress: unknown) => void;
  readonly decided: (decision: Decided, unproven: ReadonlySet<string>) => void;
  /** Resolves once the Lease was released. The session must stay open until then. */
  readonly ended: Promise<void>;
}

type Dependencies = Pick<StatusWriterSettings, 'report' | 'count' | 'timing'> & {
  readonly session: ApiSession;
};

/** Maintains the statuses of one kind. */
interface Keeper extends Pick<StatusKeeper, 'decided'> {
  readonly observe: (object: unknown) => void;
}

/** Writes decisions to the statuses of Routes and Ingresses, unless ROUTER_UPDATE_STATUS disables it. */
export function keepStatuses(
  settings: RouterSettings & StatusSettings,
  dependencies: Dependencies,
  signal: AbortSignal,
): StatusKeeper {
  const noop = () => undefined;
  if (!settings.updateStatus)
    return { observeRoute: noop, observeIngress: noop, decided: noop, ended: aborted(signal) };
  const { serviceName, serviceNamespace: namespace, routeLabels: labels } = settings;
  const lease = { namespace, name: `hawser-router-${serviceName}` };
  const writer = startStatusWriter({ ...dependencies, router: serviceName, lease, labels }, signal);
  const routes = keepRoutes(settings, writer);
  const ingresses = keepIngresses(settings, writer, dependencies, signal);
  return {
    observeRoute: routes.observe,
    observeIngress: ingresses?.observe ?? noop,
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
  const desiredStatuses = createDesiredRouteStatuses(admissionPolicy(settings));
  const hasChanged = createChangeDetector();
  return {
    observe: writer.observe,
    decided: (decision, unproven) => {
      if (hasChanged([decision.admission, decision.outside, unproven.size === 0 ? undefined : unproven]))
        writer.setDesired(desiredStatuses(decision, unproven));
    },
  };
}

/** Undefined if no Ingresses are served, or no addresses are configured. */
function keepIngresses(
  settings: RouterSettings & StatusSettings,
  { open }: Writer,
  dependencies: Dependencies,
  signal: AbortSignal,
): (Keeper & Pick<StatusKeeper, 'ended'>) | undefined {
  if (settings.ingressClass === undefined) return undefined;
  let last: { readonly decision: Decided; readonly unproven: ReadonlySet<string> } | undefined;
  const hasChanged = createChangeDetector();
  const consider = (): void => {
    if (last === undefined) return;
    const { decision, unproven } = last;
    const addresses = published?.addresses();
    const inputs = [
      decision.admission,
      decision.ingresses,
      addresses,
      unproven.size === 0 ? undefined : unproven,
    ];
    if (hasChanged(inputs)) writer.setDesired(desiredIngressStatuses(decision, unproven, addresses));
  };
  const published = followPublishedAddresses(settings, dependencies, consider, signal);
  if (published === undefined) return undefined;
  const writer = open(ingressStatus(settings.serviceName));
  return {
    observe: writer.observe,
    decided: (decision, unproven) => {
      last = { decision, unproven };
      consider();
    },
    ended: published.ended,
  };
}

/** Returns a function that reports whether the inputs differ from those of its last call. Most decisions concern endpoints, which no status shows. */
function createChangeDetector(): (inputs: readonly unknown[]) => boolean {
  let last: readonly unknown[] = [];
  return (inputs) => {
    const hasChanged = !isSameList(last, inputs);
    last = inputs;
    return hasChanged;
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
