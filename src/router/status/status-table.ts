import * as z from 'zod/mini';
import { versionField } from '../../engine/kube/kube-objects.ts';
import { type Selector, selects } from '../../engine/kube/label-selector.ts';
import { isOlder } from '../../engine/kube/object-store.ts';
import { keyOf, labelsOf } from '../metadata.ts';
import {
  desiredIngress,
  type IngressEntry,
  ingressEntries,
  isOwn,
  type RouterIdentity,
  saysTheSame,
} from './ingress-entries.ts';
import { isSameWish, type WantedStatus } from './wanted-statuses.ts';

/** What the Routes' statuses say, as far as it was heard, and what they are to say. */
export interface StatusTable {
  /**
   * A Route as the API has it. Returns its key, and whether another writer has changed our entry away from the desired one; undefined for
   * anything but a Route, or one older than what is known.
   */
  readonly see: (route: unknown) => { readonly key: string; readonly isContended: boolean } | undefined;
  /** A Route as the API answered to our own write: what a watch tells later may be older. */
  readonly wrote: (route: unknown) => void;
  /** Nothing is wanted of a Route that is not there, until the next decision. */
  readonly gone: (key: string) => void;
  /** Takes over what a decision wants, and tells the keys for which it wants something else than the one before. */
  readonly want: (statuses: Map<string, WantedStatus>) => readonly string[];
  readonly keys: () => Iterable<string>;
  /** The status to write; undefined if it is already correct, or not ours to write. */
  readonly pending: (key: string) => PendingStatus | undefined;
}

export interface PendingStatus {
  readonly namespace: string;
  readonly name: string;
  /** The Route as it was last seen. */
  readonly known?: unknown;
  /** What is to be written to the Route's status, given the Route; undefined if nothing is. */
  readonly decide: (route: unknown) => { readonly ingress: readonly IngressEntry[] } | undefined;
}

/** The parts of a Route that affect its status. */
interface Seen {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly entries: readonly IngressEntry[];
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
 * A Route that has left the list while the router selects by labels was deleted, or has other labels now: then our entry is
 * taken away. What is heard of a Route after a decision was made, and before the decision comes, is not in it.
 */
export function createStatusTable(
  router: RouterIdentity,
  routeLabels: Selector | undefined,
  nowMs: () => number,
): StatusTable {
  const seen = new Map<string, Seen>();
  const leaving = new Set<string>();
  let wanted = new Map<string, WantedStatus>();
  let decisions = 0;

  /** An answer to a write may come later than what a watch tells of the next one. */
  const take = (route: unknown, newestUntilMs: number): string | undefined => {
    const parsed = metadata.safeParse(route);
    if (!parsed.success) return undefined;
    const key = keyOf(parsed.data.metadata);
    const before = seen.get(key);
    const isLate = before !== undefined && nowMs() < Math.max(newestUntilMs, before.newestUntilMs);
    if (isLate && isOlder(parsed.data.metadata.resourceVersion, before.resourceVersion)) return undefined;
    const until = Math.max(newestUntilMs, before?.newestUntilMs ?? 0);
    const { metadata: its } = parsed.data;
    seen.set(key, { ...its, entries: ingressEntries(route), newestUntilMs: until, decisions });
    return key;
  };

  const isRight = (key: string): boolean => {
    const [found, wish] = [seen.get(key), wanted.get(key)];
    if (wish === undefined) return !leaving.has(key);
    if (wish.entry === 'as-it-is') return true;
    if (found === undefined) return wish.entry === undefined;
    if (found.uid !== wish.uid) return true;
    return desiredIngress(found.entries, wish.entry, router, new Date(0)) === undefined;
  };

  const ownOf = (key: string): IngressEntry | undefined =>
    seen.get(key)?.entries.find((entry) => isOwn(entry, router));

  const see = (route: unknown) => {
    const name = metadata.safeParse(route).data?.metadata;
    const before =
      name === undefined ? undefined : { own: ownOf(keyOf(name)), wasRight: isRight(keyOf(name)) };
    const key = take(route, 0);
    if (key === undefined || before === undefined) return undefined;
    const own = ownOf(key);
    const isChanged = before.own !== undefined && own !== undefined && !saysTheSame(before.own, own);
    return { key, isContended: isChanged && before.wasRight && !isRight(key) };
  };

  const forget = (key: string): void => {
    seen.delete(key);
    leaving.delete(key);
  };

  const noticeMissing = (): readonly string[] => {
    for (const [key, found] of seen) {
      if (wanted.has(key) || found.decisions >= decisions - 1) continue;
      if (routeLabels !== undefined && ownOf(key) !== undefined) leaving.add(key);
      else forget(key);
    }
    return [...leaving];
  };

  const hasLeft = (key: string, route: unknown): boolean =>
    leaving.has(key) && routeLabels !== undefined && !selects(routeLabels, labelsOf(route));

  const decide = (route: unknown, key: string): { ingress: readonly IngressEntry[] } | undefined => {
    const parsed = metadata.safeParse(route);
    const wish = wanted.get(key);
    if (!parsed.success) return undefined;
    const isMeant = wish === undefined ? hasLeft(key, route) : wish.uid === parsed.data.metadata.uid;
    if (!isMeant || wish?.entry === 'as-it-is') return undefined;
    const ingress = desiredIngress(ingressEntries(route), wish?.entry, router, new Date());
    return ingress === undefined ? undefined : { ingress };
  };

  return {
    see,
    wrote: (route) => {
      const key = take(route, nowMs() + LATE_MS);
      if (key !== undefined && !wanted.has(key)) forget(key);
    },
    gone: (key) => {
      forget(key);
      wanted.delete(key);
    },
    want: (statuses) => {
      const changed: string[] = [];
      for (const [key, wish] of statuses) if (!isSameWish(wanted.get(key), wish)) changed.push(key);
      wanted = statuses;
      decisions += 1;
      for (const key of leaving) if (wanted.has(key)) leaving.delete(key);
      return [...changed, ...noticeMissing()];
    },
    keys: () => new Set([...wanted.keys(), ...leaving]),
    pending: (key) => {
      if (isRight(key)) return undefined;
      const [found, wish] = [seen.get(key), wanted.get(key)];
      const of = wish ?? found;
      if (of === undefined) return undefined;
      const { namespace, name } = of;
      // One that has left is read: its labels decide.
      const known = wish !== undefined && found !== undefined ? { known: asObject(found) } : {};
      return { namespace, name, ...known, decide: (route) => decide(route, key) };
    },
  };
}

function asObject({ namespace, name, uid, resourceVersion, entries }: Seen): unknown {
  return { metadata: { namespace, name, uid, resourceVersion }, status: { ingress: entries } };
}
