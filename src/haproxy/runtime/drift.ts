import type { ServerChange } from './change.ts';
import { stepsFor } from './commands.ts';
import { backendOf, type Description } from './description.ts';
import { changeTo, wantedServers } from './plan.ts';
import type { RunningServer, RunningServers } from './running-servers.ts';

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
  const changed = [...described].map(changeTo).filter((change) => {
    const steps = stepsFor(change, running, leftOver);
    return steps.kind !== 'commands' || steps.commands.length > 0;
  });
  const strangers = [...strangersIn(wanted, running, leftOver)].filter(([, { isOut }]) => !isOut);
  return [...changed, ...strangers.map(([server]) => changeTo([server, null]))];
}

/**
 * What runs, is not described, and was not removed either. One that is out of use beside spare ones is one of them: the checks of a
 * server that went wait for the next server, and must not be ended once they are its.
 */
export function strangersIn(
  wanted: Description,
  running: RunningServers,
  leftOver: ReadonlySet<string>,
): RunningServers {
  const tracked = new Set([...running.values()].map(({ tracks }) => tracks));
  const withSpares = new Set(
    [...wanted.servers].flatMap(([name, each]) => (each.isSpare ? backendOf(name) : [])),
  );
  const isKnown = ([server, { isOut }]: readonly [string, RunningServer]): boolean =>
    wanted.servers.has(server) ||
    leftOver.has(server) ||
    tracked.has(server) ||
    (isOut && withSpares.has(backendOf(server)));
  return new Map([...running].filter((each) => isClosed(backendOf(each[0]), wanted) && !isKnown(each)));
}

/** Whether every server of the backend is described. */
function isClosed(backend: string, { sections, openBackends }: Description): boolean {
  return (
    !openBackends.has(backend) && ['backend', 'listen'].some((kind) => sections.has(`${kind} ${backend}`))
  );
}
