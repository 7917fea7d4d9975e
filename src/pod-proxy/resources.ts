import * as z from 'zod/mini';
import type { Resource } from '../engine/kube/resource.ts';
import { readCertificate, type SecretCertificate } from './certificate.ts';
import { readSlice, type SliceFacts } from './endpoint-slice.ts';
import { type OwnPod, type PodFacts, proxyNameOf, readOwnPod, readPod } from './pod/pod.ts';

interface Place {
  readonly namespace: string;
}

export function ownPodResource({ namespace, pod }: Place & { readonly pod: string }): Resource<OwnPod> {
  return {
    what: `pod ${pod}`,
    ...{ apiVersion: 'v1', plural: 'pods', namespace },
    fieldSelector: `metadata.name=${pod}`,
    project: readOwnPod,
  };
}

/** The API cannot select by annotation: all pods of the namespace are listed, and those that name the proxy of `own` are kept. */
export function podsResource(own: OwnPod): Resource<PodFacts> {
  const proxy = proxyNameOf(own);
  return {
    what: `pods that name ${proxy}`,
    ...{ apiVersion: 'v1', plural: 'pods', namespace: own.namespace },
    project: (object) => {
      const facts = readPod(object);
      return facts?.master === proxy ? facts : undefined;
    },
  };
}

export function slicesResource({ namespace }: Place, labelSelector: string): Resource<SliceFacts> {
  return {
    what: `EndpointSlices with ${labelSelector}`,
    ...{ apiVersion: 'discovery.k8s.io/v1', plural: 'endpointslices', namespace, labelSelector },
    project: readSlice,
  };
}

const configMap = z.object({ data: z.optional(z.record(z.string(), z.string())) });

/** The text under `key`; a ConfigMap without that key is ignored. */
export function configMapResource({ namespace }: Place, name: string, key: string): Resource<string> {
  return {
    what: `ConfigMap ${name}`,
    ...{ apiVersion: 'v1', plural: 'configmaps', namespace },
    fieldSelector: `metadata.name=${name}`,
    project: (object) => configMap.safeParse(object).data?.data?.[key],
  };
}

/** Selected by name, so that a right for this one Secret is enough. */
export function secretResource({ namespace }: Place, name: string): Resource<SecretCertificate> {
  return {
    what: `Secret ${name}`,
    ...{ apiVersion: 'v1', plural: 'secrets', namespace },
    fieldSelector: `metadata.name=${name}`,
    project: readCertificate,
  };
}
