import * as z from 'zod/mini';
import type { ApiFailure, ObjectRequest } from './api-request.ts';
import type { ApiSession } from './api-session.ts';
import { askObject, type ObjectAnswer, type WriteLimits } from './ask-object.ts';

/** One action that a program performs on the API. */
export interface Access {
  readonly verb: string;
  /** '' for the core group. */
  readonly group: string;
  /** `routes`, or `routes/status`. */
  readonly resource: string;
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  /** Undefined: every object of the kind. */
  readonly name?: string;
}

export type AccessAnswer =
  | { readonly kind: 'allowed' | 'denied' }
  | Exclude<ObjectAnswer, { kind: 'object' }>
  | ApiFailure;

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const review = z.object({ status: z.object({ allowed: z.boolean() }) });

export function accessReview({ verb, group, resource: named, namespace, name }: Access): ObjectRequest {
  const [resource = '', subresource = ''] = named.split('/');
  const where = { ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) };
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { ...{ verb, group, resource, subresource }, ...where } },
  };
  return { method: 'POST', path: PATH, body };
}

/** Queries the API whether these credentials have a permission. Every user may do that. Changes nothing and never throws. */
export async function askAccess(
  session: Pick<ApiSession, 'firstAnswer'>,
  access: Access,
  limits: WriteLimits,
): Promise<AccessAnswer> {
  const answer = await askObject(session, accessReview(access), limits);
  if (answer.kind !== 'object') return answer;
  const { data } = review.safeParse(answer.value);
  if (data === undefined)
    return { kind: 'failure', status: undefined, message: 'the answer is not an access review' };
  return { kind: data.status.allowed ? 'allowed' : 'denied' };
}
