import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Answer, status } from './answers.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { type Addressed, resourceName } from './served-kinds.ts';

/** Reads, creates, patches and deletes single objects, and refuses what the real one refuses: 404, 409, 415, 422. */
export async function objectAnswer(
  request: IncomingMessage,
  addressed: Addressed,
  store: ObjectStore,
): Promise<Answer> {
  const body = await text(request);
  const { resource, name = '' } = addressed;
  if (request.method === 'POST') return create(JSON.parse(body), addressed, store);
  const object = store.get(resource.kind, name, resource.namespace);
  if (object === undefined) return missing(addressed);
  switch (request.method) {
    case 'GET':
      return { code: 200, body: object };
    case 'PATCH':
      if (request.headers['content-type'] !== 'application/merge-patch+json') return unsupported;
      return patch(object, JSON.parse(body), { ...addressed, manager: managerOf(request) }, store);
    case 'DELETE':
      store.delete(resource.kind, name, resource.namespace);
      return { code: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } };
    default:
      return { code: 405, body: status(405, 'MethodNotAllowed', 'the server does not allow this method') };
  }
}

function create(object: StoredObject, { resource }: Addressed, store: ObjectStore): Answer {
  const { name } = object.metadata;
  const of = resourceName(resource);
  if (store.get(resource.kind, name, resource.namespace) !== undefined)
    return { code: 409, body: status(409, 'AlreadyExists', `${of} "${name}" already exists`, { name }) };
  const refusal = invalid(object);
  if (refusal !== undefined) return refusal;
  store.set(object);
  return { code: 201, body: store.get(resource.kind, name, resource.namespace) };
}

/** Changes the status alone if that is addressed, and everything else otherwise. */
function patch(
  object: StoredObject,
  change: Record<string, unknown>,
  { resource, isStatus, manager }: Addressed & { readonly manager: string | undefined },
  store: ObjectStore,
): Answer {
  const { name, resourceVersion } = object.metadata;
  const asked = (change['metadata'] as StoredObject['metadata'] | undefined)?.resourceVersion;
  if (asked !== undefined && asked !== resourceVersion) {
    const message = `Operation cannot be fulfilled on ${resourceName(resource)} "${name}": the object has been modified; please apply your changes to the latest version and try again`;
    return { code: 409, body: status(409, 'Conflict', message, { name, kind: resource.plural }) };
  }
  const { status: newStatus, ...rest } = change;
  const patched = merge(object, isStatus ? { status: newStatus } : rest) as StoredObject;
  const refusal = invalid(patched);
  if (refusal !== undefined) return refusal;
  store.set(isStatus && manager !== undefined ? managedBy(manager, patched, newStatus) : patched);
  return { code: 200, body: store.get(resource.kind, name, object.metadata.namespace) };
}

function managerOf({ url = '' }: IncomingMessage): string | undefined {
  return new URL(url, 'https://api').searchParams.get('fieldManager') ?? undefined;
}

/** The API server's record of who has written a status, with one writer at a time: the last one. */
export function managedBy(manager: string, object: StoredObject, change: unknown): StoredObject {
  const fieldsV1 = fieldsOf({ status: change });
  const entry = { manager, operation: 'Update', fieldsType: 'FieldsV1', fieldsV1, subresource: 'status' };
  return {
    ...object,
    metadata: { ...object.metadata, managedFields: fieldsV1 === undefined ? [] : [entry] },
  };
}

/** The fields that a change sets, in the form of FieldsV1; undefined for one that only removes. */
function fieldsOf(change: unknown): object | undefined {
  if (change === null) return undefined;
  if (typeof change !== 'object' || Array.isArray(change)) return {};
  const fields = Object.entries(change).flatMap(([name, value]) => {
    const its = fieldsOf(value);
    return its === undefined ? [] : [[`f:${name}`, its] as const];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

/** RFC 7386. */
function merge(target: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {};
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) continue;
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

/** Two of the real one's rules, to have something that it refuses. */
function invalid({ kind, metadata, ...rest }: StoredObject): Answer | undefined {
  const { spec = {}, status: its = {} } = rest as { spec?: Record<string, unknown>; status?: object };
  const seconds = spec['leaseDurationSeconds'];
  const field =
    kind === 'Lease' && typeof seconds === 'number' && seconds <= 0
      ? `spec.leaseDurationSeconds: Invalid value: ${seconds}: must be greater than 0`
      : 'ingress' in its && !Array.isArray(its.ingress)
        ? 'status.ingress: Invalid value: must be an array'
        : undefined;
  if (field === undefined) return undefined;
  return { code: 422, body: status(422, 'Invalid', `${kind} "${metadata.name}" is invalid: ${field}`) };
}

function missing({ resource, name = '' }: Addressed): Answer {
  const message = `${resourceName(resource)} "${name}" not found`;
  return { code: 404, body: status(404, 'NotFound', message, { name, kind: resource.plural }) };
}

const unsupported: Answer = {
  code: 415,
  body: status(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/merge-patch+json',
  ),
};
