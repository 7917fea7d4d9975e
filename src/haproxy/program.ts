import type { CheckOutcome } from '../engine/config/check.ts';
import type { ProcessId } from '../engine/system/process/processes.ts';
import type { Changes } from './runtime/execute.ts';
import type { ChangeOutcome, Running } from './runtime/line.ts';

/** The file that a generation runs on: the live one, or the copy of the last one that served. */
export type ConfigChoice = 'live' | 'last-good';

export interface StartRequest {
  readonly generation: number;
  readonly config: ConfigChoice;
  /** Whether to take over the listeners from the serving generation, so that no connection is lost. */
  readonly takeOver: boolean;
}

export type StartOutcome =
  | {
      readonly kind: 'started';
      readonly master: ProcessId;
      /** Hash of the configuration at the start of the program, in hex. */
      readonly configSha256: string;
      readonly revision: string;
      readonly configBytes: number;
      /** The number of files in the main file's set. */
      readonly setFiles: number;
      /** Resolves with the cause once the master has ended: `exit code 1`, `signal SIGKILL`. */
      readonly exited: Promise<string>;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** A running generation, whether recorded or not. */
export interface RunningGeneration {
  /** Undefined for a worker whose master is gone; `master` is then that worker. */
  readonly number: number | undefined;
  readonly master: ProcessId;
  readonly workers: readonly ProcessId[];
  /** Whether it accepts new connections. */
  readonly listens: boolean;
}

/**
 * A proxy that can be replaced while it serves, for the supervisor. HAProxy is the only implementation, and the interface does not depend on what it
 * balances. Every call has its own timeout and never rejects.
 */
export interface ProxyDriver {
  /** Whether there is a live configuration to start with: a regular file that is not empty. */
  readonly hasConfiguration: () => Promise<boolean>;
  readonly hasLastGood: () => Promise<boolean>;
  /** Validates a file. */
  readonly check: (config: ConfigChoice) => Promise<CheckOutcome>;
  /**
   * Validates the candidate that a monitor wrote next to the live configuration, at low priority, because HAProxy's own processes come first. Parsing
   * may run code that the file names (`lua-load`), so it happens here, where the running HAProxy does the same.
   */
  readonly checkCandidate: () => Promise<CheckOutcome>;
  /** Saves which servers are up, for the next generation to start with. Best effort: returns whether it succeeded. */
  readonly saveState: () => Promise<void>;
  readonly start: (request: StartRequest) => StartOutcome;
  /** Resolves with the workers once one of them has answered, or with undefined if `signal` aborts first. */
  readonly prove: (running: Running, signal: AbortSignal) => Promise<readonly ProcessId[] | undefined>;
  /**
   * Copies the configuration with this revision after it was proven, or accepted by a check: the live one, or the monitor's last good one. Returns whether there is a last
   * good copy.
   */
  readonly keepLastGood: (revision: string) => Promise<boolean>;
  /** Processes of this program on hawser's sockets, found by their sockets, not by name. */
  readonly findRunning: () => readonly RunningGeneration[];
  /** Finds the master of a generation whose supervisor was killed after recording only the number. */
  readonly findMaster: (generation: number) => Promise<ProcessId | undefined>;
  /** Whether the newest generation took over all listeners. Connections to listeners that it did not take over are lost. */
  readonly listensAlone: () => boolean;
  /** Resolves once the worker has answered, or cannot be reached. With a hung worker it stays pending. */
  readonly answers: (running: Running) => Promise<void>;
  /** The serving worker's own report, for people. Undefined if it does not answer. */
  readonly describeServing: () => Promise<string | undefined>;
  /** Number of connections. Undefined if the worker does not answer in time. */
  readonly countSessions: (running: Running, withinMs: number) => Promise<number | undefined>;
  /** Number of requests in progress and of passed-through connections. Undefined if the worker does not answer. */
  readonly countRequests: (running: Running) => Promise<number | undefined>;
  /** Ends this fraction (0 to 1) of the remaining sessions, rounded. Returns how many were ended. */
  readonly endSessions: (running: Running, share: number) => Promise<number>;
  /**
   * Ends the sessions of draining generations with servers that are down in the serving generation, or that it does not have and whose machine is
   * silent. Draining workers no longer check servers, so a client would stay with a dead one until its own timeout. Sessions with a live server may
   * finish.
   */
  readonly endSessionsOfLostServers: (
    serving: Running,
    draining: readonly Running[],
  ) => Promise<readonly { readonly generation: number; readonly ended: number }[]>;
  /** HAProxy's statistics of its servers, as CSV. Undefined without an answer, and for a configuration of more than 2 MiB. */
  readonly serverStatistics: (running: Running) => Promise<string | undefined>;
  /**
   * Sends the server (`backend/name`) no new connections until its next successful check; existing ones stay. Resolves with the reason if that fails.
   */
  readonly setAside: (running: Running, server: string) => Promise<string | undefined>;
  /** Changes the running configuration without a reload. */
  readonly change: (serving: Running, request: Changes) => Promise<ChangeOutcome>;
  /** Hash of the live file, if it has this revision. */
  readonly fileSha256: (revision: string) => string | undefined;
  /** The changes that would make HAProxy match the live configuration, if the file has this revision. Undefined if unknown. */
  readonly drift: (serving: Running, revision: string) => Promise<Changes | undefined>;
  /** The commands that this program lacks for runtime changes. */
  readonly missingCommands: (running: Running) => Promise<readonly string[]>;
  /** Removes files of generations that are neither among these nor running. */
  readonly cleanUpAllBut: (generations: readonly number[]) => Promise<void>;
  /** Makes the health check fail while the generation still serves. Returns whether it does: the configuration must support it. */
  readonly giveNotice: (running: Running, config: ConfigChoice) => Promise<boolean>;
  /** Removes the files of an ended generation. */
  readonly cleanUp: (generation: number) => Promise<void>;
}
