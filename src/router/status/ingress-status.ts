import * as z from 'zod/mini';
import type { Decision } from '../decide/decide.ts';
import { keyOf } from '../metadata.ts';
import { addressesOf, asLoadBalancer, isSameSet } from './published-addresses.ts';
import type { DesiredStatuses, StatusKind } from './status-kind.ts';

/** The API's limit for the name of a field manager. */
const MAX_MANAGER_LENGTH = 128;

/**
 * The status of an Ingress, which lists the addresses of its controller. `metadata.managedFields` records who wrote them. Only addresses written by
 * a router of this name are removed.
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
    change: (ingress, desired) => {
      if (desired === undefined) return isOurs(ingress) ? { loadBalancer: { ingress: null } } : undefined;
      if (isSameSet(addressesOf(ingress), desired)) return undefined;
      return { loadBalancer: { ingress: desired.map(asLoadBalancer) } };
    },
    isOurs,
    isOverwritten: (before, after) => isOurs(before) && !isSameSet(addressesOf(before), addressesOf(after)),
    isSameEntry: isSameSet,
    remedies: {
      forbidden:
        'expected a role that allows getting ingresses and patching ingresses/status, such as the one in manifests/router/rbac.yaml',
      contended: "expected only one controller for this Ingress's class: --ingress-class",
    },
  };
}

/** The desired status of each Ingress, by key: these addresses if HAProxy serves one of its paths, otherwise none from this router. */
export function desiredIngressStatuses(
  { admission, ingresses }: Pick<Decision, 'admission' | 'ingresses'>,
  unproven: ReadonlySet<string>,
  addresses: readonly string[] | undefined,
): DesiredStatuses<readonly string[]> {
  const statuses: DesiredStatuses<readonly string[]> = new Map();
  for (const { namespace, name, uid } of ingresses)
    statuses.set(keyOf({ namespace, name }), { namespace, name, uid, entry: undefined });
  for (const { route, key } of admission.admitted) {
    if (route.ingress === undefined) continue;
    const { namespace, ingress: name, uid } = route;
    const ingressKey = keyOf({ namespace, name });
    const isServed = !unproven.has(key) || Array.isArray(statuses.get(ingressKey)?.entry);
    statuses.set(ingressKey, {
      namespace,
      name,
      uid,
      entry: (isServed ? addresses : undefined) ?? 'unchanged',
    });
  }
  return statuses;
}

const managedField = z.object({
  manager: z.string(),
  subresource: z.literal('status'),
  fieldsV1: z.object({ 'f:status': z.object({ 'f:loadBalancer': z.object({ 'f:ingress': z.unknown() }) }) }),
});

const managed = z.object({
  metadata: z.object({ managedFields: z.array(z.catch(z.nullable(managedField), null)) }),
});

/** The field is an atomic list: all its managers wrote the same addresses. */
function addressWriters(ingress: unknown): readonly z.infer<typeof managedField>[] {
  const fields = managed.safeParse(ingress).data?.metadata.managedFields ?? [];
  return fields.flatMap((each) => each ?? []);
}
