import { setTimeout as pause } from 'node:timers/promises';
import type { ApiFailure } from './api-request.ts';
import type { ApiSession } from './api-session.ts';
import {
  askObject,
  mergePatch,
  type NamedObject,
  type ObjectAnswer,
  type WriteLimits,
} from './ask-object.ts';
import { createBackoff } from './backoff.ts';
import { identify } from './kube-objects.ts';
import { pathOf } from './resource.ts';

export type StatusOutcome =
  | { readonly kind: 'patched' | 'unchanged' | 'gone' }
  /** Somebody else changed the object before each try. */
  | { readonly kind: 'conflict' }
  /** The API server holds the status for invalid. */
  | Extract<ObjectAnswer, { readonly kind: 'refused' }>
  | ApiFailure;

const MOST_TRIES = 5;

/**
 * Writes the status that `decide` returns for the object as it is now: fields that it leaves out stay, those that it
 * sets to null go, lists are replaced whole. Undefined writes nothing. After a conflict the object is read and decided
 * about anew, five times at most. Throws only what `decide` throws.
 */
export async function patchStatus(
  session: Pick<ApiSession, 'firstAnswer'>,
  object: NamedObject,
  decide: (fresh: unknown) => Readonly<Record<string, unknown>> | undefined,
  limits: WriteLimits,
): Promise<StatusOutcome> {
  const backoff = createBackoff({ firstMs: 10, capMs: 200, random: Math.random });
  for (let tries = 1; ; tries += 1) {
    const outcome = await tryOnce(session, object, decide, limits);
    if (outcome.kind !== 'conflict' || tries === MOST_TRIES || limits.signal.aborted) return outcome;
    await pause(backoff.nextMs(), undefined, { signal: limits.signal }).catch(() => undefined);
  }
}

async function tryOnce(
  session: Pick<ApiSession, 'firstAnswer'>,
  object: NamedObject,
  decide: (fresh: unknown) => Readonly<Record<string, unknown>> | undefined,
  limits: WriteLimits,
): Promise<StatusOutcome> {
  const read = await askObject(session, { method: 'GET', path: pathOf(object, object.name) }, limits);
  if (read.kind !== 'object') return outcomeOf(read);
  const status = decide(read.value);
  if (status === undefined) return { kind: 'unchanged' };
  const { resourceVersion } = identify(read.value);
  if (resourceVersion === '')
    return { kind: 'failure', status: undefined, message: 'the object has no resourceVersion' };
  const written = await askObject(
    session,
    mergePatch(object, resourceVersion, { status }, '/status'),
    limits,
  );
  return written.kind === 'object' ? { kind: 'patched' } : outcomeOf(written);
}

function outcomeOf(answer: Exclude<ObjectAnswer, { readonly kind: 'object' }> | ApiFailure): StatusOutcome {
  if (answer.kind === 'failure') return answer;
  if (answer.status === 404) return { kind: 'gone' };
  return answer.status === 409 ? { kind: 'conflict' } : answer;
}
