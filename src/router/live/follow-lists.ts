import type { SetFile } from '../../engine/apply/file-set.ts';
import type { Log } from '../../engine/system/log.ts';
import { type RetryLimits, scatteredPauseMs } from '../../engine/system/time/retry.ts';
import { createWake } from '../../engine/system/time/wake.ts';
import { type RevocationList, readRevocationList } from '../../haproxy/certificates/revocation-list.ts';
import { keyOf, type ListPlaces, listsFile, listsIn, placesIn } from '../configuration/fetched-lists.ts';
import type { Fetched } from './fetch-list.ts';

/** A list is asked for again after half of the time that it has left, within these bounds. */
const SOONEST_MS = 60_000;
const LATEST_MS = 3_600_000;
const RETRY: RetryLimits = { firstMs: 5_000, longestMs: 300_000 };

export interface FollowedLists {
  /**
   * The file of the lists that these CAs name (PEM), as it is now: without the list of an authority, HAProxy refuses its clients. Throws where the
   * CAs name no place, or cannot be read.
   */
  readonly fileFor: (authorities: string) => Promise<SetFile>;
  /** Those that clients are refused for: why the list of an authority is missing or over. */
  readonly problems: () => readonly string[];
  /** Resolves once the signal has aborted. */
  readonly ended: Promise<void>;
}

export interface ListWorld {
  /** The file of lists that is served, empty where there is none: a router that starts anew goes on with them. */
  readonly served: () => Promise<string>;
  readonly fetch: (places: ListPlaces, signal: AbortSignal) => Promise<Fetched>;
  readonly log: Log;
  /** Another file is to be served. */
  readonly changed: () => void;
  /** Milliseconds of the monotonic clock. */
  readonly nowMs: () => number;
  /** Milliseconds of the Unix epoch. */
  readonly wallMs: () => number;
}

interface Followed {
  readonly places: ListPlaces;
  list: RevocationList | undefined;
  failures: number;
  problem: string | undefined;
  dueMs: number;
}

/** Fetches the lists of revoked certificates that CAs name, and keeps each fresh. What cannot be fetched is told, and the last good one stays. */
export function followLists(world: ListWorld, signal: AbortSignal): FollowedLists {
  const wake = createWake();
  const lastServed = world.served().then(listsIn, () => new Map<string, string>());
  let read: { readonly authorities: string; readonly followed: readonly Followed[] } | undefined;

  const begin = (places: ListPlaces, served: ReadonlyMap<string, string>): Followed => {
    const reading = readRevocationList(Buffer.from(served.get(keyOf(places)) ?? ''));
    const list = reading.kind === 'list' ? reading : undefined;
    return { places, list, failures: 0, problem: undefined, dueMs: Number.NEGATIVE_INFINITY };
  };
  const see = (authorities: string, served: ReadonlyMap<string, string>): readonly Followed[] => {
    if (read?.authorities === authorities) return read.followed;
    const before = new Map(read?.followed.map((each) => [keyOf(each.places), each]));
    const followed = placesIn(authorities).map(
      (places) => before.get(keyOf(places)) ?? begin(places, served),
    );
    read = { authorities, followed };
    wake.poke();
    return followed;
  };
  const refresh = async (each: Followed): Promise<void> => {
    const outcome = await world.fetch(each.places, signal);
    if (signal.aborted) return;
    if (outcome.kind === 'failed') {
      each.failures += 1;
      each.dueMs = world.nowMs() + scatteredPauseMs(each.failures, RETRY);
      if (each.problem !== outcome.message)
        world.log({ event: 'revocations-unusable', level: 'error', message: outcome.message });
      each.problem = outcome.message;
      return;
    }
    const { list, url } = outcome;
    // An older one, from a cache or somebody in between, would let in whom the newer one refuses.
    const isNews = each.list === undefined || list.issuedMs >= each.list.issuedMs;
    const hasChanged = isNews && list.pem !== each.list?.pem;
    if (hasChanged) each.list = list;
    if (hasChanged || each.problem !== undefined)
      world.log({ event: 'revocations-fetched', url, ...validity(each.list ?? list) });
    each.failures = 0;
    each.problem = undefined;
    each.dueMs = world.nowMs() + nextInMs(each.list ?? list, world.wallMs());
    if (hasChanged) world.changed();
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      const all = read?.followed ?? [];
      await Promise.all(all.filter(({ dueMs }) => dueMs <= world.nowMs()).map(refresh));
      const nextMs = Math.min(world.nowMs() + LATEST_MS, ...(read?.followed ?? []).map(({ dueMs }) => dueMs));
      await wake.sleep(Math.max(0, nextMs - world.nowMs()), signal);
    }
  };
  return {
    fileFor: async (authorities) => {
      const followed = see(authorities, await lastServed);
      const lists = followed.flatMap(({ places, list }) =>
        list ? [[keyOf(places), list.pem] as const] : [],
      );
      return listsFile(
        followed.map(({ places }) => places),
        new Map(lists),
      );
    },
    problems: () => (read?.followed ?? []).flatMap((each) => problemOf(each, world.wallMs()) ?? []),
    ended: follow(),
  };
}

function nextInMs({ validToMs }: RevocationList, wallMs: number): number {
  const halfLeftMs = validToMs === undefined ? LATEST_MS : (validToMs - wallMs) / 2;
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, halfLeftMs));
}

function validity({ validToMs }: RevocationList) {
  return validToMs === undefined ? {} : { validTo: new Date(validToMs).toISOString() };
}

function problemOf({ places, list, problem }: Followed, wallMs: number): string | undefined {
  if (list === undefined) return problem ?? `${keyOf(places)} is still being asked`;
  if (list.validToMs === undefined || list.validToMs > wallMs) return undefined;
  const over = `the list of ${keyOf(places)} ended at ${new Date(list.validToMs).toISOString()}`;
  return problem === undefined ? over : `${over}: ${problem}`;
}
