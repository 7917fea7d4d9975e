import { parseRunningServers, type RunningServers } from '../text/servers-state.ts';
import type { ServerChange } from './change.ts';
import { type Command, stepsFor } from './commands.ts';
import { backendOf } from './description.ts';
import type { LeftOvers } from './left-overs.ts';
import type { Running } from './running.ts';

export type Ask = (running: Running, command: string) => Promise<string | undefined>;

/** How to send commands to HAProxy. */
export interface Line {
  /** Undefined if its worker does not answer. */
  readonly ask: Ask;
  /**
   * One-line commands on one connection, and a reply for each in order: HAProxy runs all of them, whatever it answers. Only for commands that
   * answer with at most one paragraph. Empty if replies are missing.
   */
  readonly askEach: (running: Running, commands: readonly string[]) => Promise<readonly string[]>;
}

type ServersOutcome =
  | {
      readonly kind: 'changed';
      readonly commands: number;
      /** The servers whose sessions end. */
      readonly ended: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** A session that was shut down ends within moments, and only then can its server be deleted. */
const ATTEMPTS = 6;

/** HAProxy runs this many commands of one connection before it serves another request to its master. */
const MOST_TOGETHER = 100;

/**
 * Applies changes for one request: reads the running state and sends the commands still needed, for all changes together. Every answer of HAProxy is checked. A
 * backend is read once: a change affects no other server, and hundreds may arrive at once.
 *
 * Servers are created first: HAProxy runs the commands after a refused one on the same connection, and would take the old servers out of use
 * before the new ones exist. The first command is sent alone, to learn whether this HAProxy accepts it or needs its alternative.
 */
export function createServerChanges(
  line: Line,
  leftOvers: LeftOvers,
): (running: Running) => (changes: readonly ServerChange[]) => Promise<ServersOutcome> {
  let form: 'plain' | 'instead' | undefined;
  const create = async (running: Running, commands: readonly Command[]): Promise<string | undefined> => {
    const [first] = commands;
    if (first?.instead === undefined || form !== undefined) {
      const each = ({ instead }: Command) => (form === 'instead' ? instead?.commands : undefined);
      const inForm = commands.flatMap((command) => each(command) ?? command);
      return await tellTogether(line, running, withoutRepeats(inForm));
    }
    const reply = (await line.ask(running, first.text))?.trim() ?? '';
    if (first.done.test(reply)) form = 'plain';
    else if (first.instead.answer.test(reply)) form = 'instead';
    else return answered(first, reply);
    return await create(running, commands.slice(form === 'plain' ? 1 : 0));
  };
  return (running) => {
    const known = new Map<string, RunningServers>();
    /** Undefined if HAProxy does not report the servers of all these backends. */
    const read = async (backends: readonly string[]): Promise<RunningServers | undefined> => {
      const unread = [...new Set(backends)].filter((backend) => !known.has(backend));
      for (const batch of batchesOf(unread, MOST_TOGETHER)) {
        const found = await readTogether(line, running, batch);
        for (const [index, backend] of batch.entries()) {
          const servers = found[index];
          if (servers === undefined) return undefined;
          known.set(backend, servers);
        }
      }
      return new Map(backends.flatMap((backend) => [...(known.get(backend) ?? [])]));
    };
    return createServersChange(line, leftOvers, running, { read, create, forgetAll: () => known.clear() });
  };
}

interface Means {
  readonly read: (backends: readonly string[]) => Promise<RunningServers | undefined>;
  /** Resolves with HAProxy's answer to the first refused command. */
  readonly create: (running: Running, commands: readonly Command[]) => Promise<string | undefined>;
  /** Discards cached state. */
  readonly forgetAll: () => void;
}

function createServersChange(
  line: Line,
  leftOvers: LeftOvers,
  running: Running,
  { read, create, forgetAll }: Means,
): (changes: readonly ServerChange[]) => Promise<ServersOutcome> {
  /** The leftover of a server that is wanted again with other options: it can be added once the leftover is deleted. */
  const deleteLeftOver = async ({ server, wanted }: ServerChange): Promise<void> => {
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      if (wanted === null || !leftOvers.of(running).has(server)) return;
      const hasAdvanced = await leftOvers.advance(running, (name) => name === server);
      // Other servers may have been deleted as well.
      forgetAll();
      if (!hasAdvanced) return;
    }
  };
  /** A server that may still finish its sessions exists, and only needs its new address. */
  const restored = (change: ServerChange): ServerChange => {
    const options = leftOvers.optionsOf(running, change.server);
    if (options === undefined || !isAsBefore(change.wanted, options)) return change;
    leftOvers.forget(running, change.server);
    return { ...change, mayFinish: { options } };
  };
  return async (asked) => {
    const changes = asked.map(restored);
    for (const change of changes) await deleteLeftOver(change);
    const backends = [...new Set(changes.map(({ server }) => backendOf(server)))];
    const found = await read(backends);
    if (found === undefined) return refused(`HAProxy does not say which servers "${backends.join(' ')}" has`);
    const gone = leftOvers.of(running);
    const steps = changes.map((change) => ({ change, ...stepsFor(change, found, gone) }));
    const creations = steps.flatMap((step) => step.creations);
    const commands = steps.flatMap((step) => step.commands);
    const trouble = (await create(running, creations)) ?? (await tellTogether(line, running, commands));
    if (trouble !== undefined) return refused(trouble);
    for (const { change, commands } of steps)
      if (change.wanted !== null) leftOvers.forget(running, change.server);
      else if (commands.length > 0) leftOvers.add(running, change.server, change.mayFinish?.options);
    const ended = steps.filter(({ endSessions }) => endSessions).map(({ change }) => change.server);
    return { kind: 'changed', commands: creations.length + commands.length, ended };
  };
}

