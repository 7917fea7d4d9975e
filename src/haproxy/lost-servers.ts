import { probeTcp } from '../engine/system/network/probe-tcp.ts';
import { clientSessions, type Session } from './parse-replies.ts';
import { backendOf } from './runtime/describe-configuration.ts';
import type { Running } from './runtime/line.ts';
import { downServers, type Place, serverPlaces } from './text/servers-state.ts';

type AskAll = (running: Running, commands: readonly string[]) => Promise<string | undefined>;
type EndSome = (
  running: Running,
  choose: (sessions: readonly Session[]) => readonly Session[],
) => Promise<number>;

/** Rounds without an answer before a server is lost. A network may be down for a moment. */
const SILENT_ROUNDS = 3;
/** Servers to probe per round. */
const MOST_PROBED = 64;
/** Backends per request. */
const BATCH = 50;

/** A server with its address in one generation, if that is known. */
interface Placed {
  readonly server: string;
  readonly place: Place | undefined;
}

function keyOf(server: string, place: Place | undefined): string {
  return `${server} ${place?.host}:${place?.port}`;
}

/**
 * Returns a function that ends the sessions of draining generations with dead servers: servers that are down in the serving generation, and servers
 * that it does not have, or not at that address, and whose machine is silent. A server that refuses connections is alive and may be finishing its
 * requests. Only backends with draining sessions are polled.
 */
export function createLostServers(
  askAll: AskAll,
  endSome: EndSome,
  probe: typeof probeTcp = probeTcp,
): (
  serving: Running,
  draining: readonly Running[],
) => Promise<readonly { readonly generation: number; readonly ended: number }[]> {
  let silences: ReadonlyMap<string, number> = new Map();
  /** The round in which each server was last probed. */
  let probedIn: Map<string, number> = new Map();
  let round = 0;
  const statesOf = async (running: Running, servers: ReadonlySet<string>): Promise<string> => {
    const names = [...new Set([...servers].map(backendOf))];
    const answers: string[] = [];
    for (let at = 0; at < names.length; at += BATCH) {
      const commands = names.slice(at, at + BATCH).map((name) => `show servers state ${name}`);
      answers.push((await askAll(running, commands)) ?? '');
    }
    return answers.join('');
  };
  const usedIn = async (running: Running): Promise<ReadonlySet<string>> => {
    const sessions = clientSessions((await askAll(running, ['show sess'])) ?? '');
    return new Set(
      sessions.map(({ server }) => server).filter((server) => /^[\w.:-]+\/[\w.:-]+$/.test(server)),
    );
  };
  /** The keys of the servers that have been silent for long enough. */
  const silentOf = async (places: ReadonlyMap<string, Place>): Promise<ReadonlySet<string>> => {
    // First the servers that were silent, then those not probed for longest.
    const rank = ([server]: readonly [string, unknown]): number =>
      silences.has(server) ? -1 : (probedIn.get(server) ?? 0);
    const probed = [...places].sort((one, other) => rank(one) - rank(other)).slice(0, MOST_PROBED);
    round += 1;
    probedIn = new Map([...places.keys()].map((server) => [server, probedIn.get(server) ?? 0]));
    for (const [server] of probed) probedIn.set(server, round);
    const probes = await Promise.all(
      probed.map(async ([server, place]) => {
        const isSilent = (await probe(place, 'connect')) === 'silent';
        return [server, isSilent ? (silences.get(server) ?? 0) + 1 : 0] as const;
      }),
    );
    silences = new Map(probes.filter(([, rounds]) => rounds > 0));
    return new Set(probes.filter(([, rounds]) => rounds >= SILENT_ROUNDS).map(([server]) => server));
  };
  return async (serving, draining) => {
    const uses = await Promise.all(
      draining.map(async (running) => ({ running, servers: await usedIn(running) })),
    );
    const used = new Set(uses.flatMap(({ servers }) => [...servers]));
    if (used.size === 0) return [];
    const now = await statesOf(serving, used);
    const [present, down] = [serverPlaces(now), downServers(now)];
    const placed = await Promise.all(
      uses.map(async ({ running, servers }) => {
        const places = serverPlaces(await statesOf(running, servers));
        return { running, servers: [...servers].map((server) => ({ server, place: places.get(server) })) };
      }),
    );
    // A name may belong to another pod by now.
    const isSamePod = ({ server, place }: Placed): boolean =>
      place === undefined || keyOf(server, place) === keyOf(server, present.get(server));
    const removed = placed.flatMap(({ servers }) => servers.filter((each) => !isSamePod(each)));
    const silent = await silentOf(
      new Map(removed.flatMap(({ server, place }) => (place ? [[keyOf(server, place), place]] : []))),
    );
    const isLost = (each: Placed): boolean =>
      isSamePod(each) ? down.has(each.server) : silent.has(keyOf(each.server, each.place));
    const lost = placed.map(({ running, servers }) => ({
      running,
      names: new Set(servers.filter(isLost).map(({ server }) => server)),
    }));
    return await Promise.all(
      lost
        .filter(({ names }) => names.size > 0)
        .map(async ({ running, names }) => ({
          generation: running.generation,
          ended: await endSome(running, (sessions) => sessions.filter(({ server }) => names.has(server))),
        })),
    );
  };
}
