import { scatteredPauseMs } from '../system/time/retry.ts';
import { sleep } from '../system/time/sleep.ts';
import type { ApiFailure } from './api-request.ts';
import type { ApiSession } from './api-session.ts';
import {
  askObject,
  mergePatch,
  type NamedObject,
  type ObjectAnswer,
  type WriteLimits,
} from './ask-object.ts';
import { identify } from './kube-objects.ts';
import { pathOf } from './resource.ts';

export type StatusOutcome =
  /** The current object in the API. */
  | { readonly kind: 'patched' | 'unchanged'; readonly object: unknown }
  | { readonly kind: 'gone' }
  /** Another client changed the object before each attempt. */
  | { readonly kind: 'conflict' }
  /** The API server considers the status invalid. */
  | Extract<ObjectAnswer, { readonly kind: 'refused' }>
  | ApiFailure;

interface StatusChange {
  /** Returns the status to write, or undefined to write nothing. Must not throw. */
  readonly decide: (object: unknown) => Readonly<Record<string, unknown>> | undefined;
  /** The last known object with at least its name, version and status. Only after a conflict is the object read. */
  readonly known?: unknown;
  /** The manager that the API records in `metadata.managedFields`. Undefined: the API's choice. */
  readonly fieldManager?: string | undefined;
}

const MOST_TRIES = 5;
const PAUSES = { firstMs: 10, longestMs: 200 };

/**
 * Writes the status that `decide` returns: omitted fields stay, null fields are removed, lists are replaced. The write includes the resource version
 * of the decision, so that it overwrites no concurrent change. After a conflict the object is read and decided again, at most five times.
 */
export async function patchStatus(
  session: Pick<ApiSession, 'firstAnswer'>,
  object: NamedObject,
  change: StatusChange,
  limits: WriteLimits,
): Promise<StatusOutcome> {
  for (let tries = 1; ; tries += 1) {
    const known = tries === 1 ? change.known : undefined;
    const outcome = await tryOnce(session, object, { ...change, known }, limits);
    if (outcome.kind !== 'conflict' || tries === MOST_TRIES || limits.signal.aborted) return outcome;
    await sleep(scatteredPauseMs(tries, PAUSES), limits.signal);
  }
}

async function tryOnce(
  session: Pick<ApiSession, 'firstAnswer'>,
  object: NamedObject,
  { decide, known, fieldManager }: StatusChange,
  limits: WriteLimits,
): Promise<StatusOutcome> {
  const path = pathOf(object, object.name);
  const read: ObjectAnswer | ApiFailure =
    known === undefined
      ? await askObject(session, { method: 'GET', path }, limits)
      : { kind: 'object', value: known };
  if (read.kind !== 'object') return outcomeOf(read);
  const status = decide(read.value);
  if (status === undefined) return { kind: 'unchanged', object: read.value };
  const { resourceVersion } = identify(read.value);
  if (resourceVersion === '')
    return { kind: 'failure', status: undefined, message: 'the object has no resourceVersion' };
  const written = await askObject(
    session,
    mergePatch(object, resourceVersion, { status }, `/status${managerQuery(fieldManager)}`),
    limits,
  );
  return written.kind === 'object' ? { kind: 'patched', object: written.value } : outcomeOf(written);
}

function managerQuery(fieldManager: string | undefined): string {
  return fieldManager === undefined ? '' : `?${new URLSearchParams({ fieldManager })}`;
}

function outcomeOf(answer: Exclude<ObjectAnswer, { readonly kind: 'object' }> | ApiFailure): StatusOutcome {
  if (answer.kind === 'failure') return answer;
  if (answer.status === 404) return { kind: 'gone' };
  return answer.status === 409 || answer.status === 410 ? { kind: 'conflict' } : answer;
}
