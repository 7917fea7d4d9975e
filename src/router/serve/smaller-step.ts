import type { BackendServer, RouteBackend } from '../model.ts';
import { inTurns } from './in-turns.ts';
import { fixedPart } from './partly.ts';

/** Takes HAProxy a quarter of a second, which is how long a change of another namespace waits. */
const MOST_SERVERS = 100;

/** `server` is undefined if it goes. */
interface Difference {
  readonly backend: number;
  readonly name: string;
  readonly server: BackendServer | undefined;
}

/**
 * The served routes with the first changes of servers on the path to the wanted ones, round-robin by namespace. Undefined for at most `most`
 * changes, or if a route was added, removed or changed in more than its servers and its certificate.
 */
export function smallerStep(
  served: readonly RouteBackend[],
  wanted: readonly RouteBackend[],
  most = MOST_SERVERS,
): readonly RouteBackend[] | undefined {
  if (served.length !== wanted.length) return undefined;
  const differences: Difference[] = [];
  for (const [index, after] of wanted.entries()) {
    const before = served[index];
    if (before === after) continue;
    if (before?.name !== after.name || fixedPart(before) !== fixedPart(after)) return undefined;
    if (before.servers !== after.servers) differences.push(...differencesOf(index, before, after));
  }
  if (differences.length <= most) return undefined;
  const namespaceAt = ({ backend }: Difference): string => wanted[backend]?.key.split(':')[0] ?? '';
  const chosen = Map.groupBy(inTurns(differences, namespaceAt).slice(0, most), ({ backend }) => backend);
  return wanted.map((after, index) => {
    const before = served[index] ?? after;
    return before === after ? after : { ...after, servers: serversAfter(before, chosen.get(index) ?? []) };
  });
}

/** Servers that come or change before those that go: a backend is not to be empty in between. */
function differencesOf(backend: number, before: RouteBackend, after: RouteBackend): readonly Difference[] {
  const old = new Map(before.servers.map((server) => [server.name, JSON.stringify(server)]));
  const kept = new Set(after.servers.map(({ name }) => name));
  return [
    ...after.servers
      .filter((server) => old.get(server.name) !== JSON.stringify(server))
      .map((server) => ({ backend, name: server.name, server })),
    ...before.servers
      .filter(({ name }) => !kept.has(name))
      .map(({ name }) => ({ backend, name, server: undefined })),
  ];
}

function serversAfter(
  { servers }: RouteBackend,
  differences: readonly Difference[],
): readonly BackendServer[] {
  if (differences.length === 0) return servers;
  const next = new Map(servers.map((server) => [server.name, server]));
  for (const { name, server } of differences)
    if (server === undefined) next.delete(name);
    else next.set(name, server);
  return [...next.values()];
}
