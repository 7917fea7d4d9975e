import * as z from 'zod/mini';
import { type Spread, spreadOf } from '../reload/figures.ts';
import { inWorld } from './in-world.ts';

const times = z.array(z.number());
/** Times of changes, and the reloads meanwhile. */
const changes = z.object({ times, reloads: z.number() });
const lost = { asked: z.number(), lost: z.number() };
const worldSchema = z.object({
  hawser: z.object({
    /** From the start to the first answer. */
    startMs: z.number(),
    createdMs: times,
    /** Status codes from a new route's host before its first 200. */
    seenBefore: times,
    endpoint: changes,
    withoutCookie: changes,
    meanwhile: changes,
    certificate: changes,
    hourReloads: z.number(),
    loaded: z.nullable(z.object({ reloads: z.number(), ...lost, withoutReloads: z.object(lost) })),
    burstReloads: z.number(),
    haproxyKb: z.number(),
    routerKb: z.number(),
    supervisorKb: z.number(),
  }),
  upstream: z.object({ createdMs: times, haproxyKb: z.number() }),
});

export interface Change {
  readonly ms: Spread | null;
  readonly reloads: number;
}

/** The cost of routes in a running router, compared with the upstream router. Times in milliseconds. */
export interface LiveFigures {
  readonly routes: number;
  /** Used to look up a size. */
  readonly name: string;
  readonly createdMs: Spread | null;
  readonly upstreamCreatedMs: Spread | null;
  /** Whether only 404 and 503 came before the first 200. */
  readonly isCleanBefore: boolean;
  readonly endpoint: Change;
  /** For a route without a session cookie. */
  readonly withoutCookie: Change;
  /** An endpoint that moves while the file of another change is being checked. */
  readonly meanwhile: Change;
  readonly certificate: Change;
  readonly hourReloads: number;
  readonly loaded: z.infer<typeof worldSchema>['hawser']['loaded'];
  readonly burstReloads: number;
  readonly startMs: number;
  readonly haproxyKb: number;
  readonly routerKb: number;
  readonly supervisorKb: number;
}

/** `reloads`: how many under load; 0 for none. */
export async function liveCost(routes: number, rounds: number, reloads: number): Promise<LiveFigures> {
  const { hawser, upstream } = worldSchema.parse(await inWorld('live-world.ts', [routes, rounds, reloads]));
  return {
    ...hawser,
    routes,
    name: `${routes} routes`,
    isCleanBefore: hawser.seenBefore.every((status) => status === 404 || status === 503),
    createdMs: spreadOf(hawser.createdMs),
    upstreamCreatedMs: spreadOf(upstream.createdMs),
    endpoint: changeOf(hawser.endpoint),
    withoutCookie: changeOf(hawser.withoutCookie),
    meanwhile: changeOf(hawser.meanwhile),
    certificate: changeOf(hawser.certificate),
  };
}

/** The cost of renewing one of this many certificates. */
export async function renewalCost(certificates: number, rounds: number): Promise<Change> {
  return changeOf(changes.parse(await inWorld('certificate-world.ts', [certificates, rounds])));
}

function changeOf({ times: each, reloads }: z.infer<typeof changes>): Change {
  return { ms: spreadOf(each), reloads };
}
