import * as z from 'zod/mini';
import { versionField } from '../../engine/kube/kube-objects.ts';
import { type Selector, selects } from '../../engine/kube/label-selector.ts';
import { isOlder } from '../../engine/kube/object-store.ts';
import { keyOf, labelsOf } from '../metadata.ts';
import { type DesiredStatuses, isSameDesired, type StatusKind } from './status-kind.ts';

/** The observed and the desired statuses of one kind. */
export interface StatusTable<Entry> {
  /**
   * Records an object from the API. Returns its key, and whether another writer has changed this router's part away from the desired status. Returns
   * undefined if the object is invalid, or older than the recorded one.
   */
  readonly observe: (object: unknown) => { readonly key: string; readonly isContended: boolean } | undefined;
  /** Records an object that the API returned for our own write. Later watch events may be older. */
  readonly recordWrite: (object: unknown) => void;
  /** Records that the object does not exist. Nothing is desired of it until the next decision. */
  readonly recordDeletion: (key: string) => void;
  /** Sets a decision's desired statuses, and returns the keys whose desired status changed. */
  readonly setDesired: (statuses: DesiredStatuses<Entry>) => readonly string[];
  readonly keys: () => Iterable<string>;
  /** The status to write; undefined if it is up to date, or not this router's to write. */
  readonly pending: (key: string) => PendingStatus | undefined;
}

export interface PendingStatus {
  readonly namespace: string;
  readonly name: string;
  /** The object as last observed, reduced to the fields that its status depends on. */
  readonly known?: unknown;
  /** The status to write, given the object; undefined if there is nothing to write. */
  readonly decide: (object: unknown) => Readonly<Record<string, unknown>> | undefined;
}

interface ObservedObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The fields that its status depends on. */
  readonly object: unknown;
  /** Before this time, an older version is a late event. Afterwards it may come from a restored etcd. */
  readonly newestUntilMs: number;
  /** The number of decisions so far. */
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

/** A watch event may arrive this long after a write. */
const LATE_MS = 60_000;

/**
 * Tracks observed and desired statuses. If the router selects by labels, an object that is missing in the decisions was deleted or relabelled: a
 * relabelled object loses this router's part of its status. An object counts as missing after two decisions, since one may predate its last event.
 */
export function createStatusTable<Entry>(
  kind: StatusKind<Entry>,
  labels: Selector | undefined,
  nowMs: () => number,
): StatusTable<Entry> {
  const observed = new Map<string, ObservedObject>();
  const leaving = new Set<string>();
  let desired: DesiredStatuses<Entry> = new Map();
  let decisions = 0;

  /** Stores an object, unless a newer version was stored. The response to a write may arrive after the watch event of the next write. */
  const store = (object: unknown, newestUntilMs: number): string | undefined => {
    const parsed = metadata.safeParse(object);
    if (!parsed.success) return undefined;
    const { metadata: identity } = parsed.data;
    const key = keyOf(identity);
    const before = observed.get(key);
    const isLate = before !== undefined && nowMs() < Math.max(newestUntilMs, before.newestUntilMs);
    if (isLate && isOlder(identity.resourceVersion, before.resourceVersion)) return undefined;
    const until = Math.max(newestUntilMs, before?.newestUntilMs ?? 0);
    observed.set(key, { ...identity, object: kept(kind, object, identity), newestUntilMs: until, decisions });
    return key;
  };

  const isUpToDate = (key: string): boolean => {
    const found = observed.get(key);
    const status = desired.get(key);
    if (status === undefined) return !leaving.has(key);
    if (status.entry === 'unchanged') return true;
    if (found === undefined) return status.entry === undefined;
    if (found.uid !== status.uid) return true;
    return kind.change(found.object, status.entry, new Date(0)) === undefined;
  };

  const observe = (object: unknown) => {
    const name = metadata.safeParse(object).data?.metadata;
    if (name === undefined) return undefined;
    const before = observed.get(keyOf(name))?.object;
    const wasUpToDate = isUpToDate(keyOf(name));
    const key = store(object, 0);
    if (key === undefined) return undefined;
    const isOverwritten = before !== undefined && kind.isOverwritten(before, observed.get(key)?.object);
    return { key, isContended: isOverwritten && wasUpToDate && !isUpToDate(key) };
  };

  const drop = (key: string): void => {
    observed.delete(key);
    leaving.delete(key);
  };

  const findMissing = (): readonly string[] => {
    for (const [key, found] of observed) {
      if (desired.has(key) || found.decisions >= decisions - 1) continue;
      if (labels !== undefined && kind.isOurs(found.object)) leaving.add(key);
      else drop(key);
    }
    return [...leaving];
  };

  const hasLeft = (key: string, object: unknown): boolean =>
    leaving.has(key) && labels !== undefined && !selects(labels, labelsOf(object));

  const decide = (object: unknown, key: string) => {
    const parsed = metadata.safeParse(object);
    const status = desired.get(key);
    if (!parsed.success) return undefined;
    const isTarget = status === undefined ? hasLeft(key, object) : status.uid === parsed.data.metadata.uid;
    if (!isTarget || status?.entry === 'unchanged') return undefined;
    return kind.change(object, status?.entry, new Date());
  };

  return {
    observe,
    recordWrite: (object) => {
      const key = store(object, nowMs() + LATE_MS);
      if (key !== undefined && !desired.has(key)) drop(key);
    },
    recordDeletion: (key) => {
      drop(key);
      desired.delete(key);
    },
    setDesired: (statuses) => {
      const changed: string[] = [];
      for (const [key, status] of statuses)
        if (!isSameDesired(desired.get(key), status, kind)) changed.push(key);
      desired = statuses;
      decisions += 1;
      for (const key of leaving) if (desired.has(key)) leaving.delete(key);
      return [...changed, ...findMissing()];
    },
    keys: () => new Set([...desired.keys(), ...leaving]),
    pending: (key) => {
      if (isUpToDate(key)) return undefined;
      const found = observed.get(key);
      const status = desired.get(key);
      const of = status ?? found;
      if (of === undefined) return undefined;
      const { namespace, name } = of;
      // A relabelled object is read again, since its current labels decide.
      const known = status !== undefined && found !== undefined ? { known: found.object } : {};
      return { namespace, name, ...known, decide: (object) => decide(object, key) };
    },
  };
}

function kept<Entry>(
  kind: StatusKind<Entry>,
  object: unknown,
  {
    namespace,
    name,
    uid,
    resourceVersion,
  }: Pick<ObservedObject, 'namespace' | 'name' | 'uid' | 'resourceVersion'>,
): unknown {
  const { metadata: more, status } = kind.keep(object);
  return { metadata: { namespace, name, uid, resourceVersion, ...more }, status };
}
