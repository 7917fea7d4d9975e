import { parseRunningServers, type RunningServers } from '../text/servers-state.ts';
import type { ServerChange } from './change.ts';
import { stepsFor } from './commands.ts';
import { backendOf } from './describe-configuration.ts';
import type { LeftOvers } from './left-overs.ts';
import {
  answered,
  askServers,
  batchesOf,
  type ChangeOutcome,
  type Command,
  type Line,
  MOST_TOGETHER,
  type Running,
  refused,
  sendTogether,
  type Worker,
  workerOf,
} from './line.ts';

/** A session that was shut down ends within moments. Only then can its server be deleted. */
const ATTEMPTS = 6;

/**
 * Applies changes of one request: reads the running state, and sends the commands that are still needed for all changes together. Every answer of
 * HAProxy is checked. Each backend is read once, because a change affects no other server, and hundreds may arrive at once.
 *
 * Servers are created first. HAProxy runs the commands after a refused one on the same connection, and would take the old servers out of use
 * before the new ones exist. The first command is sent alone, to find out whether this HAProxy accepts it or needs its alternative.
 */
export function createServerChanges(
  line: Line,
  leftOvers: LeftOvers,
): (running: Running) => (changes: readonly ServerChange[]) => Promise<ChangeOutcome> {
  let form: 'plain' | 'instead' | undefined;
  /** Resolves with HAProxy's answer to the first refused command. */
  const create = async (worker: Worker, commands: readonly Command[]): Promise<string | undefined> => {
    const [first] = commands;
    if (first?.instead === undefined || form !== undefined) {
      const each = ({ instead }: Command) => (form === 'instead' ? instead?.commands : undefined);
      return await sendTogether(worker, withoutRepeats(commands.flatMap((one) => each(one) ?? one)));
    }
    const reply = (await worker.ask(first.text))?.trim() ?? '';
    if (first.done.test(reply)) form = 'plain';
    else if (first.instead.answer.test(reply)) form = 'instead';
    else return answered(first, reply);
    return await create(worker, commands.slice(form === 'plain' ? 1 : 0));
  };
  /** A server that may still finish its sessions exists, and only needs its new address. */
  const restored = (running: Running, change: ServerChange): ServerChange => {
    const options = leftOvers.optionsOf(running, change.server);
    if (options === undefined || change.wanted?.options !== options) return change;
    leftOvers.forget(running, change.server);
    return { ...change, mayFinish: { options } };
  };
  /**
   * Deletes the leftover of a server that is desired again with other options; only then can it be added. Returns true if any server may have been
   * deleted.
   */
  const deleteLeftOver = async (running: Running, { server, wanted }: ServerChange): Promise<boolean> => {
    let isTried = false;
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      if (wanted === null || !leftOvers.of(running).has(server)) return isTried;
      isTried = true;
      if (!(await leftOvers.advance(running, (name) => name === server))) return isTried;
    }
    return isTried;
  };
  return (running) => {
    const worker = workerOf(line, running);
    const read = createReader(worker);
    return async (asked) => {
      const changes = asked.map((change) => restored(running, change));
      for (const change of changes) if (await deleteLeftOver(running, change)) read.forget();
      const backends = [...new Set(changes.map(({ server }) => backendOf(server)))];
      const current = await read.servers(backends);
      if (current === undefined)
        return refused(`HAProxy does not report the servers of "${backends.join(' ')}"`);
      const gone = leftOvers.of(running);
      const steps = changes.map((change) => ({ change, ...stepsFor(change, current, gone) }));
      const creations = steps.flatMap((step) => step.creations);
      const commands = steps.flatMap((step) => step.commands);
      const trouble = (await create(worker, creations)) ?? (await sendTogether(worker, commands));
      if (trouble !== undefined) return refused(trouble);
      for (const { change, commands } of steps)
        if (change.wanted !== null) leftOvers.forget(running, change.server);
        else if (commands.length > 0) leftOvers.add(running, change.server, change.mayFinish?.options);
      return { kind: 'changed', commands: creations.length + commands.length };
    };
  };
}

/** Reads the servers of backends, each backend once. */
function createReader(worker: Worker) {
  const cached = new Map<string, RunningServers>();
  return {
    forget: () => cached.clear(),
    /** Undefined if HAProxy does not report the servers of all these backends. */
    servers: async (backends: readonly string[]): Promise<RunningServers | undefined> => {
      const unread = backends.filter((backend) => !cached.has(backend));
      for (const batch of batchesOf(unread, MOST_TOGETHER)) {
        const replies = await askBackends(worker, batch);
        for (const [index, backend] of batch.entries()) {
          const servers = replies[index];
          if (servers === undefined) return undefined;
          cached.set(backend, servers);
        }
      }
      return new Map(backends.flatMap((backend) => [...(cached.get(backend) ?? [])]));
    },
  };
}

/** The servers of each backend; undefined if HAProxy does not report them. */
async function askBackends(
  worker: Worker,
  backends: readonly string[],
): Promise<readonly (RunningServers | undefined)[]> {
  if (backends.length === 1) return [await askServers(worker, backends[0])];
  const replies = await worker.askEach(backends.map((backend) => `show servers state ${backend}`));
  return replies.map(parseRunningServers);
}

/** Keeps only the last of equal commands: HAProxy recomputes the cookies of all servers of a backend whenever it receives the key. */
function withoutRepeats(commands: readonly Command[]): readonly Command[] {
  return [...new Map(commands.toReversed().map((command) => [command.text, command])).values()].toReversed();
}
