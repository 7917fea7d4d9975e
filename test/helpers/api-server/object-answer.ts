import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Answer, status } from './answers.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { type Addressed, groupOf, resourceName, type ServedResource } from './served-kinds.ts';

/** Reads, creates, patches and deletes single objects, and refuses what a real server refuses: 404, 409, 415, 422. */
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
      return { code: 200, body: deleted(addressed) };
    default:
      return { code: 405, body: status(405, 'MethodNotAllowed', 'the server does not allow this method') };
  }
}

function create(object: StoredObject, { resource }: Addressed, store: ObjectStore): Answer {
  const { name } = object.metadata;
  const of = resourceName(resource);
  if (store.get(resource.kind, name, resource.namespace) !== undefined)
    return {
      code: 409,
      body: status(409, 'AlreadyExists', `${of} "${name}" already exists`, detailsOf(resource, name)),
    };
  const refusal = invalid(object);
  if (refusal !== undefined) return refusal;
  store.set(object);
  return { code: 201, body: store.get(resource.kind, name, resource.namespace) };
}

/** Changes only the status if that is addressed, and everything else otherwise. */
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
    return { code: 409, body: status(409, 'Conflict', message, detailsOf(resource, name)) };
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

/** The API server's record of who wrote a status, for one writer at a time: the last one. */
export function managedBy(manager: string, object: StoredObject, change: unknown): StoredObject {
  const fieldsV1 = fieldsOf({ status: change });
  const entry = { manager, operation: 'Update', fieldsType: 'FieldsV1', fieldsV1, subresource: 'status' };
  return {
    ...object,
    metadata: { ...object.metadata, managedFields: fieldsV1 === undefined ? [] : [entry] },
  };
}

/** The fields that a change sets, as FieldsV1; undefined for a change that only removes. */
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

interface Refused {
  readonly field: string;
  readonly message: string;
  readonly reason: string;
}

/** A few of a real server's rules, so that something is refused. */
function invalid({ kind, apiVersion, metadata, ...rest }: StoredObject): Answer | undefined {
  const cause = causeIn(kind, rest as Fields);
  if (cause === undefined) return undefined;
  const { field, message } = cause;
  const group = groupOf({ apiVersion });
  const what = group === undefined ? kind : `${kind}.${group}`;
  const { name } = metadata;
  const details = { name, ...(group !== undefined && { group }), kind, causes: [cause] };
  return {
    code: 422,
    body: status(422, 'Invalid', `${what} "${name}" is invalid: ${field}: ${message}`, details),
  };
}

interface Fields {
  readonly spec?: { readonly leaseDurationSeconds?: number };
  readonly status?: {
    readonly ingress?: unknown;
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] };
  };
}

function causeIn(kind: string, { spec, status: its }: Fields): Refused | undefined {
  if (kind === 'Lease' && (spec?.leaseDurationSeconds ?? 1) <= 0)
    return {
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${spec?.leaseDurationSeconds}: must be greater than 0`,
      field: 'spec.leaseDurationSeconds',
    };
  if (kind === 'Route') return routeCause(its?.ingress ?? []);
  const ips = its?.loadBalancer?.ingress?.map(({ ip }) => ip) ?? [];
  const wrong = ips.findIndex((ip) => ip !== undefined && isIP(ip) === 0);
  if (wrong === -1) return undefined;
  const message = `Invalid value: "${ips[wrong]}": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`;
  return { reason: 'FieldValueInvalid', message, field: `status.loadBalancer.ingress[${wrong}].ip` };
}

function routeCause(ingress: unknown): Refused | undefined {
  const wrongType = (field: string, is: string, expected: string): Refused => {
    const message = `Invalid value: "${is}": ${field} in body must be of type ${expected}: "${is}"`;
    return { reason: 'FieldValueTypeInvalid', message, field: `status.${field}` };
  };
  if (!Array.isArray(ingress)) return wrongType('ingress', typeof ingress, 'array');
  const wrong = ingress.findIndex(({ host }) => typeof host === 'number');
  return wrong === -1 ? undefined : wrongType(`ingress[${wrong}].host`, 'integer', 'string');
}

function detailsOf(resource: ServedResource, name: string): Readonly<Record<string, unknown>> {
  const group = groupOf(resource);
  return { name, ...(group !== undefined && { group }), kind: resource.plural };
}

function deleted({ resource, name = '' }: Addressed): object {
  const details = detailsOf(resource, name);
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

function missing({ resource, name = '' }: Addressed): Answer {
  const message = `${resourceName(resource)} "${name}" not found`;
  return { code: 404, body: status(404, 'NotFound', message, detailsOf(resource, name)) };
}

const unsupported: Answer = {
  code: 415,
  body: status(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/merge-patch+json',
  ),
};
