import type * as z from 'zod/mini';
import type { Flag } from '../../cli/command-spec.ts';
import type { optionalListenAddress } from '../../cli/fields.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import type { Problem } from '../../engine/examine/problem.ts';
import type { NodeEntry, Section } from '../../engine/examine/section.ts';
import type {
  ClusterNode,
  Evidence,
  SeenCluster,
  SeenInstance,
  SeenNode,
  SeenPeer,
  SeenVip,
} from '../../engine/examine/seen.ts';

interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A program's page, and the field of the node's status for its answer. */
export interface ProgramStatus {
  readonly name: string;
  readonly field: string;
  readonly schema: z.ZodMiniType<object>;
  /** The flag of `hawser status` for the page's address, named like the field. */
  readonly page: Flag & { readonly field: typeof optionalListenAddress };
}

/**
 * A product's part of `hawser status`; `src/commands/status-products.ts` lists all of them. The functions are declared as methods, so that
 * TypeScript lets each require the fields of its own product. The product's schemas have validated that the fields exist.
 */
export interface ProductStatus {
  readonly inputs: StatusInputs;
  section(status: SeenCluster<SeenNode>): StatusPart;
  /** The problems of this node and of the cluster. */
  problems(status: SeenCluster<SeenNode>): readonly Problem[];
}

/** What a product reads, and what the other products can use of it. */
interface StatusInputs {
  /**
   * Where the product runs: in static pods of each node, or in a pod of a Deployment on any node. `beside` lists programs of other
   * products that also run in such a pod.
   */
  readonly home:
    | { readonly kind: 'node'; readonly onWorkers: boolean }
    | { readonly kind: 'pod'; readonly beside: readonly string[] };
  /** In the order of the output. */
  readonly programs: readonly ProgramStatus[];
  /** Further readings, read at the same time as the programs' pages, and the fields that they add to the status. Never rejects. */
  readonly others?: {
    readonly schema: Readonly<Record<string, z.ZodMiniType>>;
    read(statPort: number, limits: Limits): Promise<unknown>;
    fields(read: unknown, node: SeenNode): object;
    /** Whether the reading had an answer. */
    isThere(node: SeenNode): boolean;
  };
  group?(here: SeenNode): Group;
  readonly vips?: VipReading;
}

/** What a product reports about this node's group; undefined if it does not report it. */
interface Group {
  /** This node's name among the other nodes. */
  readonly nodeName?: string | undefined;
  readonly clusterName?: string | undefined;
  /** The other nodes. */
  readonly peers?: readonly Peer[] | undefined;
}

interface StatusPart {
  readonly sections: readonly Section[];
  /** The product's cells in the list of nodes. */
  readonly nodes?: {
    /** Column names, with the page's CSS class for each. */
    readonly columns: Readonly<Record<string, string>>;
    entry(node: ClusterNode<SeenNode>): NodeEntry;
  };
}

/** A product's reading of the VIPs and their holders. */
interface VipReading {
  /** All VIPs that this node's programs report or that the settings contain. */
  known(here: SeenNode, configured: readonly VipName[]): readonly VipName[];
  /** The holder of a VIP, and the reason. */
  status(vip: VipName, here: SeenNode, peers: readonly SeenPeer[], evidence: Evidence): SeenVip;
  /** The state of each VIP on a node, and since when. */
  instances(node: SeenNode): readonly SeenInstance[];
}

export type VipName = Pick<SeenVip, 'vip' | 'kind'>;
