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
  /** The same if requests may finish; by default no longer. */
  readonly finishMs?: number;
}

export interface Changes {
  readonly changes: readonly RuntimeChange[];
}

export interface Runtime {
  /** Makes the changes in order, and stops at the first refused one; up to fifty servers change together. Call it for one request at a time. Never rejects. */
  readonly change: (running: Running, request: Changes) => Promise<ChangeOutcome>;
  /**
   * Deletes removed servers that are due, and resolves with the servers that differ from `wanted`; none without it. Undefined if HAProxy
   * does not answer. A disabled server that is not in `wanted` was removed by an earlier supervisor, which ended before it deleted it:
   * this one deletes it.
   */
  readonly drift: (
    running: Running,
    wanted: Description | undefined,
  ) => Promise<readonly ServerChange[] | undefined>;
  /** The commands that this build of HAProxy lacks; empty if changes are possible, or it does not answer. */
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
/** Servers whose commands are sent together. */
const SERVERS_TOGETHER = 50;
/** Between two steps of a removed server: requests in progress may finish. */
const STEP_MS = 250;

export function createRuntime({
  ask,
  askEach,
  readSetFile,
  stepMs = STEP_MS,
  finishMs = stepMs,
}: RuntimeLine): Runtime {
  const line: Line = { ask, askEach };
  const leftOvers = createLeftOvers(
    {
      end: (running, server) => sendTogether(workerOf(line, running), ending(server)),
      remove: (running, server) => send(workerOf(line, running), deletion(server)),
    },
    { stepMs, finishMs },
  );
  // A server cannot be deleted and added at the same time.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work, work);
    turn = done.catch(() => undefined);
    return done;
  };
  const servers = createServerChanges(line, leftOvers);
  const files = createFileChanges(line, readSetFile);
  /** Work of more than two steps is finished by the next search for drift, or the next removal. */
  const advance = async (running: Running): Promise<void> => {
    for (let step = 0; step < 2; step += 1) {
      await inTurn(() => leftOvers.advance(running, () => false));
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
        const outcome = await inTurn(() => make(running, changes));
        if (changes.some(isRemoval)) void endLate(running).catch(() => undefined);
        return outcome;
      } catch (error) {
        return refused(messageOf(error));
      }
    },
    drift: async (running, wanted) => {
      await inTurn(() => leftOvers.advance(running, () => false));
      if (wanted === undefined) return [];
      // One after the other: a server that is just being added is disabled as well.
      return await inTurn(async () => {
        const found = await askServers(workerOf(line, running));
        if (found === undefined) return undefined;
        for (const [server, { isOut, forMs }] of strangersIn(wanted, found, leftOvers.of(running)))
          if (isOut) leftOvers.adopt(running, server, forMs);
        return driftOf(wanted, found, leftOvers.of(running));
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

/** In order, in batches of up to this many consecutive server changes. */
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
 * Servers that were changed, added or disabled by hand. Servers that are down, or set aside until their next good check, are as they should
 * be. `leftOver` were removed, and wait to be deleted.
 */
function driftOf(
  wanted: Description,
  running: RunningServers,
  leftOver: ReadonlySet<string>,
): readonly ServerChange[] {
  const changed = [...wanted.servers]
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
