import * as z from 'zod/mini';
import type { Resource } from '../../engine/kube/resource.ts';
import { annotationOf, type OwnPod, readPod, texts } from '../pod/pod.ts';

/** A replica of the proxy. */
export interface Replica {
  readonly name: string;
  /** The pod is Ready and not terminating. */
  readonly isReady: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined until the pod is scheduled. */
  readonly node: string | undefined;
  /** The text of `hawser.dev/external-ips`; undefined if it is not set. */
  readonly externalIps: string | undefined;
  readonly controller: Controller | undefined;
}

/** A Service of type LoadBalancer. */
export interface LoadBalancer {
  readonly name: string;
  readonly selector: Readonly<Record<string, string>>;
  readonly addresses: readonly string[];
}

const owner = z.object({ apiVersion: z.string(), kind: z.string(), name: z.string(), uid: z.string() });

/** The controller of an object, from `ownerReferences`. */
export type Controller = Readonly<z.infer<typeof owner>>;

const reference = z.extend(owner, { controller: z.nullish(z.boolean()) });
const owned = z.object({ metadata: z.object({ ownerReferences: z.nullish(z.array(reference)) }) });

const replica = z.object({
  metadata: z.object({ labels: z.optional(texts), annotations: z.optional(texts) }),
  spec: z.optional(z.object({ nodeName: z.optional(z.string()) })),
});

const service = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ type: z.literal('LoadBalancer'), selector: z.optional(texts) }),
  status: z.optional(
    z.object({
      loadBalancer: z.optional(
        z.object({ ingress: z.nullish(z.array(z.object({ ip: z.optional(z.string()) }))) }),
      ),
    }),
  ),
});

/** The pods with the label `app` of `own`. */
export function replicasResource({ namespace }: OwnPod, group: string): Resource<Replica> {
  return {
    what: `pods with app=${group}`,
    apiVersion: 'v1',
    plural: 'pods',
    namespace,
    labelSelector: `app=${group}`,
    project: readReplica,
  };
}

export function loadBalancersResource({ namespace }: OwnPod): Resource<LoadBalancer> {
  return { what: 'Services', apiVersion: 'v1', plural: 'services', namespace, project: readLoadBalancer };
}

/** The controller of the object; undefined if it has none. */
export function controllerOf(object: unknown): Controller | undefined {
  const references = owned.safeParse(object).data?.metadata.ownerReferences ?? [];
  return owner.safeParse(references.find(({ controller }) => controller === true)).data;
}

function readReplica(object: unknown): Replica | undefined {
  const [pod, { data }] = [readPod(object), replica.safeParse(object)];
  if (pod === undefined || data === undefined) return undefined;
  const { labels = {}, annotations = {} } = data.metadata;
  return {
    name: pod.name,
    isReady: pod.isReady,
    labels,
    node: data.spec?.nodeName,
    externalIps: annotationOf(annotations, 'external-ips'),
    controller: controllerOf(object),
  };
}

function readLoadBalancer(object: unknown): LoadBalancer | undefined {
  const { data } = service.safeParse(object);
  if (data === undefined) return undefined;
  const ingress = data.status?.loadBalancer?.ingress ?? [];
  return {
    name: data.metadata.name,
    selector: data.spec.selector ?? {},
    addresses: ingress.flatMap(({ ip }) => ip ?? []),
  };
}
