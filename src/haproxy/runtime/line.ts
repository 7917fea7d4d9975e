import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessId } from '../../engine/system/process/processes.ts';
import { parseRunningServers, type RunningServers } from '../text/servers-state.ts';

/** A master process and its generation's number: enough to reach it. */
export interface Running {
  readonly generation: number;
  readonly master: ProcessId;
}

/** The Runtime API of any generation. */
export interface Line {
  /** Sends a command. Undefined if the worker does not answer. */
  readonly ask: (running: Running, command: string) => Promise<string | undefined>;
  /**
   * Sends one-line commands on one connection, and resolves with a reply for each in order. HAProxy runs all of them, whatever it answers. Only for
   * commands with at most one paragraph of output. Empty if replies are missing.
   */
  readonly askEach: (running: Running, commands: readonly string[]) => Promise<readonly string[]>;
}

/** The Runtime API of one generation. */
export interface Worker {
  readonly ask: (command: string) => Promise<string | undefined>;
  readonly askEach: (commands: readonly string[]) => Promise<readonly string[]>;
}

/**
 * HAProxy has one lock for its certificates. It refuses a command while another client's command holds the lock, such as `show ssl cert` until its
 * output is read. Such a command is sent again, up to this many times.
 */
const MOST_LOCKED = 100;
const LOCKED_PAUSE_MS = 20;
const LOCKED = /(?:^|\n)Operations on certificates are currently locked!\s*$/;

export function workerOf(
  { ask, askEach }: Line,
  running: Running,
  lockedPauseMs: number = LOCKED_PAUSE_MS,
): Worker {
  return {
    ask: async (command) => {
      for (let locked = 0; ; locked += 1) {
        const reply = await ask(running, command);
        if (locked === MOST_LOCKED || reply === undefined || !LOCKED.test(reply)) return reply;
        await pause(lockedPauseMs, undefined, { ref: false });
      }
    },
    askEach: (commands) => askEach(running, commands),
  };
}

/** A command of HAProxy's Runtime API, and its answer on success. */
export interface Command {
  readonly text: string;
  readonly done: RegExp;
  /** The alternative commands if HAProxy gives this answer. */
  readonly instead?: { readonly answer: RegExp; readonly commands: readonly Command[] };
}

/** The result of changes. */
export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly commands: number }
  /** HAProxy has made at most a part of them. Only a reload makes it match the file. */
  | { readonly kind: 'refused'; readonly reason: string };

export function refused(reason: string): Extract<ChangeOutcome, { kind: 'refused' }> {
  return { kind: 'refused', reason };
}

/** HAProxy runs this many commands of one connection before it serves another request to its master. */
export const MOST_TOGETHER = 100;

/** The servers of one backend, because a router has ten thousand others. Without a name, all servers. */
export async function askServers({ ask }: Worker, backend?: string): Promise<RunningServers | undefined> {
  const command = backend === undefined ? 'show servers state' : `show servers state ${backend}`;
  return parseRunningServers((await ask(command)) ?? '');
}

/** Undefined on success, otherwise HAProxy's answer. */
export async function send(worker: Worker, command: Command): Promise<string | undefined> {
  const { text, done, instead } = command;
  const reply = (await worker.ask(text))?.trim();
  if (reply !== undefined && instead?.answer.test(reply)) return await sendAll(worker, instead.commands);
  return reply !== undefined && done.test(reply) ? undefined : answered(command, reply);
}

/** Stops at the first refused command, and resolves with HAProxy's answer to it. */
export async function sendAll(worker: Worker, commands: readonly Command[]): Promise<string | undefined> {
  for (const command of commands) {
    const trouble = await send(worker, command);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

/**
 * Like `sendAll`, but on as few connections as possible: a connection to HAProxy's master costs more than ten commands. The commands after a refused
 * one still run, so each must be harmless in that case.
 */
export async function sendTogether(
  worker: Worker,
  commands: readonly Command[],
): Promise<string | undefined> {
  if (commands.length === 1) return await sendAll(worker, commands);
  for (const batch of batchesOf(commands, MOST_TOGETHER)) {
    const replies = await worker.askEach(batch.map(({ text }) => text));
    const index = batch.findIndex(({ done }, at) => !done.test(replies[at]?.trim() ?? 'nothing'));
    const failed = batch[index];
    if (failed !== undefined) return answered(failed, replies[index]?.trim());
  }
  return undefined;
}

export function answered({ text }: Command, reply: string | undefined): string {
  // Later lines are the file's content: a private key, or megabytes.
  const [command = ''] = text.split('\n', 1);
  return `"${command}" was answered with ${reply === undefined ? 'nothing' : JSON.stringify(reply.slice(0, 200))}`;
}

/** Consecutive chunks of at most this many items. */
export function batchesOf<T>(items: readonly T[], most: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, index) =>
    items.slice(index * most, (index + 1) * most),
  );
}
