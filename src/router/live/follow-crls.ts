import { createHash } from 'node:crypto';
import type { SetFile } from '../../engine/apply/file-set.ts';
import type { Log } from '../../engine/system/log.ts';
import { isoTime } from '../../engine/system/time/iso-time.ts';
import { type RetryLimits, scatteredPauseMs } from '../../engine/system/time/retry.ts';
import { createWake } from '../../engine/system/time/wake.ts';
import { type Crl, type CrlReading, readCrl } from '../../haproxy/certificates/crl.ts';
import { type CrlAuthority, crlAuthorities, crlFile, crlsIn } from '../configuration/fetched-crls.ts';
import type { Fetched } from './fetch-crl.ts';

/** A CRL is asked for again after half of the time that it has left, within these bounds. */
const SOONEST_MS = 60_000;
const LATEST_MS = 3_600_000;
const RETRY: RetryLimits = { firstMs: 5_000, longestMs: 300_000 };
/** At a start, so long the first configuration waits for the first CRLs: without them all clients with a certificate would be refused. */
const FIRST_WAIT_MS = 10_000;

export interface FollowedCrls {
  /** The file with the CRLs of these CAs (PEM), as they are now: HAProxy refuses clients of a CA without a CRL. Throws what `crlAuthorities` throws. */
  readonly fileFor: (authorities: string) => Promise<SetFile>;
  /** For each CA whose clients are refused: why its CRL is missing, or has expired. */
  readonly problems: () => readonly string[];
  /** Whether each CRL that can be fetched has been asked for. */
  readonly areTried: () => boolean;
  /** Resolves once the signal has aborted. */
  readonly ended: Promise<void>;
}

export interface CrlWorld {
  /** The file of CRLs that is served, empty where there is none: a router that starts anew goes on with them. */
  readonly served: () => Promise<string>;
  readonly fetch: (
    places: readonly string[],
    read: (bytes: Buffer) => CrlReading,
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
  authority: CrlAuthority;
  crl: Crl | undefined;
  /** Of the bytes that `crl` was read from. */
  sha256: string;
  failures: number;
  problem: string | undefined;
  isTried: boolean;
  asking: Promise<void> | undefined;
  dueMs: number;
}

/** Fetches the CRLs that CAs name, and keeps each fresh. What cannot be fetched is told, and the last good one stays. */
export function followCrls(world: CrlWorld, signal: AbortSignal): FollowedCrls {
  const wake = createWake();
  /** Of CAs that have gone too: one that comes back goes on with its newest CRL. */
  const known = new Map<string, Followed>();
  let current: readonly Followed[] = [];
  let authoritiesRead: string | undefined;
  let made: ReturnType<typeof crlFile> | undefined;
  let served: Promise<ReadonlyMap<string, string>> | undefined = world.served().then(crlsIn);

  const begin = (authority: CrlAuthority, pem: string | undefined): Followed => {
    const reading = pem === undefined ? undefined : readCrl(Buffer.from(pem), authority.issuer);
    return {
      ...{ authority, crl: reading?.kind === 'crl' ? reading.crl : undefined, sha256: '' },
      ...{ failures: 0, problem: undefined, isTried: authority.places.length === 0 },
      ...{ asking: undefined, dueMs: Number.NEGATIVE_INFINITY },
    };
  };
  const see = async (pem: string): Promise<void> => {
    const before = await served;
    if (authoritiesRead === pem) return;
    const authorities = crlAuthorities(pem);
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
  const read = (each: Followed, bytes: Buffer): CrlReading => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const reading =
      each.crl !== undefined && each.sha256 === sha256
        ? ({ kind: 'crl', crl: each.crl } as const)
        : readCrl(bytes, each.authority.issuer);
    const message = reading.kind === 'crl' ? refusalOf(reading.crl, each.crl, world.wallMs()) : undefined;
    if (message !== undefined) return { kind: 'wrong', message };
    if (reading.kind === 'crl') each.sha256 = sha256;
    return reading;
  };
  const failed = (each: Followed, message: string): void => {
    each.failures += 1;
    each.dueMs = world.nowMs() + scatteredPauseMs(each.failures, RETRY);
    if (each.problem !== message) world.log({ event: 'revocations-unusable', level: 'error', message });
    each.problem = message;
  };
  const fetched = (each: Followed, url: string, crl: Crl): void => {
    const hasChanged = crl.pem !== each.crl?.pem;
    if (hasChanged || each.problem !== undefined)
      world.log({ event: 'revocations-fetched', url, validTo: isoTime(crl.validToMs) });
    Object.assign(each, { crl, failures: 0, problem: undefined });
    each.dueMs = world.nowMs() + nextInMs(crl, world.wallMs());
    if (!hasChanged) return;
    made = undefined;
    world.changed();
  };
  const ask = async (each: Followed): Promise<void> => {
    const outcome = await world.fetch(each.authority.places, (bytes) => read(each, bytes), signal);
    if (signal.aborted) return;
    each.isTried = true;
    if (outcome.kind === 'failed') failed(each, outcome.message);
    else fetched(each, outcome.url, outcome.crl);
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
  const make = (): ReturnType<typeof crlFile> => {
    const files = crlFile(
      new Map(current.flatMap(({ authority, crl }) => (crl ? [[authority.id, crl.pem]] : []))),
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

/** Why a CRL that its authority has signed is not taken. An older one, from a cache or an attacker, would admit clients that the newer one refuses. */
function refusalOf({ issuedMs, validToMs }: Crl, last: Crl | undefined, wallMs: number): string | undefined {
  // OpenSSL would refuse all clients until then.
  if (issuedMs > wallMs) return `it is dated ${isoTime(issuedMs)}, which is in the future`;
  if (last !== undefined && issuedMs < last.issuedMs)
    return `it is dated ${isoTime(issuedMs)}, which is before the last one`;
  return validToMs <= wallMs ? `it expired at ${isoTime(validToMs)}` : undefined;
}

function nextInMs({ validToMs }: Crl, wallMs: number): number {
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, (validToMs - wallMs) / 2));
}

const tooLong = ({ name }: CrlAuthority): string => `the CRL of ${name} is too long beside the others`;

const nowhere = ({ name }: CrlAuthority): string =>
  `no certificate of the CAs names where the CRL of ${name} is`;

function problemOf(
  { authority, crl, problem }: Followed,
  wallMs: number,
  isLeft: boolean | undefined,
): string | undefined {
  const { name, places } = authority;
  if (isLeft === true) return tooLong(authority);
  if (crl === undefined && places.length === 0) return nowhere(authority);
  if (crl === undefined) return problem ?? `the CRL of ${name} is being asked for`;
  if (crl.validToMs > wallMs) return undefined;
  const expired = `the CRL of ${name} expired at ${isoTime(crl.validToMs)}`;
  return problem === undefined ? expired : `${expired}: ${problem}`;
}
