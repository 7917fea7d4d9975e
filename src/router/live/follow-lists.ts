import { createHash } from 'node:crypto';
import type { SetFile } from '../../engine/apply/file-set.ts';
import type { Log } from '../../engine/system/log.ts';
import { isoTime } from '../../engine/system/time/iso-time.ts';
import { type RetryLimits, scatteredPauseMs } from '../../engine/system/time/retry.ts';
import { createWake } from '../../engine/system/time/wake.ts';
import {
  type ListReading,
  type RevocationList,
  readRevocationList,
} from '../../haproxy/certificates/revocation-list.ts';
import { type ListAuthority, listAuthorities, listsFile, listsIn } from '../configuration/fetched-lists.ts';
import type { Fetched } from './fetch-list.ts';

/** A list is asked for again after half of the time that it has left, within these bounds. */
const SOONEST_MS = 60_000;
const LATEST_MS = 3_600_000;
const RETRY: RetryLimits = { firstMs: 5_000, longestMs: 300_000 };
/** At a start, so long the first configuration waits for the first lists: without them all clients with a certificate would be refused. */
const FIRST_WAIT_MS = 10_000;

export interface FollowedLists {
  /** The file with the lists of these CAs (PEM), as they are now: HAProxy refuses clients of a CA without a list. Throws what `listAuthorities` throws. */
  readonly fileFor: (authorities: string) => Promise<SetFile>;
  /** For each CA whose clients are refused: why its list is missing, or has expired. */
  readonly problems: () => readonly string[];
  /** Whether each list that can be fetched has been asked for. */
  readonly areTried: () => boolean;
  /** Resolves once the signal has aborted. */
  readonly ended: Promise<void>;
}

export interface ListWorld {
  /** The file of lists that is served, empty where there is none: a router that starts anew goes on with them. */
  readonly served: () => Promise<string>;
  readonly fetch: (
    places: readonly string[],
    read: (bytes: Buffer) => ListReading,
    signal: AbortSignal,
  ) => Promise<Fetched>;
  readonly log: Log;
  /** Another file is to be served. */
  readonly changed: () => void;
  /** Milliseconds of the monotonic clock. */
  readonly nowMs: () => number;
  /** Milliseconds of the Unix epoch. */
  readonly wallMs: () => number;
}

interface Followed {
  authority: ListAuthority;
  list: RevocationList | undefined;
  /** Of the bytes that `list` was read from. */
  sha256: string;
  failures: number;
  problem: string | undefined;
  isTried: boolean;
  asking: Promise<void> | undefined;
  dueMs: number;
}

