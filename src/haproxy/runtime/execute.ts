import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../engine/system/errors.ts';
import type { FileChange, RuntimeChange, ServerChange } from './change.ts';
import { createFileChanges, type ReadSetFile } from './change-file.ts';
import { createServerChanges, type Line, tell, tellTogether } from './change-server.ts';
import { deletion, ending } from './commands.ts';
import { createDrift } from './drift.ts';
import { createLeftOvers, type RemovalCommands } from './left-overs.ts';
import type { Running } from './running.ts';

/** How to reach HAProxy. */
interface RuntimeLine extends Line {
  readonly readSetFile: ReadSetFile;
  /** Ends the sessions of draining generations with these servers. */
  readonly endSessions: (draining: readonly Running[], servers: ReadonlySet<string>) => Promise<void>;
  readonly stepMs?: number;
  /** The same if requests may finish. False: it no longer may. */
  readonly finishMs?: number;
}

export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly commands: number }
  /** HAProxy has at most a part of it: only a reload makes it match the file. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface Changes {
  readonly changes: readonly RuntimeChange[];
}

export interface Runtime {
  /** Makes the changes in order, and stops at the first refused one; up to fifty servers change together. Call it for one request at a time. Never rejects. */
  readonly change: (
    running: Running,
    draining: readonly Running[],
    request: Changes,
  ) => Promise<ChangeOutcome>;
  readonly drift: ReturnType<typeof createDrift>;
  /** The commands that this build of HAProxy lacks; empty if changes are possible, or it does not answer. */
  readonly missingCommands: (running: Running) => Promise<readonly string[]>;
}

const NEEDED = [
  'add server',
  'del server',
  'enable health',
  'set server',
  'shutdown sessions server',
  ...['new ssl cert', 'set ssl cert', 'commit ssl cert', 'abort ssl cert', 'del ssl cert'],
  ...['show ssl crt-list', 'add ssl crt-list', 'del ssl crt-list'],
  ...['show map', 'set map', 'add map', 'del map', 'prepare map', 'commit map'],
];
/** Servers whose commands are sent together. */
const SERVERS_TOGETHER = 50;
/** Between two steps of a removed server: requests in progress may finish. */
const STEP_MS = 250;

export function createRuntime({
  ask,
  askEach,
  readSetFile,
  endSessions,
  stepMs = STEP_MS,
  finishMs = stepMs,
}: RuntimeLine): Runtime {
  const end: RemovalCommands['end'] = (running, server) =>
    tellTogether({ ask, askEach }, running, ending(server));
  const remove: RemovalCommands['remove'] = (running, server) => tell(ask, running, deletion(server));
  const leftOvers = createLeftOvers({ end, remove }, { stepMs, finishMs });
  // A server cannot be deleted and added at the same time.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work, work);
    turn = done.catch(() => undefined);
    return done;
  };
  const servers = createServerChanges({ ask, askEach }, leftOvers);
  const files = createFileChanges(ask, readSetFile);
  const endSoon = async (
    running: Running,
    draining: readonly Running[],
    ended: ReadonlySet<string>,
  ): Promise<void> => {
    await pause(stepMs, undefined, { ref: false });
    await endSessions(draining, ended);
    await advance(running);
  };
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
  const change = async (running: Running, { changes }: Changes): Promise<Made> => {
    let made: Made = { commands: 0, ended: [], refusal: undefined };
    const [server, file] = [servers(running), files(running)];
    for (const step of stepsOf(changes)) {
      const outcome = step.kind === 'servers' ? await server(step.servers) : await file(step.file);
      if (outcome.kind === 'refused') return { ...made, refusal: outcome };
      const ended = [...made.ended, ...(outcome.ended ?? [])];
      made = { ...made, commands: made.commands + outcome.commands, ended };
    }
    return made;
  };
  return {
    change: async (running, draining, request) => {
      try {
        const { commands, ended, refusal } = await inTurn(() => change(running, request));
        if (ended.length > 0) void endSoon(running, draining, new Set(ended)).catch(() => undefined);
        if (request.changes.some(mayFinish)) void endLate(running).catch(() => undefined);
        return refusal ?? { kind: 'changed', commands };
      } catch (error) {
        return { kind: 'refused', reason: messageOf(error) };
      }
    },
    drift: createDrift(ask, leftOvers, inTurn),
    missingCommands: async (running) => {
      const help = await ask(running, 'help');
      return help === undefined ? [] : NEEDED.filter((command) => !help.includes(`\n  ${command}`));
    },
  };
}

type Step =
  | { readonly kind: 'servers'; readonly servers: readonly ServerChange[] }
  | { readonly kind: 'file'; readonly file: FileChange };

/** In order, in batches of up to this many consecutive server changes. */
function stepsOf(changes: readonly RuntimeChange[]): readonly Step[] {
  const steps: Step[] = [];
  let servers: ServerChange[] = [];
  for (const change of changes)
    if (change.kind !== 'server') steps.push({ kind: 'file', file: change });
    else {
      const isOpen = steps.at(-1)?.kind === 'servers' && servers.length < SERVERS_TOGETHER;
      if (!isOpen) {
        servers = [];
        steps.push({ kind: 'servers', servers });
      }
      servers.push(change);
    }
  return steps;
}

function mayFinish(change: RuntimeChange): boolean {
  return change.kind === 'server' && change.wanted === null && change.mayFinish !== undefined;
}

type Refusal = Extract<ChangeOutcome, { kind: 'refused' }>;

interface Made {
  readonly commands: number;
  /** The servers whose sessions ended. */
  readonly ended: readonly string[];
  readonly refusal: Refusal | undefined;
}
