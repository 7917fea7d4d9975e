import type { NetworkInterface, NetworkRoute } from '../system/network/routes.ts';
import type { SupervisorReading } from './ask-program.ts';
import type { HostFiles } from './host-files.ts';
import type { HostProcess } from './host-processes.ts';
import type { Peer } from './peer-health.ts';
import type { RunProgram } from './run-program.ts';

export type PeersReading =
  | { readonly kind: 'known'; readonly peers: readonly Peer[]; readonly from: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * The context of every check. A product adds the settings and readings of its own checks. A verdict is a function of the readings, so
 * it can be tested by itself.
 */
export interface NodeContext {
  readonly settings: {
    /** This node's name in the list of nodes. */
    readonly nodeName: string;
    /** The kubelet's folder of static pods. */
    readonly manifests: string;
    readonly apiPort: number;
    /** The node is a worker, without a VIP and an API server. */
    readonly worker: boolean;
  };
  readonly files: HostFiles;
  readonly run: RunProgram;
  /** Keeps the process alive until `work` ends, because an interruption would leave something behind. Returns `work`. */
  readonly beforeExit: <T>(work: Promise<T>) => Promise<T>;
  /** Aborts every reading. */
  readonly signal: AbortSignal;
  /** How long a server or a supervisor may take to answer. Shorter than the time limit of a check. */
  readonly answerTimeoutMs: number;
  readonly readings: NodeReadings;
}

/** Readings of the node. Each is made once, on first use, and never rejects. */
export interface NodeReadings {
  /**
   * Whether the node's files are visible: hawser's pods do not mount the kubelet's folder of static pods. Without that folder a missing file
   * means nothing.
   */
  readonly isNodeSeen: () => Promise<boolean>;
  /** Whether /proc is visible. */
  readonly areProcessesSeen: () => Promise<boolean>;
  readonly interfaces: () => readonly NetworkInterface[];
  readonly routes: () => Promise<readonly NetworkRoute[]>;
  readonly processes: () => Promise<readonly HostProcess[]>;
  /** The answer of the supervisor with this control socket. */
  readonly supervisor: (program: string, socket: string) => Promise<SupervisorReading>;
  /** The other nodes of the group. */
  readonly peers: () => Promise<PeersReading>;
}

/** A port that a product's program uses, or will use. */
export interface WantedPort {
  readonly port: number;
  readonly what: string;
  readonly flag: string;
  /** `all` collides with every listener on the port, `loopback` not with one on a single other address. */
  readonly scope: 'all' | 'loopback';
  readonly isOurs: (process: HostProcess) => boolean;
}
