import type * as z from 'zod/mini';
import type { Flag } from '../../cli/command-spec.ts';
import type { optionalListenAddress } from '../../cli/fields.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import type { Problem } from '../../engine/examine/problem.ts';
import type { NodeEntry, Section } from '../../engine/examine/section.ts';
import type {
  Evidence,
  KnownNode,
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

/** A program's page, and the field of a node's status that has its answer. */
export interface ProgramStatus {
  readonly name: string;
  readonly field: string;
  readonly schema: z.ZodMiniType<object>;
  /** Tells `hawser status` where the page is, under the name of the field. */
  readonly page: Flag & { readonly field: typeof optionalListenAddress };
}

/**
 * What a product says in `hawser status`; `src/commands/status-products.ts` lists all of them. These are methods, so that
 * TypeScript lets each ask for the fields of its own product: the schemas of the same product have checked that they are there.
 */
export interface ProductStatus {
  readonly look: Look;
  section(status: SeenCluster<SeenNode>): StatusPart;
  /** What is wrong on this node, and with all nodes together. */
  problems(status: SeenCluster<SeenNode>): readonly Problem[];
}

/** What is asked, and what the answers mean for the other products. */
interface Look {
  /**
   * What brings it to a machine: the static pods of each node, or a pod of a Deployment wherever that is scheduled. `beside` names
   * programs of other products that such a pod has too.
   */
  readonly home:
    | { readonly kind: 'node'; readonly onWorkers: boolean }
    | { readonly kind: 'pod'; readonly beside: readonly string[] };
  /** In the order in which they are shown. */
  readonly programs: readonly ProgramStatus[];
  /** What it reads besides, at the same time, and what that adds to what its programs said. Never rejects. */
  readonly others?: {
    readonly schema: Readonly<Record<string, z.ZodMiniType>>;
    read(statPort: number, limits: Limits): Promise<unknown>;
    fields(read: unknown, said: SeenNode): object;
    /** Whether there was an answer. */
    isThere(node: SeenNode): boolean;
  };
  group?(here: SeenNode): Group;
  readonly vips?: VipReading;
}

/** What this node knows of its group; undefined where it does not. */
interface Group {
  /** What the others call this node. */
  readonly nodeName?: string | undefined;
  readonly clusterName?: string | undefined;
  /** The other nodes. */
  readonly peers?: readonly Peer[] | undefined;
}

interface StatusPart {
  readonly sections: readonly Section[];
  /** Its cells in the list of nodes. */
  readonly nodes?: {
    /** Their names, and the page's style for each. */
    readonly columns: Readonly<Record<string, string>>;
    entry(node: KnownNode<SeenNode>): NodeEntry;
  };
}

/** Who holds which VIP, where a product has VIPs. */
interface VipReading {
  /** Every VIP that a program of this node knows, or that the settings name. */
  known(here: SeenNode, configured: readonly VipName[]): readonly VipName[];
  /** The holder of a VIP, and the reason. */
  status(vip: VipName, here: SeenNode, peers: readonly SeenPeer[], evidence: Evidence): SeenVip;
  /** Each VIP's state on a node, and since when. */
  instances(node: SeenNode): readonly SeenInstance[];
}

export type VipName = Pick<SeenVip, 'vip' | 'kind'>;
