import type { ServerChange } from './change.ts';
import { type Command, type Steps, stepsFor } from './commands.ts';
import { backendOf } from './description.ts';
import type { LeftOvers } from './left-overs.ts';
import type { Running } from './running.ts';
import { parseRunningServers, type RunningServers } from './running-servers.ts';

export type Ask = (running: Running, command: string) => Promise<string | undefined>;

export type ServerOutcome =
  | { readonly kind: 'changed'; readonly commands: number; readonly endsSessions: boolean }
  | { readonly kind: 'refused'; readonly reason: string };

/** A session that was shut down ends within moments, and only then its server can be deleted. */
const ATTEMPTS = 6;

/**
 * Makes changes, for one request: looks at what runs, and gives the commands that are left to give. Each answer of HAProxy counts. A backend
 * is looked at once: a change touches no other server, and hundreds may come at once.
 */
export function createServerChanges(
  ask: Ask,
  leftOvers: LeftOvers,
): (running: Running) => (change: ServerChange) => Promise<ServerOutcome> {
  return (running) => {
    const known = new Map<string, Promise<RunningServers | undefined>>();
    const lookOnce = (backend: string): Promise<RunningServers | undefined> => {
      const found = known.get(backend) ?? look(ask, running, backend);
      known.set(backend, found);
      return found;
    };
    return createServerChange(ask, leftOvers, running, lookOnce, () => known.clear());
  };
}

function createServerChange(
  ask: Ask,
  leftOvers: LeftOvers,
  running: Running,
  lookOnce: (backend: string) => Promise<RunningServers | undefined>,
  lookAgain: () => void,
): (change: ServerChange) => Promise<ServerOutcome> {
  const stepsNow = async (change: ServerChange): Promise<Steps | undefined> => {
    const seen = await lookOnce(backendOf(change.server));
    return seen && stepsFor(change, seen, leftOvers.of(running));
  };
  const stepsOnceDeleted = async (change: ServerChange): Promise<Steps | undefined> => {
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      if (change.wanted === null || !leftOvers.of(running).has(change.server)) break;
      const hasAdvanced = await leftOvers.advance(running, (server) => server === change.server);
      // Others may have been deleted as well.
      lookAgain();
      if (!hasAdvanced) break;
    }
    return await stepsNow(change);
  };
  /** A server that may finish its work is there still, and needs only to be told of its place. */
  const takenBack = (change: ServerChange): ServerChange => {
    const options = leftOvers.optionsOf(running, change.server);
    if (options === undefined || !isAsBefore(change.wanted, options)) return change;
    leftOvers.forget(running, change.server);
    return { ...change, mayFinish: { options } };
  };
  return async (asked) => {
    const change = takenBack(asked);
    const { server, wanted, mayFinish } = change;
    const steps = await stepsOnceDeleted(change);
    if (steps === undefined) return refused(`HAProxy does not say which servers "${backendOf(server)}" has`);
    const trouble = await tellAll(ask, running, steps.commands);
    if (trouble !== undefined) return refused(trouble);
    if (wanted !== null) leftOvers.forget(running, server);
    else if (steps.commands.length > 0) leftOvers.add(running, server, mayFinish?.options);
    return { kind: 'changed', commands: steps.commands.length, endsSessions: steps.endSessions };
  };
}

/** Whether a server with these options is the one that is wanted again. */
function isAsBefore(wanted: ServerChange['wanted'], options: string): boolean {
  return wanted?.options === options;
}

/** The servers of this backend, for a router has ten thousand others; without a name, all. */
export async function look(
  ask: Ask,
  running: Running,
  backend?: string,
): Promise<RunningServers | undefined> {
  const command = backend === undefined ? 'show servers state' : `show servers state ${backend}`;
  return parseRunningServers((await ask(running, command)) ?? '');
}

/** Undefined where HAProxy has done it, else what it said. */
export async function tell(
  ask: Ask,
  running: Running,
  { text, done, instead }: Command,
): Promise<string | undefined> {
  const reply = (await ask(running, text))?.trim();
  if (reply !== undefined && instead?.answer.test(reply))
    return await tellAll(ask, running, instead.commands);
  if (reply !== undefined && done.test(reply)) return undefined;
  // The lines after the first one are a file's: a private key, or megabytes.
  const [command = ''] = text.split('\n', 1);
  return `"${command}" was answered with ${reply === undefined ? 'nothing' : JSON.stringify(reply.slice(0, 200))}`;
}

/** Stops at the first that HAProxy refuses, and resolves with what it said. */
export async function tellAll(
  ask: Ask,
  running: Running,
  commands: readonly Command[],
): Promise<string | undefined> {
  for (const command of commands) {
    const trouble = await tell(ask, running, command);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

function refused(reason: string): ServerOutcome {
  return { kind: 'refused', reason };
}
