import type { RunningServers } from '../text/servers-state.ts';
import type { ServerChange } from './change.ts';
import { type Ask, askServers } from './change-server.ts';
import { stepsFor } from './commands.ts';
import { backendOf, type Description } from './description.ts';
import type { LeftOvers } from './left-overs.ts';
import { changeTo, wantedServers } from './plan.ts';
import type { Running } from './running.ts';

/**
 * Deletes removed servers that are due, and resolves with the servers that differ from `wanted`; none without it. Undefined if HAProxy
 * does not answer. A disabled server that is not in `wanted` was removed by an earlier supervisor, which ended before it deleted it:
 * this one deletes it.
 */
export function createDrift(
  ask: Ask,
  leftOvers: LeftOvers,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): (running: Running, wanted: Description | undefined) => Promise<readonly ServerChange[] | undefined> {
  return async (running, wanted) => {
    await inTurn(() => leftOvers.advance(running, () => false));
    if (wanted === undefined) return [];
    // One after the other: a server that is just being added is disabled as well.
    return await inTurn(async () => {
      const servers = await askServers(ask, running);
      if (servers === undefined) return undefined;
      for (const [server, { isOut, forMs }] of strangersIn(wanted, servers, leftOvers.of(running)))
        if (isOut) leftOvers.adopt(running, server, forMs);
      return driftOf(wanted, servers, leftOvers.of(running));
    });
  };
}

/**
 * Servers that were changed, added or disabled by hand. Servers that are down, or set aside until their next good check, are as they should
 * be. `leftOver` were removed, and wait to be deleted.
 */
function driftOf(
  wanted: Description,
  running: RunningServers,
  leftOver: ReadonlySet<string>,
): readonly ServerChange[] {
  const described = wantedServers(wanted);
  const changed = [...described]
    .map(changeTo)
    .filter((change) => stepsFor(change, running, leftOver).commands.length > 0);
  const strangers = [...strangersIn(wanted, running, leftOver)].filter(([, { isOut }]) => !isOut);
  return [...changed, ...strangers.map(([server]) => changeTo([server, null]))];
}

/** Running servers that are neither described nor removed. */
function strangersIn(
  wanted: Description,
  running: RunningServers,
  leftOver: ReadonlySet<string>,
): RunningServers {
  const isKnown = (server: string): boolean => wanted.servers.has(server) || leftOver.has(server);
  return new Map([...running].filter(([server]) => isClosed(backendOf(server), wanted) && !isKnown(server)));
}

/** Whether every server of the backend is described. */
function isClosed(backend: string, { sections, openBackends }: Description): boolean {
  return (
    !openBackends.has(backend) && ['backend', 'listen'].some((kind) => sections.has(`${kind} ${backend}`))
  );
}
