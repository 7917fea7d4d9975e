import type { AddressFamily } from '../../system/network/node-address.ts';
import { type ApiServer, endpointOf, sortServers } from '../api-server.ts';
import { type AddressPreference, chooseAddress, familiesOf } from './choose-address.ts';
import { safeServerName, withHash } from './server-name.ts';

/** Unvalidated information of a source about one API server. */
export interface ServerCandidate {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly drained?: true;
}

export interface SkippedServer {
  readonly name: string;
  readonly reason: string;
}

export interface ServerChoice {
  /** Sorted, with unique names and unique address:port pairs. */
  readonly servers: readonly ApiServer[];
  readonly skipped: readonly SkippedServer[];
}

/**
 * The server list for a set of candidates in any order. Of two with the same address and port, the one whose name sorts first wins. Of two with the
 * same name, the one whose address sorts first keeps it, and the other gets a hash of its address appended.
 */
export function chooseServers(
  candidates: readonly ServerCandidate[],
  preference: AddressPreference,
  families: readonly AddressFamily[] = familiesOf(preference.vips),
): ServerChoice {
  const skipped: SkippedServer[] = [];
  const chosen: ApiServer[] = [];
  for (const candidate of candidates) {
    const result = chooseServer(candidate, preference, families);
    if (typeof result === 'string') skipped.push({ name: shownName(candidate.name), reason: result });
    else chosen.push(result);
  }
  const unique = keepOnePerEndpoint(sortServers(chosen), skipped);
  return {
    servers: sortServers(giveUniqueNames(unique)),
    skipped: skipped.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** A server, or the reason why the candidate is unusable. */
function chooseServer(
  candidate: ServerCandidate,
  preference: AddressPreference,
  families: readonly AddressFamily[],
): ApiServer | string {
  const name = safeServerName(candidate.name);
  if (name === undefined) return 'it has an empty name';
  const { port, drained } = candidate;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return `its port is ${port}, expected 1 to 65535`;
  const choice = chooseAddress(candidate.addresses, preference, families);
  if (choice.kind !== 'chosen') return choice.reason;
  return { name, address: choice.address, port, ...(drained && { drained }) };
}

function keepOnePerEndpoint(sorted: readonly ApiServer[], skipped: SkippedServer[]): readonly ApiServer[] {
  const owners = new Map<string, ApiServer>();
  for (const server of sorted) {
    const key = endpointOf(server);
    const owner = owners.get(key);
    if (owner === undefined) owners.set(key, server);
    else skipped.push({ name: server.name, reason: `"${owner.name}" already has ${key}` });
  }
  return [...owners.values()];
}

function giveUniqueNames(sorted: readonly ApiServer[]): readonly ApiServer[] {
  const reserved = new Set(sorted.map((server) => server.name));
  const used = new Set<string>();
  return sorted.map((server) => {
    let name = server.name;
    for (let attempt = 0; used.has(name) || (attempt > 0 && reserved.has(name)); attempt += 1)
      name = withHash(server.name, `${endpointOf(server)} ${attempt}`);
    used.add(name);
    return { ...server, name };
  });
}

/** Hostile names reach the log through the list of skipped nodes, so they are escaped too. */
function shownName(name: string): string {
  return safeServerName(name) ?? '(empty)';
}
