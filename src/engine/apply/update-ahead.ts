import { randomBytes } from 'node:crypto';
import { REFUSED } from './apply-outcome.ts';
import type { ServeRequest } from './bring-into-service.ts';
import type { Pending } from './check-after.ts';
import type { Rendered } from './file-set.ts';
import type { MainFile } from './main-file.ts';

/** A set that was applied at runtime before its main file was written: docs/internals/decisions/0095. */
export interface RuntimeSet {
  /** The supervisor's id of the running configuration. No file has this hash. */
  readonly identity: string;
  readonly rendered: Rendered;
}

/** The running configuration, by the hash of its main file or by its `identity`. */
type Running = Pick<MainFile, 'sha256' | 'rendered'>;

/** Returns `before`, unless another set was applied at runtime whose file could not be written and which still runs. */
export async function whatRuns(
  before: MainFile | undefined,
  pending: Pending,
  signal: AbortSignal,
): Promise<Running | undefined> {
  const { runtimeSet, supervisor } = pending;
  if (runtimeSet === undefined) return before;
  if ((await supervisor.servedSha256(signal)) === runtimeSet.identity)
    return { sha256: runtimeSet.identity, rendered: runtimeSet.rendered };
  pending.runtimeSet = undefined;
  return before;
}

/**
 * Applies a set at runtime before its main file is written. Returns what remains to be done once the file is in place: bind the update to it, or
 * reload if the update was refused.
 */
export async function updateAhead(
  { from, set, changes }: Extract<ServeRequest, { kind: 'change' }>,
  rendered: Rendered,
  pending: Pending,
  signal: AbortSignal,
): Promise<ServeRequest> {
  const identity = `told-${randomBytes(8).toString('hex')}`;
  // From here the running configuration may match no file.
  pending.served = undefined;
  const order = { from, to: identity, ahead: true, ...(set !== undefined && { set }), changes };
  const outcome = await pending.supervisor.updateAhead(order, signal);
  if (outcome.kind === 'updated') {
    pending.runtimeSet = { identity, rendered };
    return { kind: 'change', from: identity, changes: [], stats: outcome.stats };
  }
  pending.runtimeSet = undefined;
  const { reason } = outcome;
  return { kind: 'reload', ...(reason !== undefined && { what: REFUSED, reason }) };
}
