import type { ServerChange } from './change.ts';
import { type Command, type Steps, stepsFor } from './commands.ts';
import { backendOf } from './description.ts';
import type { LeftOvers } from './left-overs.ts';
import type { Running } from './running.ts';
import { parseRunningServers, type RunningServers } from './running-servers.ts';

export type Ask = (running: Running, command: string) => Promise<string | undefined>;

export type ServerOutcome =
  | { readonly kind: 'changed'; readonly commands: number; readonly endsSessions: boolean }
  | Extract<Steps, { kind: 'no-spare' }>
  | { readonly kind: 'refused'; readonly reason: string };

/** A session that was shut down ends within moments, and only then its server can be deleted. */
const ATTEMPTS = 6;

/**
 * Makes changes, for one request: looks at what runs, and gives the commands that are left to give. Each answer of HAProxy counts. A backend
 * is looked at once, unless its servers share the spare ones: a change touches no other server, and hundreds may come at once.
 */
export function createServerChanges(
  ask: Ask,
  leftOvers: LeftOvers,
): (running: Running) => (change: ServerChange) => Promise<ServerOutcome> {
  return (running) => {
    const known = new Map<string, Promise<RunningServers | undefined>>();
    return createServerChange(ask, leftOvers, running, (backend) => {
      const found = known.get(backend) ?? look(ask, running, [backend]);
      known.set(backend, found);
      return found;
    });
  };
}

function createServerChange(
  ask: Ask,
  leftOvers: LeftOvers,
  running: Running,
  lookOnce: (backend: string) => Promise<RunningServers | undefined>,
): (change: ServerChange) => Promise<ServerOutcome> {
  const stepsNow = async (change: ServerChange, isFirst = false): Promise<Steps | undefined> => {
    const { server, wanted } = change;
    const servers = wanted?.checked === undefined ? [server] : [server, wanted.checked.server];
    const isAlone = isFirst && servers.length === 1;
    const seen = isAlone
      ? await lookOnce(backendOf(server))
      : await look(ask, running, servers.map(backendOf));
    return seen && stepsFor(change, seen, leftOvers.of(running));
  };
  const stepsOnceDeleted = async (change: ServerChange): Promise<Steps | undefined> => {
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      const steps = await stepsNow(change, attempt === 1);
      const isBack = change.wanted !== null && leftOvers.of(running).has(change.server);
      const needsSpare = steps?.kind === 'no-spare';
      if (!needsSpare && !isBack) return steps;
      // A server that was removed keeps the spare one that it tracks until it is deleted.
      const isInTheWay = (server: string): boolean => needsSpare || server === change.server;
      if (!(await leftOvers.advance(running, isInTheWay))) return steps;
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
    if (steps.kind === 'no-spare') return steps;
    const trouble = await tellAll(ask, running, steps.commands);
    if (trouble !== undefined) return refused(trouble);
    if (wanted !== null) leftOvers.forget(running, server);
    else if (steps.commands.length > 0) leftOvers.add(running, server, mayFinish?.options);
    return { kind: 'changed', commands: steps.commands.length, endsSessions: steps.endSessions };
  };
}

/** Whether a server with these options is the one that is wanted again. One that tracks another one is added anew. */
function isAsBefore(wanted: ServerChange['wanted'], options: string): boolean {
  return wanted !== null && wanted.checked === undefined && wanted.options === options;
}

/** The servers of these backends, for a router has ten thousand others; without names, all. */
export async function look(
  ask: Ask,
  running: Running,
  backends?: readonly string[],
): Promise<RunningServers | undefined> {
  const lookAt = async (state: string, stat: string): Promise<RunningServers | undefined> => {
    const answers = await Promise.all([ask(running, state), ask(running, stat)]);
    return parseRunningServers(answers[0] ?? '', answers[1] ?? '');
  };
  if (backends === undefined) return await lookAt('show servers state', 'show stat -1 4 -1');
  const found = await Promise.all(
    [...new Set(backends)].map((name) => lookAt(`show servers state ${name}`, `show stat ${name} 4 -1`)),
  );
  return found.includes(undefined) ? undefined : new Map(found.flatMap((each) => [...(each ?? [])]));
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
