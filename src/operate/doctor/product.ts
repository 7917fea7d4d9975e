import type { CommandSpec, Flag, SettingsFrom } from '../../cli/command-spec.ts';
import type { Pod } from '../../cli/pod.ts';
import type { Check } from '../../engine/examine/check.ts';
import type { WantedPort } from '../../engine/examine/context.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import type { DoctorContext, DoctorSettings } from './context.ts';

type Flags = Readonly<Record<string, Flag>>;

/** A product whose parts see the settings of `hawser doctor`, and among them those of its own flags. */
interface ProductWith<Own extends object> {
  readonly home: /** Static pods on each node, which hawser installs. */
    | { readonly kind: 'node'; readonly pods: readonly Pod[] }
    /** A pod of a Deployment, which hawser does not install, on any node. Its settings are those with which its daemon runs. */
    | { readonly kind: 'pod'; readonly daemon: CommandSpec };
  readonly doctorFlags: Flags;
  /** What `hawser doctor` asks about it, in the order in which it is shown. */
  readonly checks: readonly Check<DoctorContext & { readonly settings: Own }>[];
  /** Ports on which its programs listen, in addition to their own pages. */
  readonly ports: (settings: DoctorSettings & Own) => readonly WantedPort[];
  /** The VIPs that were given, else those that this node has. */
  readonly lookForVips?: (
    settings: DoctorSettings & Own,
    files: HostFiles,
  ) => Promise<{ readonly api: readonly string[]; readonly ingress: readonly string[] }>;
  /** The other nodes, where its configuration names them. */
  readonly lookForPeers?: (
    settings: DoctorSettings & Own,
    files: HostFiles,
  ) => Promise<{ readonly peers: readonly Peer[]; readonly from: string }>;
}

/** What operate knows of a product: each has one in its `product.ts`, and `src/commands/products.ts` lists them. */
export type Product = ProductWith<object>;

/** Checks that a product's parts see no more than there is. In a list of products TypeScript does not know their flags. */
export function product<F extends Flags>(
  each: ProductWith<SettingsFrom<F>> & { readonly doctorFlags: F },
): Product {
  return each as unknown as Product;
}

/** The products that may be on a worker: their pods are installed there, or run on any node. */
export function onWorkers<Each extends Pick<Product, 'home'>>(products: readonly Each[]): readonly Each[] {
  return products.filter(({ home }) => home.kind === 'pod' || home.pods.some((pod) => pod.onWorkers));
}
