import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { ApiFailure } from '../../engine/kube/api-request.ts';
import type { ApiSession } from '../../engine/kube/api-session.ts';
import { askObject, mergePatch, type ObjectAnswer } from '../../engine/kube/ask-object.ts';
import { versionField } from '../../engine/kube/kube-objects.ts';
import { pathOf } from '../../engine/kube/resource.ts';
import { type Controller, controllerOf } from './proxy-set.ts';
import { type DesiredRecords, failed, type Publish, REQUEST_MS, TTL_SECONDS } from './target.ts';

const apiVersion = 'externaldns.k8s.io/v1alpha1';
const managedBy = 'app.kubernetes.io/managed-by';

type Session = Pick<ApiSession, 'firstAnswer'>;

/** The fields that hawser writes. Other programs may add fields. */
const endpoint = z.object({
  dnsName: z.string(),
  recordType: z.string(),
  recordTTL: z.number(),
  targets: z.array(z.string()),
});

const found = z.object({
  metadata: z.object({
    resourceVersion: versionField,
    labels: z.catch(z.record(z.string(), z.string()), {}),
    ownerReferences: z.nullish(z.array(z.looseObject({ uid: z.string() }))),
  }),
  spec: z.catch(z.optional(z.object({ endpoints: z.array(endpoint) })), undefined),
});

const kinds = z.object({ resources: z.array(z.object({ name: z.string() })) });

type Discovery =
  | { readonly kind: 'present' | 'absent' }
  | { readonly kind: 'failure'; readonly message: string };

/** Whether the API has the resource DNSEndpoint of ExternalDNS. */
export async function findDnsEndpoints(session: Session, signal: AbortSignal): Promise<Discovery> {
  const request = { method: 'GET', path: `/apis/${apiVersion}` } as const;
  const answer = await askObject(session, request, { signal, timeoutMs: REQUEST_MS });
  if (answer.kind === 'refused' && answer.status === 404) return { kind: 'absent' };
  if (answer.kind !== 'object')
    return {
      kind: 'failure',
      message: `Cannot determine whether the cluster has DNSEndpoints: ${answer.message}`,
    };
  const { data } = kinds.safeParse(answer.value);
  return { kind: data?.resources.some(({ name }) => name === 'dnsendpoints') ? 'present' : 'absent' };
}

/**
 * Publishes through one DNSEndpoint, from which ExternalDNS creates the records. The DNSEndpoint is owned by the Deployment of the writing pod and is
 * deleted with it. A DNSEndpoint of the same name that hawser did not create is not changed. Each write is conditional on the version that was read.
 */
export function publishDnsEndpoint(
  session: Session,
  place: { readonly namespace: string; readonly name: string },
): Publish {
  const object = { apiVersion, plural: 'dnsendpoints', ...place };
  const cannot = (verb: string, answer: NoObject) =>
    failed(`Cannot ${verb} DNSEndpoint "${place.name}": ${reasonOf(answer)}`);
  return async (desired, signal) => {
    const limits = { signal, timeoutMs: REQUEST_MS };
    const owner = await ownerOf(session, place.namespace, desired.controller, signal);
    if (owner.kind === 'failure') return failed(owner.message);
    const read = await askObject(session, { method: 'GET', path: pathOf(object, object.name) }, limits);
    const isMissing = read.kind === 'refused' && read.status === 404;
    if (read.kind !== 'object' && !isMissing) return cannot('read', read);
    const request = isMissing
      ? creation(place, specOf(desired), owner.owner)
      : correction(object, read.kind === 'object' && read.value, specOf(desired), owner.owner);
    if (request === 'foreign')
      return failed(
        `Cannot change DNSEndpoint "${place.name}": it has no label ${managedBy}=hawser, expected one of hawser's`,
      );
    if (request === 'unchanged') return failed();
    const written = await askObject(session, request, limits);
    return written.kind === 'object' ? { written: desired.names, problems: [] } : cannot('write', written);
  };
}

function specOf({ names, addresses }: DesiredRecords) {
  const endpoints = names.map((dnsName) => ({
    dnsName,
    recordType: 'A',
    recordTTL: TTL_SECONDS,
    targets: [...addresses],
  }));
  return { endpoints };
}

function creation(
  place: { readonly namespace: string; readonly name: string },
  spec: object,
  owner: Controller | undefined,
) {
  const labels = { [managedBy]: 'hawser' };
  const metadata = { ...place, labels, ownerReferences: owner === undefined ? [] : [owner] };
  const body = { apiVersion, kind: 'DNSEndpoint', metadata, spec };
  const path = pathOf({ apiVersion, plural: 'dnsendpoints', namespace: place.namespace });
  return { method: 'POST', path, body } as const;
}

function correction(
  object: Parameters<typeof mergePatch>[0],
  before: unknown,
  spec: object,
  owner: Controller | undefined,
) {
  const { data } = found.safeParse(before);
  if (data?.metadata.labels[managedBy] !== 'hawser') return 'foreign';
  const { resourceVersion, ownerReferences } = data.metadata;
  const owners = ownerReferences ?? [];
  const isOwned = owner === undefined || owners.some(({ uid }) => uid === owner.uid);
  if (isOwned && isDeepStrictEqual(data.spec, spec)) return 'unchanged';
  const metadata = { resourceVersion, ownerReferences: isOwned ? owners : [...owners, owner] };
  return mergePatch(object, resourceVersion, { metadata, spec });
}

type FoundOwner =
  | { readonly kind: 'owner'; readonly owner: Controller | undefined }
  | { readonly kind: 'failure'; readonly message: string };

/** The owner for the DNSEndpoint: the Deployment of a ReplicaSet, since each rollout has a new ReplicaSet, or another controller itself. */
async function ownerOf(
  session: Session,
  namespace: string,
  controller: Controller | undefined,
  signal: AbortSignal,
): Promise<FoundOwner> {
  if (controller?.kind !== 'ReplicaSet') return { kind: 'owner', owner: controller };
  const path = pathOf(
    { apiVersion: controller.apiVersion, plural: 'replicasets', namespace },
    controller.name,
  );
  const answer = await askObject(session, { method: 'GET', path }, { signal, timeoutMs: REQUEST_MS });
  if (answer.kind === 'object') return { kind: 'owner', owner: controllerOf(answer.value) ?? controller };
  return { kind: 'failure', message: `Cannot read ReplicaSet "${controller.name}": ${reasonOf(answer)}` };
}

type NoObject = ApiFailure | Exclude<ObjectAnswer, { kind: 'object' }>;

function reasonOf({ status, message }: NoObject): string {
  return status === 403 ? `${message}, expected the Role of manifests/pod-proxy/dns.yaml` : message;
}
