import * as z from 'zod/mini';
import type { Resource } from '../engine/kube/resource.ts';
import { readCertificate, type SecretCertificate } from './certificate.ts';
import { type OwnPod, type PodFacts, proxyNameOf, readOwnPod, readPod } from './pod/pod.ts';

interface Place {
  readonly namespace: string;
}

/** One object of core/v1, selected by name, so that a permission for this object is enough. */
function oneObject<T>(
  kind: string,
  { namespace }: Place,
  name: string,
  project: Resource<T>['project'],
): Resource<T> {
  return {
    what: `${kind} ${name}`,
    apiVersion: 'v1',
    plural: `${kind.toLowerCase()}s`,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    project,
  };
}

export function ownPodResource({ pod, ...place }: Place & { readonly pod: string }): Resource<OwnPod> {
  return oneObject('pod', place, pod, readOwnPod);
}

/** The pods that name the proxy of `own`. All pods of the namespace are listed, because the API cannot select by annotation. */
export function podsResource(own: OwnPod): Resource<PodFacts> {
  const proxy = proxyNameOf(own);
  return {
    what: `pods that name ${proxy}`,
    apiVersion: 'v1',
    plural: 'pods',
    namespace: own.namespace,
    doubtsLoss: true,
    project: (object) => {
      const facts = readPod(object);
      return facts?.master === proxy ? facts : undefined;
    },
  };
}

export function slicesResource({ namespace }: Place, labelSelector: string): Resource<SliceFacts> {
  return {
    what: `EndpointSlices with ${labelSelector}`,
    apiVersion: 'discovery.k8s.io/v1',
    plural: 'endpointslices',
    namespace,
    labelSelector,
    doubtsLoss: true,
    project: readSlice,
  };
}

const configMap = z.object({ data: z.optional(z.record(z.string(), z.string())) });

/** The text under `key`; a ConfigMap without that key is ignored. */
export function configMapResource(place: Place, name: string, key: string): Resource<string> {
  return oneObject('ConfigMap', place, name, (object) => configMap.safeParse(object).data?.data?.[key]);
}

export function secretResource(place: Place, name: string): Resource<SecretCertificate> {
  return oneObject('Secret', place, name, readCertificate);
}

export interface SliceFacts {
  readonly service: string;
  readonly endpoints: readonly SliceEndpoint[];
}

interface SliceEndpoint {
  /** The pod's name, or the address if there is no pod. */
  readonly name: string;
  readonly addresses: readonly string[];
  readonly isReady: boolean;
}

const slice = z.object({
  metadata: z.object({ labels: z.object({ 'kubernetes.io/service-name': z.string() }) }),
  addressType: z.enum(['IPv4', 'IPv6']),
  endpoints: z.nullish(
    z.array(
      z.object({
        addresses: z.array(z.string()),
        conditions: z.nullish(z.object({ ready: z.nullish(z.boolean()) })),
        targetRef: z.nullish(z.object({ name: z.optional(z.string()) })),
      }),
    ),
  ),
});

/** Reads an EndpointSlice of discovery.k8s.io/v1; undefined for any other object. Unknown readiness counts as ready, as the API's
 * documentation requires. */
export function readSlice(object: unknown): SliceFacts | undefined {
  const { data } = slice.safeParse(object);
  if (data === undefined) return undefined;
  return {
    service: data.metadata.labels['kubernetes.io/service-name'],
    endpoints: (data.endpoints ?? []).map(({ addresses, conditions, targetRef }) => ({
      name: targetRef?.name ?? addresses[0] ?? '',
      addresses,
      isReady: conditions?.ready !== false,
    })),
  };
}
