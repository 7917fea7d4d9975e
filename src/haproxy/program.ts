import type { CheckOutcome } from '../engine/config/check.ts';
import type { ProcessId } from '../engine/system/process/processes.ts';
import type { Changes } from './runtime/execute.ts';
import type { ChangeOutcome, Running } from './runtime/line.ts';

/** Which file a generation runs on: the live one, or our copy of the last one that served. */
export type ConfigChoice = 'live' | 'last-good';

export interface StartRequest {
  readonly generation: number;
  readonly config: ConfigChoice;
  /** The listeners are taken over from the serving generation, so that no connection is lost. */
  readonly takeOver: boolean;
}

export type StartOutcome =
  | {
      readonly kind: 'started';
      readonly master: ProcessId;
      /** Hash of the configuration at the start of the program, hex. */
      readonly configSha256: string;
      readonly revision: string;
      readonly configBytes: number;
      /** The number of files in the main file's set. */
      readonly setFiles: number;
      /** Resolves once the master is gone, with how it ended: `exit code 1`, `signal SIGKILL`. */
      readonly exited: Promise<string>;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** A running process, recorded or not. */
export interface RunningGeneration {
  /** Undefined for a worker whose master is gone: `master` is that worker then. */
  readonly number: number | undefined;
  readonly master: ProcessId;
  readonly workers: readonly ProcessId[];
  /** It takes new connections. */
  readonly listens: boolean;
}

/**
 * A proxy that can be replaced while it serves, as the supervisor uses it. HAProxy is the only one;
 * nothing here knows what the proxy balances. Every call has its own timeout, and none rejects.
 */
export interface ProxyDriver {
  /** Whether there is a live configuration to start from: a regular file that is not empty. */
  readonly hasConfiguration: () => Promise<boolean>;
  readonly hasLastGood: () => Promise<boolean>;
  /** Whether it would refuse the file, and its message. */
  readonly check: (config: ConfigChoice) => Promise<CheckOutcome>;
  /**
   * HAProxy's verdict on the candidate that a monitor wrote next to the live configuration, at low priority: HAProxy's own processes come first.
   * Parsing may run code that the file names (`lua-load`), so it happens here, where the running HAProxy does the same.
   */
  readonly checkCandidate: () => Promise<CheckOutcome>;
  /** Saves which servers are up, for the next generation to start with. Best effort: returns whether it worked. */
  readonly saveState: () => Promise<boolean>;
  readonly start: (request: StartRequest) => StartOutcome;
  /** Resolves with the workers once one of them has answered, or with undefined when `signal` aborts first. */
  readonly prove: (running: Running, signal: AbortSignal) => Promise<readonly ProcessId[] | undefined>;
  /**
   * Copies the live configuration that was proven, or that a check accepted, unless the file has changed since. Returns whether
   * there is a last good copy.
   */
  readonly keepLastGood: (revision: string) => Promise<boolean>;
  /** This program's processes on our sockets, found by their sockets and not by their names. */
  readonly findRunning: () => readonly RunningGeneration[];
  /** The master of a generation whose supervisor was killed after it recorded only the number. */
  readonly findMaster: (generation: number) => Promise<ProcessId | undefined>;
  /** Whether no generation has listeners that the newest one did not take over. Connections to such listeners are lost. */
  readonly listensAlone: () => boolean;
  /** Resolves once its worker has answered anything at all, or cannot be reached: with a hung worker it stays pending. */
  readonly answers: (running: Running) => Promise<void>;
  /** The serving worker's own report, for people; undefined if it does not answer. */
  readonly describeServing: () => Promise<string | undefined>;
  /** Undefined if its worker does not answer in time. */
  readonly countSessions: (running: Running, withinMs: number) => Promise<number | undefined>;
  /** Requests in progress, and connections that are passed through; undefined if its worker does not answer. */
  readonly countRequests: (running: Running) => Promise<number | undefined>;
  /** Ends this fraction (0 to 1) of the remaining sessions, to the nearest whole number. Returns how many it ended. */
  readonly endSessions: (running: Running, share: number) => Promise<number>;
  /**
   * Ends the sessions of draining generations with servers that are down in the serving one, or that it does not have and whose machine is
   * silent. Draining workers no longer check servers, and a client would stay with a dead one until its own timeout. Sessions with a live
   * server may finish.
   */
  readonly endSessionsOfLostServers: (
    serving: Running,
    draining: readonly Running[],
  ) => Promise<readonly { readonly generation: number; readonly ended: number }[]>;
  /** HAProxy's statistics of its servers, as CSV. Undefined without an answer, and for a configuration of more than 2 MiB. */
  readonly serverStatistics: (running: Running) => Promise<string | undefined>;
  /**
   * Sends the server (`backend/name`) no new connections until its next good check; it keeps existing ones. Resolves with the reason if that
   * fails.
   */
  readonly setAside: (running: Running, server: string) => Promise<string | undefined>;
  /** Changes the running configuration without a reload. */
  readonly change: (serving: Running, request: Changes) => Promise<ChangeOutcome>;
  /** Hash of the live file, if it has this revision. */
  readonly fileSha256: (revision: string) => string | undefined;
  /** The parts of the live configuration that do not run, if it has this revision; undefined if unknown. */
  readonly drift: (serving: Running, revision: string) => Promise<Changes | undefined>;
  /** The commands for changes that it lacks, in the program's words. */
  readonly missingCommands: (running: Running) => Promise<readonly string[]>;
  /** Removes files of generations that are neither among these nor running. */
  readonly cleanUpAllBut: (generations: readonly number[]) => Promise<void>;
  /** Makes its health check fail while it still serves. Returns whether it does: its configuration must support it. */
  readonly giveNotice: (running: Running, config: ConfigChoice) => Promise<boolean>;
  /** Removes the files of an ended generation. */
  readonly cleanUp: (generation: number) => Promise<void>;
}
