import type { ProcessId } from '../../../src/engine/system/process/processes.ts';
import type { BedNode } from './bed-node.ts';

/** HAProxy's client and health ports, and the API server's. */
export const stackPorts = { lb: 9445, health: 9444, api: 6443 } as const;

/** What runs on each node besides the API server: one product's HAProxy, keepalived and their supervisors. */
export interface NodeStack {
  /** Starts everything that is not running yet; peers are the bed's members. */
  start(node: BedNode): Promise<void>;
  /** After HAProxy was killed; does nothing if a supervisor restarts it. */
  restoreHaproxy(node: BedNode): Promise<void>;
  /** After keepalived was killed or terminated. */
  restoreKeepalived(node: BedNode): Promise<void>;
  /** The processes that get the SIGTERM when the pod is deleted. */
  keepalivedMain(node: BedNode): readonly ProcessId[];
  /** Resident memory of keepalived's supervisor and monitor, if they run. */
  residentMb?(node: BedNode): { readonly supervisor: number; readonly monitor: number };
  /** `node` is already up; resolves once the others know it. */
  join(node: BedNode, members: readonly BedNode[]): Promise<void>;
  /** Stops everything on `node`; resolves once the others have forgotten it. */
  leave(node: BedNode, members: readonly BedNode[]): Promise<void>;
}
