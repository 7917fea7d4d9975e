import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../engine/system/errors.ts';
import type { RunningServers } from '../text/servers-state.ts';
import type { RuntimeChange, ServerChange } from './change.ts';
import { createFileChanges, type ReadSetFile } from './change-file.ts';
import { createServerChanges } from './change-server.ts';
import { deletion, ending, stepsFor } from './commands.ts';
import { backendOf, type Description } from './describe-configuration.ts';
import { createLeftOvers } from './left-overs.ts';
import {
  askServers,
  type ChangeOutcome,
  type Line,
  type Running,
  refused,
  send,
  sendTogether,
  workerOf,
} from './line.ts';
import { changeTo } from './plan.ts';

/** How to reach HAProxy. */
interface RuntimeLine extends Line {
  readonly readSetFile: ReadSetFile;
  readonly stepMs?: number;
  /** Like `stepMs`, for servers whose requests may finish. Default: `stepMs`. */
  readonly finishMs?: number;
  /** With this many removed servers that still exist, no further one is removed at runtime. Default: 10,000. */
  readonly mostLeftOver?: number;
}

export interface Changes {
  readonly changes: readonly RuntimeChange[];
}

export interface Runtime {
  /**
   * Makes the changes in order, up to fifty servers at a time, and stops at the first refused one. Call it for one request at a time. Never rejects.
   */
  readonly change: (running: Running, request: Changes) => Promise<ChangeOutcome>;
  /**
   * Deletes removed servers that are due. Resolves with the servers that differ from `desired`, or none without it. Undefined if HAProxy does not
   * answer. A disabled server that is not in `desired` was removed by an earlier supervisor that ended before it could delete it, and is deleted now.
   */
  readonly drift: (
    running: Running,
    desired: Description | undefined,
  ) => Promise<readonly ServerChange[] | undefined>;
  /** The commands that this build of HAProxy lacks. Empty if changes are possible, or HAProxy does not answer. */
  readonly missingCommands: (running: Running) => Promise<readonly string[]>;
}

const NEEDED = [
  'add server',
  'del server',
  'enable health',
  'set server',
  'shutdown sessions server',
  'new ssl cert',
  'set ssl cert',
  'commit ssl cert',
  'abort ssl cert',
  'del ssl cert',
  'show ssl crt-list',
  'add ssl crt-list',
  'del ssl crt-list',
  'show map',
  'set map',
  'add map',
  'del map',
];
/** Number of servers whose commands are sent together. */
const SERVERS_TOGETHER = 50;
/** Each takes several kilobytes, and appears in every list of servers. */
const MOST_LEFT_OVER = 10_000;
/** Pause between two steps of a removed server, so that requests in progress may finish. */
const STEP_MS = 250;

