import { type ApiFailure, type ApiTarget, type ObjectRequest, requestJson } from './api-request.ts';
import type { ApiSession } from './api-session.ts';
import { type ObjectKind, pathOf } from './resource.ts';

export interface NamedObject extends ObjectKind {
  readonly name: string;
}

export interface WriteLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export type ObjectAnswer =
  | { readonly kind: 'object'; readonly value: unknown }
  /** Every API server would give the same answer: the object is missing, in conflict, or invalid. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string };

/** etcd accepts objects of up to 1.5 MiB. */
const MAX_OBJECT_BYTES = 2_000_000;

/**
 * Reads or writes one object at the first API server that answers. A write without an answer may have been carried out, and is repeated at the next
 * server, so it must include the resource version that it changes. Never throws.
 */
export async function askObject(
  session: Pick<ApiSession, 'firstAnswer'>,
  request: ObjectRequest,
  { signal, timeoutMs }: WriteLimits,
): Promise<ObjectAnswer | ApiFailure> {
  const result = await session.firstAnswer(async (target) => {
    const answer = await requestJson(target, request, { signal, timeoutMs, maxBytes: { MAX_OBJECT_BYTES } });
    if (answer.kind === 'json') return { kind: 'object', value: answer.value } as const;
    const { status, message } = answer;
    if (status !== undefined && finalStatuses.has(status))
      return { kind: 'refused', status, message } as const;
    const isUnanswered = status === undefined && request.method !== 'GET';
    return isUnanswered ? { ...answer, isReachable: await isReachable(target, signal) } : answer;
  }, signal);
  return result.kind === 'answered' ? result.answer : result;
}

/** Leaves most of a write's time for the next API server. */
const READ_TIMEOUT_MS = 1_000;

/** Whether the API server answers a read, whatever the answer is. */
async function isReachable(target: ApiTarget, signal: AbortSignal): Promise<boolean> {
  const limits = { signal, timeoutMs: READ_TIMEOUT_MS, maxBytes: { MAX_OBJECT_BYTES } };
  const answer = await requestJson(target, { method: 'GET', path: '/version' }, limits);
  return answer.kind === 'json' || answer.status !== undefined;
}

const finalStatuses: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 413, 415, 422]);

/** A JSON merge patch (RFC 7386). It is refused with 409 once the object is no longer at `resourceVersion`. */
export function mergePatch(
  object: NamedObject,
  resourceVersion: string,
  change: Readonly<Record<string, unknown>>,
  subresource = '',
): ObjectRequest {
  const path = `${pathOf(object, object.name)}${subresource}`;
  return { method: 'PATCH', path, body: { metadata: { resourceVersion }, ...change } };
}
