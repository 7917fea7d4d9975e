import * as z from 'zod/mini';
import { versionField } from '../../engine/kube/kube-objects.ts';
import { type Selector, selects } from '../../engine/kube/label-selector.ts';
import { isOlder } from '../../engine/kube/object-store.ts';
import { keyOf, labelsOf } from '../metadata.ts';
import { isSameWanted, type StatusKind, type WantedStatuses } from './status-kind.ts';

/** What the statuses of one kind of objects say, as far as it was heard, and what they are to say. */
export interface StatusTable<Wish> {
  /**
   * An object as the API has it. Returns its key, and whether another writer has changed what is ours away from the desired status; undefined for
   * anything else, or one older than what is known.
   */
  readonly see: (object: unknown) => { readonly key: string; readonly isContended: boolean } | undefined;
  /** An object as the API returned it for our own write: a later watch event may be older. */
  readonly wrote: (object: unknown) => void;
  /** Nothing is wanted of an object that is not there, until the next decision. */
  readonly gone: (key: string) => void;
  /** Takes over a decision's desired statuses, and returns the keys whose desired status changed. */
  readonly want: (statuses: WantedStatuses<Wish>) => readonly string[];
  readonly keys: () => Iterable<string>;
  /** The status to write; undefined if it is already correct, or not ours to write. */
  readonly pending: (key: string) => PendingStatus | undefined;
}

export interface PendingStatus {
  readonly namespace: string;
  readonly name: string;
  /** The object as it was last seen: no more of it than its status depends on. */
  readonly known?: unknown;
  /** What is to be written to the status, given the object; undefined if nothing is. */
  readonly decide: (object: unknown) => Readonly<Record<string, unknown>> | undefined;
}

interface Seen {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** What its status depends on. */
  readonly object: unknown;
  /** Until when an older version is a late message, and not the state of an etcd that was restored. */
  readonly newestUntilMs: number;
  /** How many decisions there had been. */
  readonly decisions: number;
}

const metadata = z.object({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    uid: z._default(z.string(), ''),
    resourceVersion: versionField,
  }),
});

/** A watch is behind a write for less than this. */
const LATE_MS = 60_000;

/**
 * An object that has left the list while the router selects by labels was deleted, or has other labels now: then what is ours in its status is
 * taken away. What is heard of an object after a decision was made, and before the decision comes, is not in it.
 */
export function createStatusTable<Wish>(
  kind: StatusKind<Wish>,
  labels: Selector | undefined,
  nowMs: () => number,
): StatusTable<Wish> {
  const seen = new Map<string, Seen>();
  const leaving = new Set<string>();
  let wanted: WantedStatuses<Wish> = new Map();
  let decisions = 0;

  /** The response to a write may arrive after the watch event of the next one. */
  const take = (object: unknown, newestUntilMs: number): string | undefined => {
    const parsed = metadata.safeParse(object);
    if (!parsed.success) return undefined;
    const { metadata: its } = parsed.data;
    const key = keyOf(its);
    const before = seen.get(key);
    const isLate = before !== undefined && nowMs() < Math.max(newestUntilMs, before.newestUntilMs);
    if (isLate && isOlder(its.resourceVersion, before.resourceVersion)) return undefined;
    const until = Math.max(newestUntilMs, before?.newestUntilMs ?? 0);
    seen.set(key, { ...its, object: kept(kind, object, its), newestUntilMs: until, decisions });
    return key;
  };

  const isRight = (key: string): boolean => {
    const found = seen.get(key);
    const wish = wanted.get(key);
    if (wish === undefined) return !leaving.has(key);
    if (wish.entry === 'as-it-is') return true;
    if (found === undefined) return wish.entry === undefined;
    if (found.uid !== wish.uid) return true;
    return kind.change(found.object, wish.entry, new Date(0)) === undefined;
  };

  const see = (object: unknown) => {
    const name = metadata.safeParse(object).data?.metadata;
    if (name === undefined) return undefined;
    const before = seen.get(keyOf(name))?.object;
    const wasRight = isRight(keyOf(name));
    const key = take(object, 0);
    if (key === undefined) return undefined;
    const isOverwritten = before !== undefined && kind.isOverwritten(before, seen.get(key)?.object);
    return { key, isContended: isOverwritten && wasRight && !isRight(key) };
  };

  const forget = (key: string): void => {
    seen.delete(key);
    leaving.delete(key);
  };

  const noticeMissing = (): readonly string[] => {
    for (const [key, found] of seen) {
      if (wanted.has(key) || found.decisions >= decisions - 1) continue;
      if (labels !== undefined && kind.isOurs(found.object)) leaving.add(key);
      else forget(key);
    }
    return [...leaving];
  };

  const hasLeft = (key: string, object: unknown): boolean =>
    leaving.has(key) && labels !== undefined && !selects(labels, labelsOf(object));

  const decide = (object: unknown, key: string) => {
    const parsed = metadata.safeParse(object);
    const wish = wanted.get(key);
    if (!parsed.success) return undefined;
    const isMeant = wish === undefined ? hasLeft(key, object) : wish.uid === parsed.data.metadata.uid;
    if (!isMeant || wish?.entry === 'as-it-is') return undefined;
    return kind.change(object, wish?.entry, new Date());
  };

  return {
    see,
    wrote: (object) => {
      const key = take(object, nowMs() + LATE_MS);
      if (key !== undefined && !wanted.has(key)) forget(key);
    },
    gone: (key) => {
      forget(key);
      wanted.delete(key);
    },
    want: (statuses) => {
      const changed: string[] = [];
      for (const [key, wish] of statuses) if (!isSameWanted(wanted.get(key), wish, kind)) changed.push(key);
      wanted = statuses;
      decisions += 1;
      for (const key of leaving) if (wanted.has(key)) leaving.delete(key);
      return [...changed, ...noticeMissing()];
    },
    keys: () => new Set([...wanted.keys(), ...leaving]),
    pending: (key) => {
      if (isRight(key)) return undefined;
      const found = seen.get(key);
      const wish = wanted.get(key);
      const of = wish ?? found;
      if (of === undefined) return undefined;
      const { namespace, name } = of;
      // One that has left is read: its labels decide.
      const known = wish !== undefined && found !== undefined ? { known: found.object } : {};
      return { namespace, name, ...known, decide: (object) => decide(object, key) };
    },
  };
}

function kept<Wish>(
  kind: StatusKind<Wish>,
  object: unknown,
  { namespace, name, uid, resourceVersion }: Pick<Seen, 'namespace' | 'name' | 'uid' | 'resourceVersion'>,
): unknown {
  const { metadata: more, status } = kind.keep(object);
  return { metadata: { namespace, name, uid, resourceVersion, ...more }, status };
}