export function createRuntime({
  ask,
  askEach,
  readSetFile,
  stepMs = STEP_MS,
  finishMs = stepMs,
  mostLeftOver = MOST_LEFT_OVER,
}: RuntimeLine): Runtime {
  const line: Line = { ask, askEach };
  const leftOvers = createLeftOvers(
    {
      end: (running, server) => sendTogether(workerOf(line, running), ending(server)),
      remove: (running, server) => send(workerOf(line, running), deletion(server)),
    },
    { stepMs, finishMs },
  );
  // Runs one at a time: a server cannot be deleted and added at the same time.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work, work);
    turn = done.catch(() => undefined);
    return done;
  };
  const servers = createServerChanges(line, leftOvers);
  const files = createFileChanges(line, readSetFile);
  /** Other changes get their turn in between. */
  const advanceDue = async (running: Running): Promise<void> => {
    while (await inTurn(() => leftOvers.advance(running, () => false)));
  };
  /** If more than two steps are needed, the next search for drift or the next removal finishes the work. */
  const advance = async (running: Running): Promise<void> => {
    for (let step = 0; step < 2; step += 1) {
      await advanceDue(running);
      await pause(stepMs, undefined, { ref: false });
    }
  };
  const endLate = async (running: Running): Promise<void> => {
    await pause(finishMs, undefined, { ref: false });
    await advance(running);
  };
  const make = async (running: Running, changes: readonly RuntimeChange[]): Promise<ChangeOutcome> => {
    let commands = 0;
    const changeServers = servers(running);
    const changeFile = files(running);
    for (const step of stepsOf(changes)) {
      const outcome = step.kind === 'servers' ? await changeServers(step.servers) : await changeFile(step);
      if (outcome.kind === 'refused') return outcome;
      commands += outcome.commands;
    }
    return { kind: 'changed', commands };
  };
  return {
    change: async (running, { changes }) => {
      try {
        const removes = changes.some(isRemoval);
        // Before the first change: a new generation has none of them.
        if (removes && leftOvers.of(running).size >= mostLeftOver)
          return refused(`${mostLeftOver} removed servers still exist`);
        const outcome = await inTurn(() => make(running, changes));
        if (removes) void endLate(running).catch(() => undefined);
        return outcome;
      } catch (error) {
        return refused(messageOf(error));
      }
    },
    drift: async (running, desired) => {
      await advanceDue(running);
      if (desired === undefined) return [];
      // In turn, because a server that is being added is also disabled.
      return await inTurn(async () => {
        const current = await askServers(workerOf(line, running));
        if (current === undefined) return undefined;
        for (const [server, { isOut, forMs }] of strangersIn(desired, current, leftOvers.of(running)))
          if (isOut) leftOvers.adopt(running, server, forMs);
        return driftOf(desired, current, leftOvers.of(running));
      });
    },
    missingCommands: async (running) => {
      const help = await ask(running, 'help');
      return help === undefined ? [] : NEEDED.filter((command) => !help.includes(`\n  ${command}`));
    },
  };
}

type Step =
  | { readonly kind: 'servers'; readonly servers: readonly ServerChange[] }
  | Exclude<RuntimeChange, ServerChange>;

/** The changes in order, with consecutive server changes in batches of at most `SERVERS_TOGETHER`. */
function stepsOf(changes: readonly RuntimeChange[]): readonly Step[] {
  const steps: Step[] = [];
  let servers: ServerChange[] = [];
  for (const change of changes) {
    if (change.kind !== 'server') {
      steps.push(change);
      continue;
    }
    if (steps.at(-1)?.kind !== 'servers' || servers.length === SERVERS_TOGETHER) {
      servers = [];
      steps.push({ kind: 'servers', servers });
    }
    servers.push(change);
  }
  return steps;
}

function isRemoval(change: RuntimeChange): boolean {
  return change.kind === 'server' && change.wanted === null;
}

/**
 * Servers that were changed, added or disabled by hand. A server that is down, or set aside until its next successful check, is not drift. `leftOver`
 * are the servers that were removed and wait to be deleted.
 */
function driftOf(
  desired: Description,
  running: RunningServers,
  leftOver: ReadonlySet<string>,
): readonly ServerChange[] {
  const changed = [...desired.servers]
    .map(changeTo)
    .filter((change) => stepsFor(change, running, leftOver).commands.length > 0);
  const strangers = [...strangersIn(desired, running, leftOver)].filter(([, { isOut }]) => !isOut);
  return [...changed, ...strangers.map(([server]) => changeTo([server, null]))];
}

/** Running servers that are neither described nor removed. */
function strangersIn(
  desired: Description,
  running: RunningServers,
  leftOver: ReadonlySet<string>,
): RunningServers {
  const isKnown = (server: string): boolean => desired.servers.has(server) || leftOver.has(server);
  return new Map([...running].filter(([server]) => isClosed(backendOf(server), desired) && !isKnown(server)));
}

/** Whether all servers of the backend are described. */
function isClosed(backend: string, { sections, openBackends }: Description): boolean {
  return (
    !openBackends.has(backend) && ['backend', 'listen'].some((kind) => sections.has(`${kind} ${backend}`))
  );
}
