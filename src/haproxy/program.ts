import type { CheckOutcome } from '../engine/config/check.ts';
import type { ProcessId } from '../engine/system/process/processes.ts';
import type { ChangeOutcome, Changes } from './runtime/execute.ts';
import type { Running } from './runtime/running.ts';

/** Which file a generation runs on: the one that its owner writes, or our copy of the last one that served. */
export type ConfigChoice = 'live' | 'last-good';

export interface StartRequest {
  readonly generation: number;
  readonly config: ConfigChoice;
  /** The listeners are taken over from the generation that serves now, so that no connection is lost. */
  readonly takeOver: boolean;
}

export type StartOutcome =
  | {
      readonly kind: 'started';
      readonly master: ProcessId;
      /** Of the configuration as it was when the program was started, hex. */
      readonly configSha256: string;
      readonly revision: string;
      readonly configBytes: number;
      /** The number of files in the main file's set. */
      readonly setFiles: number;
      /** Resolves once the master is gone, with how it ended: `exit code 1`, `signal SIGKILL`. */
      readonly exited: Promise<string>;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** What runs, whether it was recorded or not. */
export interface RunningGeneration {
  /** Undefined for a worker whose master is gone: `master` is that worker then. */
  readonly number: number | undefined;
  readonly master: ProcessId;
  readonly workers: readonly ProcessId[];
  /** It takes new connections. */
  readonly listens: boolean;
}

/**
 * A proxy that can be replaced while it serves: what the supervisor asks of it. HAProxy is the one that there is;
 * nothing here knows what the proxy balances. Every call has a bound of its own in time, and none rejects.
 */
export interface ProxyDriver {
  /** Whether there is a live configuration to start from: a regular file that is not empty. */
  readonly hasConfiguration: () => Promise<boolean>;
  readonly hasLastGood: () => Promise<boolean>;
  /** Whether it would refuse the file, and in which words. */
  readonly check: (config: ConfigChoice) => Promise<CheckOutcome>;
  /**
   * HAProxy's verdict on the candidate that a monitor wrote next to the live configuration, at low priority: HAProxy's own processes come first.
   * Parsing may run code that the file names (`lua-load`), so it happens here, where the running HAProxy does the same.
   */
  readonly checkCandidate: () => Promise<CheckOutcome>;
  /** Saves which servers are up, for the next generation to start with. Best effort: says whether it worked. */
  readonly saveState: () => Promise<boolean>;
  readonly start: (request: StartRequest) => StartOutcome;
  /** Resolves with the workers once one of them has answered, or with undefined when `signal` aborts first. */
  readonly prove: (running: Running, signal: AbortSignal) => Promise<readonly ProcessId[] | undefined>;
  /**
   * Copies the live configuration that was proven, or that a check accepted, unless the file is another one by now. Says whether
   * there is a last good copy.
   */
  readonly keepLastGood: (revision: string) => Promise<boolean>;
  /** This program's processes on our sockets, found by what they hold and not by their names. */
  readonly findRunning: () => readonly RunningGeneration[];
  /** The master of a generation whose supervisor was killed after it recorded only the number. */
  readonly findMaster: (generation: number) => Promise<ProcessId | undefined>;
  /** Whether no generation has listeners of its own that the newest one did not take over. Connections are lost with those. */
  readonly listensAlone: () => boolean;
  /** Resolves once its worker has said anything at all, or cannot be asked: a worker that hangs leaves it open. */
  readonly answers: (running: Running) => Promise<void>;
  /** What the serving worker says of itself, for people; undefined if it does not say. */
  readonly describeServing: () => Promise<string | undefined>;
  /** Undefined if its worker does not say within the time. */
  readonly countSessions: (running: Running, withinMs: number) => Promise<number | undefined>;
  /** Requests in progress, and connections that are passed on unread; undefined if its worker does not say. */
  readonly countRequests: (running: Running) => Promise<number | undefined>;
  /** Ends this part (0 to 1) of the sessions that are left, to the nearest whole number. Says how many it ended. */
  readonly endSessions: (running: Running, share: number) => Promise<number>;
  /**
   * Ends the sessions of draining generations with servers that are down in the serving one, or that it does not have and whose machine is
   * silent. Draining workers check no server any longer, and a client would stay with a dead one until its own timeout. Sessions with a live
   * server may finish.
   */
  readonly endSessionsOfLostServers: (
    serving: Running,
    draining: readonly Running[],
  ) => Promise<readonly { readonly generation: number; readonly ended: number }[]>;
  /** HAProxy's statistics of its servers, as CSV. Undefined without an answer, and for a configuration of more than 2 MiB. */
  readonly serverStatistics: (running: Running) => Promise<string | undefined>;
  /**
   * Gives the server (`backend/name`) no new connections until its next good check; it keeps those it has. Resolves with the reason if that
   * fails.
   */
  readonly setAside: (running: Running, server: string) => Promise<string | undefined>;
  /** Changes what runs, without a reload. Those that drain lose their sessions with servers that are removed. */
  readonly change: (
    serving: Running,
    draining: readonly Running[],
    request: Changes,
  ) => Promise<ChangeOutcome>;
  /** Hash of the live file, if it has this revision. */
  readonly fileSha256: (revision: string) => string | undefined;
  /** What of the live configuration does not run, if it has this revision; undefined if it is unknown. */
  readonly drift: (serving: Running, revision: string) => Promise<Changes | undefined>;
  /** The commands for changes that it lacks, in the program's words. */
  readonly missingCommands: (running: Running) => Promise<readonly string[]>;
  /** Removes what generations left in the file system that are neither among these nor running. */
  readonly cleanUpAllBut: (generations: readonly number[]) => Promise<void>;
  /** Has its health check fail while it still serves. Says whether it does: its configuration must know of it. */
  readonly giveNotice: (running: Running, config: ConfigChoice) => Promise<boolean>;
  /** Removes what an ended generation left in the file system. */
  readonly cleanUp: (generation: number) => Promise<void>;
}
