import type { ServerChange } from './change.ts';
import { stepsFor } from './commands.ts';
import { backendOf, type Description } from './description.ts';
import { changeTo, wantedServers } from './plan.ts';
import type { RunningServers } from './running-servers.ts';

/**
 * What runs and is not described, or is described otherwise: a server that was changed, added or taken out of use by hand. Servers that
 * are down, or set aside until their next good check, are as they should be. `leftOver` were removed, and wait to be deleted.
 */
export function driftOf(
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

/** What runs, is not described, and was not removed either. */
export function strangersIn(
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
