import { isIP } from 'node:net';
import * as z from 'zod/mini';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { followResources } from '../../engine/kube/resource-view.ts';
import type { Log } from '../../engine/system/log.ts';
import { routerRemedy } from '../follow/router-resources.ts';
import { isHostName } from '../safe-text.ts';
import { MAX_ADDRESSES, type StatusSettings } from '../settings/router-settings.ts';

/** Where clients reach the router: IP addresses and host names. */
interface PublishedAddresses {
  /** Undefined while there are none: the Service was not read yet, does not exist, or has no addresses yet. */
  readonly addresses: () => readonly string[] | undefined;
  /** Resolves once `signal` has aborted. Rejects only for a bug. */
  readonly ended: Promise<void>;
}

/** Returns the configured addresses, or follows those of the configured Service. Undefined if neither is set. */
export function followPublishedAddresses(
  { publishAddress, publishService }: Pick<StatusSettings, 'publishAddress' | 'publishService'>,
  { session, report }: { readonly session: ApiSession; readonly report: Log },
  onChange: () => void,
  signal: AbortSignal,
): PublishedAddresses | undefined {
  if (publishService === undefined)
    return publishAddress.length === 0
      ? undefined
      : { addresses: () => publishAddress, ended: Promise.resolve() };
  const { namespace, name } = publishService;
  const service = `${namespace}/${name}`;
  let last: readonly string[] | undefined;
  const update = (found: readonly string[]): void => {
    if (last !== undefined && isSameSet(last, found)) return;
    last = found;
    report(
      found.length === 0
        ? { event: 'no-published-address', level: 'warn', service, remedy: NO_ADDRESS }
        : { event: 'published-addresses', service, addresses: found },
    );
    onChange();
  };
  const following = followResources(
    [
      {
        what: `Service ${service}`,
        apiVersion: 'v1',
        plural: 'services',
        namespace,
        fieldSelector: `metadata.name=${name}`,
        project: serviceAddresses,
      },
    ],
    { session, report, remedy: routerRemedy },
    ({ kind }) => {
      if (kind === 'objects') update(following.objects()?.[0] ?? []);
    },
    signal,
  );
  return { addresses: () => (last?.length === 0 ? undefined : last), ended: following.ended };
}

const NO_ADDRESS =
  'expected a Service with status.loadBalancer.ingress, spec.externalIPs or spec.externalName, or --publish-address; until then the statuses of Ingresses are not changed';

/** Whether both lists contain the same addresses, in any order. */
export function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  if (one === other) return true;
  return one.length === other.length && one.toSorted().join() === other.toSorted().join();
}

const list = z.array(z.unknown());
const balanced = z.object({ status: z.object({ loadBalancer: z.object({ ingress: list }) }) });
const address = z.object({ ip: z.optional(z.string()), hostname: z.optional(z.string()) });

/** The addresses in `status.loadBalancer` of an Ingress or a Service; '' for an entry that is neither an IP address nor a host name. */
export function addressesOf(object: unknown): readonly string[] {
  const found = balanced.safeParse(object).data?.status.loadBalancer.ingress ?? [];
  // Reads one more than are ever written, so that a longer list differs.
  return found.slice(0, MAX_ADDRESSES + 1).map((each) => {
    const { ip, hostname } = address.safeParse(each).data ?? {};
    return usable(ip || hostname);
  });
}

const outside = z.object({
  spec: z.object({
    type: z.optional(z.string()),
    externalIPs: z.nullish(list),
    externalName: z.nullish(z.string()),
  }),
});

/** The addresses at which a Service is reachable from outside the cluster. This excludes its cluster IP. */
function serviceAddresses(service: unknown): readonly string[] {
  const { spec } = outside.safeParse(service).data ?? {};
  const named = spec?.type === 'ExternalName' ? [spec.externalName] : [];
  const found = [...addressesOf(service), ...(spec?.externalIPs ?? []), ...named].map(usable);
  return [...new Set(found)].filter((text) => text !== '').slice(0, MAX_ADDRESSES);
}

function usable(text: unknown): string {
  return typeof text === 'string' && (isIP(text) !== 0 || isHostName(text)) ? text : '';
}

/** The form of an address in a load balancer's status. */
export function asLoadBalancer(text: string): { readonly ip: string } | { readonly hostname: string } {
  return isIP(text) === 0 ? { hostname: text } : { ip: text };
}
