import * as z from 'zod/mini';
import type { Decision } from '../decide/decide.ts';
import { keyOf } from '../metadata.ts';
import { addressesOf, asLoadBalancer, isSameSet } from './published-addresses.ts';
import type { StatusKind, WantedStatuses } from './status-kind.ts';

/** The API takes no longer name of a field manager. */
const MAX_MANAGER_LENGTH = 128;

/**
 * An Ingress's status has the addresses of its controller. Who wrote them is in `metadata.managedFields`: only addresses that a router of this
 * name has written are removed.
 */
export function ingressStatus(routerName: string): StatusKind<readonly string[]> {
  const fieldManager = `hawser-router-${routerName}`.slice(0, MAX_MANAGER_LENGTH);
  const oursIn = (ingress: unknown) =>
    addressWriters(ingress).filter(({ manager }) => manager === fieldManager);
  const isOurs = (ingress: unknown) => oursIn(ingress).length > 0;
  return {
    what: 'Ingress',
    apiVersion: 'networking.k8s.io/v1',
    plural: 'ingresses',
    fieldManager,
    keep: (ingress) => ({
      metadata: { managedFields: oursIn(ingress) },
      status: { loadBalancer: { ingress: addressesOf(ingress).map(asLoadBalancer) } },
    }),
    change: (ingress, wish) => {
      if (wish === undefined) return isOurs(ingress) ? { loadBalancer: { ingress: null } } : undefined;
      if (isSameSet(addressesOf(ingress), wish)) return undefined;
      return { loadBalancer: { ingress: wish.map(asLoadBalancer) } };
    },
    isOurs,
    isOverwritten: (before, after) => isOurs(before) && !isSameSet(addressesOf(before), addressesOf(after)),
    isSameWish: isSameSet,
    remedies: {
      forbidden:
        'expected a role that may get ingresses and patch ingresses/status, such as the one of manifests/router/rbac.yaml',
      contended: 'expected one controller for the class of this Ingress: --ingress-class',
    },
  };
}

/** What each Ingress is to say, by key: these addresses if HAProxy serves one of its paths, otherwise nothing of ours. */
export function wantedIngressStatuses(
  { admission, ingresses }: Pick<Decision, 'admission' | 'ingresses'>,
  unproven: ReadonlySet<string>,
  addresses: readonly string[] | undefined,
): WantedStatuses<readonly string[]> {
  const wanted: WantedStatuses<readonly string[]> = new Map();
  for (const { namespace, name, uid } of ingresses)
    wanted.set(keyOf({ namespace, name }), { namespace, name, uid, entry: undefined });
  for (const { route, key } of admission.admitted) {
    if (route.ingress === undefined) continue;
    const { namespace, ingress: name, uid } = route;
    const its = keyOf({ namespace, name });
    const isServed = !unproven.has(key) || Array.isArray(wanted.get(its)?.entry);
    wanted.set(its, { namespace, name, uid, entry: (isServed ? addresses : undefined) ?? 'as-it-is' });
  }
  return wanted;
}

const managedField = z.object({
  manager: z.string(),
  subresource: z.literal('status'),
  fieldsV1: z.object({ 'f:status': z.object({ 'f:loadBalancer': z.object({ 'f:ingress': z.unknown() }) }) }),
});

const managed = z.object({
  metadata: z.object({ managedFields: z.array(z.catch(z.nullable(managedField), null)) }),
});

/** The list is atomic: it has one writer, or several that wrote the same. */
function addressWriters(ingress: unknown): readonly z.infer<typeof managedField>[] {
  const fields = managed.safeParse(ingress).data?.metadata.managedFields ?? [];
  return fields.flatMap((each) => each ?? []);
}