/** Of equal commands only the last: HAProxy recomputes the cookies of all servers of a backend each time it gets the key. */
function withoutRepeats(commands: readonly Command[]): readonly Command[] {
  return [...new Map(commands.toReversed().map((command) => [command.text, command])).values()].toReversed();
}

/** Whether a server with these options is the wanted one. */
function isAsBefore(wanted: ServerChange['wanted'], options: string): boolean {
  return wanted?.options === options;
}

/** The servers of each backend; undefined if HAProxy does not report them. */
async function readTogether(
  line: Line,
  running: Running,
  backends: readonly string[],
): Promise<readonly (RunningServers | undefined)[]> {
  const [first = ''] = backends;
  if (backends.length === 1) return [await askServers(line.ask, running, first)];
  const replies = await line.askEach(
    running,
    backends.map((backend) => `show servers state ${backend}`),
  );
  return replies.map(parseRunningServers);
}

/** Consecutive chunks of at most this many items. */
function batchesOf<T>(items: readonly T[], most: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, index) =>
    items.slice(index * most, (index + 1) * most),
  );
}

/** The servers of this backend, since a router has ten thousand others; without a name, all. */
export async function askServers(
  ask: Ask,
  running: Running,
  backend?: string,
): Promise<RunningServers | undefined> {
  const command = backend === undefined ? 'show servers state' : `show servers state ${backend}`;
  return parseRunningServers((await ask(running, command)) ?? '');
}

/** Undefined on success, else HAProxy's answer. */
export async function tell(ask: Ask, running: Running, command: Command): Promise<string | undefined> {
  const { text, done, instead } = command;
  const reply = (await ask(running, text))?.trim();
  if (reply !== undefined && instead?.answer.test(reply))
    return await tellAll(ask, running, instead.commands);
  return reply !== undefined && done.test(reply) ? undefined : answered(command, reply);
}

/** Stops at the first refused command, and resolves with HAProxy's answer. */
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

/**
 * Like `tellAll`, on as few connections as possible: a connection to HAProxy's master costs more than ten commands. The commands after a refused
 * one still run, so each must be harmless then.
 */
export async function tellTogether(
  line: Line,
  running: Running,
  commands: readonly Command[],
): Promise<string | undefined> {
  if (commands.length === 1) return await tellAll(line.ask, running, commands);
  for (const batch of batchesOf(commands, MOST_TOGETHER)) {
    const texts = batch.map(({ text }) => text);
    const replies = await line.askEach(running, texts);
    const index = batch.findIndex(({ done }, at) => !done.test(replies[at]?.trim() ?? 'nothing'));
    const failed = batch[index];
    if (failed !== undefined) return answered(failed, replies[index]?.trim());
  }
  return undefined;
}

function answered({ text }: Command, reply: string | undefined): string {
  // The lines after the first are the file's content: a private key, or megabytes.
  const [command = ''] = text.split('\n', 1);
  return `"${command}" was answered with ${reply === undefined ? 'nothing' : JSON.stringify(reply.slice(0, 200))}`;
}

function refused(reason: string): ServersOutcome {
  return { kind: 'refused', reason };
}
