import type { ServerChange } from './change.ts';
import { type Ask, batchesOf, look } from './change-server.ts';
import { backendOf, type Description } from './description.ts';
import { driftOf, strangersIn } from './drift.ts';
import type { LeftOvers } from './left-overs.ts';
import type { Running } from './running.ts';
import { parseServerStates, type RunningServers } from './running-servers.ts';

interface Line {
  readonly ask: Ask;
  readonly askAll: (running: Running, commands: readonly string[]) => Promise<string | undefined>;
}

/** Answers of so many backends are some ten kilobytes, which HAProxy gives between two requests of its clients. */
const BATCH = 50;

/**
 * What of the description does not run; with names, in these backends. A server that
 * is out of use and not described was removed by an earlier supervisor, which did not live to delete it: it is on its way from here on. Undefined where
 * HAProxy does not say.
 */
export function createServerDrift(
  { ask, askAll }: Line,
  leftOvers: LeftOvers,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): (
  running: Running,
  wanted: Description,
  backends?: readonly string[],
) => Promise<readonly ServerChange[] | undefined> {
  const lookAt = async (
    running: Running,
    backends: readonly string[] | undefined,
  ): Promise<RunningServers | undefined> => {
    if (backends === undefined) return await look(ask, running);
    const commands = backends.map((name) => `show servers state ${name}`);
    const answers = await askAll(running, commands);
    return answers === undefined ? undefined : parseServerStates(answers, backends.length);
  };
  const driftIn = async (running: Running, wanted: Description, backends: readonly string[] | undefined) => {
    const seen = await lookAt(running, backends);
    if (seen === undefined) return undefined;
    for (const [server, { isOut, forMs }] of strangersIn(wanted, seen, leftOvers.of(running)))
      if (isOut) leftOvers.adopt(running, server, forMs);
    return driftOf(wanted, seen, leftOvers.of(running));
  };
  return async (running, wanted, backends) => {
    await inTurn(() => leftOvers.advance(running, () => false));
    const found: ServerChange[] = [];
    for (const batch of backends === undefined ? [undefined] : batchesOf(backends, BATCH)) {
      const part = batch === undefined ? wanted : onlyIn(wanted, new Set(batch));
      // In turn, since a server that is just being added is out of use as well.
      const changes = await inTurn(() => driftIn(running, part, batch));
      if (changes === undefined) return undefined;
      found.push(...changes);
    }
    return found;
  };
}

function onlyIn(wanted: Description, backends: ReadonlySet<string>): Description {
  const servers = [...wanted.servers].filter(([server]) => backends.has(backendOf(server)));
  return { ...wanted, servers: new Map(servers) };
}
