import * as z from 'zod/mini';
import type { Labels } from '../engine/kube/label-selector.ts';

/** An object's identity and age. They decide which of two objects gets a host that both claim. */
export interface Identity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Milliseconds since the epoch. `notCreated` for an object without a creation time: it sorts as the newest. */
  readonly createdMs: number;
}

const notCreated = Number.MAX_SAFE_INTEGER;

export type Annotations = Readonly<Record<string, string>>;

/** Prefixes of the annotations that the router reads. Others are dropped, since tenants store whole documents in them. */
const readPrefixes = ['haproxy.router.openshift.io/', 'router.openshift.io/', 'route.openshift.io/'];
const readAnnotations: ReadonlySet<string> = new Set([
  'kubernetes.io/ingress.class',
  'idling.alpha.openshift.io/idled-at',
]);

const dnsLabel = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';

/** A DNS label, which Kubernetes requires for names of namespaces and services. */
export const labelName = z
  .string()
  .check(z.regex(new RegExp(`^${dnsLabel}$`), { error: 'expected a DNS label of a-z 0-9 -' }));

/** A DNS subdomain, which Kubernetes requires for most names. */
export const subdomainName = z.string().check(
  z.regex(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/, {
    error: 'expected a name of a-z 0-9 - .',
  }),
  z.maxLength(253, { error: 'expected at most 253 characters' }),
);

const text = z.nullish(z.string());

/** `metadata` of a namespaced object. */
export const metadata = z.object({
  namespace: z._default(labelName, 'default'),
  name: subdomainName,
  uid: text,
  creationTimestamp: text,
  annotations: z.nullish(z.record(z.string(), z.unknown())),
});

type Metadata = z.infer<typeof metadata>;

export function identityOf({ namespace, name, uid, creationTimestamp }: Metadata): Identity {
  const created = Date.parse(creationTimestamp ?? '');
  return { namespace, name, uid: uid ?? '', createdMs: Number.isNaN(created) ? notCreated : created };
}

export function annotationsOf({ annotations }: Metadata): Annotations {
  const read = Object.entries(annotations ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && isRead(name) ? [[name, value] as const] : [],
  );
  return read.length === 0 ? noAnnotations : Object.fromEntries(read);
}

/** Shared by most objects. */
const noAnnotations: Annotations = {};

function isRead(name: string): boolean {
  return readAnnotations.has(name) || readPrefixes.some((prefix) => name.startsWith(prefix));
}

const labelled = z.object({
  metadata: z.object({ labels: z.nullish(z.record(z.string(), z.string())) }),
});

/** An object's labels; empty if they cannot be read. */
export function labelsOf(object: unknown): Labels {
  return labelled.safeParse(object).data?.metadata.labels ?? {};
}

/** `namespace:name`. Neither part can contain a colon, so keys are unique. */
export function keyOf({ namespace, name }: Pick<Identity, 'namespace' | 'name'>): string {
  // `join` returns one flat string. A template literal would keep its parts in memory for as long as the key.
  return [namespace, name].join(':');
}
