import { randomBytes } from 'node:crypto';
import { REFUSED } from './apply-outcome.ts';
import type { Way } from './bring-into-service.ts';
import type { Pending } from './check-after.ts';
import type { Rendered } from './file-set.ts';
import type { MainFile } from './main-file.ts';

/** A set that the program was told of before its main file was written: docs/internals/decisions/0095. */
export interface ToldSet {
  /** What the supervisor calls what runs now. No file has this hash. */
  readonly identity: string;
  readonly rendered: Rendered;
}

/** What runs, by the hash of its main file or as it was told. */
type Running = Pick<MainFile, 'sha256' | 'rendered'>;

/** `before` lies there, unless the program was told of another set whose file could not be written, and has it still. */
export async function whatRuns(
  before: MainFile | undefined,
  pending: Pending,
  signal: AbortSignal,
): Promise<Running | undefined> {
  const { told, supervisor } = pending;
  if (told === undefined) return before;
  if ((await supervisor.servedSha256(signal)) === told.identity)
    return { sha256: told.identity, rendered: told.rendered };
  pending.told = undefined;
  return before;
}

/**
 * Has the program told of a set whose main file is still to be written. What is left to do once it lies there: to say so, or to load it where the
 * change was not made.
 */
export async function tellFirst(
  { from, set, changes }: Extract<Way, { kind: 'change' }>,
  rendered: Rendered,
  pending: Pending,
  signal: AbortSignal,
): Promise<Way> {
  const identity = `told-${randomBytes(8).toString('hex')}`;
  // From here on what runs may be none of the files.
  pending.served = undefined;
  const order = { from, to: identity, ahead: true, ...(set !== undefined && { set }), changes };
  const outcome = await pending.supervisor.tell(order, signal);
  if (outcome.kind === 'told') {
    pending.told = { identity, rendered };
    return { kind: 'change', from: identity, changes: [], told: outcome.told };
  }
  pending.told = undefined;
  const { reason } = outcome;
  return { kind: 'reload', ...(reason !== undefined && { what: REFUSED, reason }) };
}