/** Fetches the lists of revoked certificates that CAs name, and keeps each fresh. What cannot be fetched is told, and the last good one stays. */
export function followLists(world: ListWorld, signal: AbortSignal): FollowedLists {
  const wake = createWake();
  /** Of CAs that have gone too: one that comes back goes on with its newest list. */
  const known = new Map<string, Followed>();
  let current: readonly Followed[] = [];
  let authoritiesRead: string | undefined;
  let made: ReturnType<typeof listsFile> | undefined;
  let served: Promise<ReadonlyMap<string, string>> | undefined = world.served().then(listsIn);

  const begin = (authority: ListAuthority, pem: string | undefined): Followed => {
    const reading = pem === undefined ? undefined : readRevocationList(Buffer.from(pem), authority.issuer);
    return {
      ...{ authority, list: reading?.kind === 'list' ? reading.list : undefined, sha256: '' },
      ...{ failures: 0, problem: undefined, isTried: authority.places.length === 0 },
      ...{ asking: undefined, dueMs: Number.NEGATIVE_INFINITY },
    };
  };
  const see = async (pem: string): Promise<void> => {
    const before = await served;
    if (authoritiesRead === pem) return;
    const authorities = listAuthorities(pem);
    for (const authority of authorities) {
      const followed = known.get(authority.id) ?? begin(authority, before?.get(authority.id));
      known.set(authority.id, Object.assign(followed, { authority }));
      if (authority.places.length === 0)
        world.log({ event: 'revocations-unusable', level: 'error', message: nowhere(authority) });
    }
    current = authorities.flatMap(({ id }) => known.get(id) ?? []);
    [authoritiesRead, made, served] = [pem, undefined, undefined];
    wake.poke();
  };
  const read = (each: Followed, bytes: Buffer): ListReading => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const reading =
      each.list !== undefined && each.sha256 === sha256
        ? ({ kind: 'list', list: each.list } as const)
        : readRevocationList(bytes, each.authority.issuer);
    const message = reading.kind === 'list' ? refusalOf(reading.list, each.list, world.wallMs()) : undefined;
    if (message !== undefined) return { kind: 'wrong', message };
    if (reading.kind === 'list') each.sha256 = sha256;
    return reading;
  };
  const failed = (each: Followed, message: string): void => {
    each.failures += 1;
    each.dueMs = world.nowMs() + scatteredPauseMs(each.failures, RETRY);
    if (each.problem !== message) world.log({ event: 'revocations-unusable', level: 'error', message });
    each.problem = message;
  };
  const fetched = (each: Followed, url: string, list: RevocationList): void => {
    const hasChanged = list.pem !== each.list?.pem;
    if (hasChanged || each.problem !== undefined)
      world.log({ event: 'revocations-fetched', url, validTo: isoTime(list.validToMs) });
    Object.assign(each, { list, failures: 0, problem: undefined });
    each.dueMs = world.nowMs() + nextInMs(list, world.wallMs());
    if (!hasChanged) return;
    made = undefined;
    world.changed();
  };
  const ask = async (each: Followed): Promise<void> => {
    const outcome = await world.fetch(each.authority.places, (bytes) => read(each, bytes), signal);
    if (signal.aborted) return;
    each.isTried = true;
    if (outcome.kind === 'failed') failed(each, outcome.message);
    else fetched(each, outcome.url, outcome.list);
  };
  const askDue = (): void => {
    for (const each of current) {
      if (each.asking !== undefined || each.authority.places.length === 0 || each.dueMs > world.nowMs())
        continue;
      each.asking = ask(each).finally(() => {
        each.asking = undefined;
        wake.poke();
      });
    }
  };
  const firstTries = async (): Promise<void> => {
    askDue();
    const late = new AbortController();
    const all = Promise.all(current.map(({ asking }) => asking)).finally(() => late.abort());
    await Promise.race([all, createWake().sleep(FIRST_WAIT_MS, AbortSignal.any([signal, late.signal]))]);
  };
  const make = (): ReturnType<typeof listsFile> => {
    const files = listsFile(
      new Map(current.flatMap(({ authority, list }) => (list ? [[authority.id, list.pem]] : []))),
    );
    for (const { authority } of current)
      if (files.left.has(authority.id))
        world.log({ event: 'revocations-unusable', level: 'error', message: tooLong(authority) });
    return files;
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      askDue();
      const due = current.flatMap(({ asking, authority, dueMs }) =>
        asking === undefined && authority.places.length > 0 ? dueMs - world.nowMs() : [],
      );
      await wake.sleep(Math.max(0, Math.min(LATEST_MS, ...due)), signal);
    }
    await Promise.all([...known.values()].map(({ asking }) => asking));
  };
  return {
    fileFor: async (pem) => {
      const isFirst = authoritiesRead === undefined;
      await see(pem);
      if (isFirst) await firstTries();
      made ??= make();
      return made.file;
    },
    problems: () =>
      current.flatMap((each) => problemOf(each, world.wallMs(), made?.left.has(each.authority.id)) ?? []),
    areTried: () => authoritiesRead !== undefined && current.every(({ isTried }) => isTried),
    ended: follow(),
  };
}

/** Why a list that its authority has signed is not taken. An older one, from a cache or an attacker, would admit clients that the newer one refuses. */
function refusalOf(
  { issuedMs, validToMs }: RevocationList,
  last: RevocationList | undefined,
  wallMs: number,
): string | undefined {
  // OpenSSL would refuse all clients until then.
  if (issuedMs > wallMs) return `it is dated ${isoTime(issuedMs)}, which is in the future`;
  if (last !== undefined && issuedMs < last.issuedMs)
    return `it is dated ${isoTime(issuedMs)}, which is before the last one`;
  return validToMs <= wallMs ? `it expired at ${isoTime(validToMs)}` : undefined;
}

function nextInMs({ validToMs }: RevocationList, wallMs: number): number {
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, (validToMs - wallMs) / 2));
}

const tooLong = ({ name }: ListAuthority): string => `the list of ${name} is too long beside the others`;

const nowhere = ({ name }: ListAuthority): string =>
  `no certificate of the CAs names where the list of ${name} is`;

function problemOf(
  { authority, list, problem }: Followed,
  wallMs: number,
  isLeft: boolean | undefined,
): string | undefined {
  const { name, places } = authority;
  if (isLeft === true) return tooLong(authority);
  if (list === undefined && places.length === 0) return nowhere(authority);
  if (list === undefined) return problem ?? `the list of ${name} is being asked for`;
  if (list.validToMs > wallMs) return undefined;
  const expired = `the list of ${name} expired at ${isoTime(list.validToMs)}`;
  return problem === undefined ? expired : `${expired}: ${problem}`;
}
