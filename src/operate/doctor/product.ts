import type { CommandSpec, Flag, SettingsFrom } from '../../cli/command-spec.ts';
import type { Pod } from '../../cli/pod.ts';
import type { Check } from '../../engine/examine/check.ts';
import type { WantedPort } from '../../engine/examine/context.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import type { DoctorContext, DoctorSettings } from './context.ts';

type Flags = Readonly<Record<string, Flag>>;

type Home =
  /** Static pods on each node, which hawser installs. */
  | { readonly kind: 'node'; readonly pods: readonly Pod[] }
  /** A pod of a Deployment on any node, which hawser does not install. Its settings are those of the running daemon. */
  | { readonly kind: 'pod'; readonly daemon: CommandSpec };

/** A product whose checks receive the settings of `hawser doctor`, including those of the product's own flags. */
interface ProductWith<Own extends object> {
  readonly home: Home;
  readonly doctorFlags: Flags;
  /** The product's checks, in the order of the report. */
  readonly checks: readonly Check<DoctorContext & { readonly settings: Own }>[];
  /** The ports on which the product's programs listen, without their own pages. */
  readonly ports: (settings: DoctorSettings & Own) => readonly WantedPort[];
  /** The VIPs from the settings, else those in this node's configuration. */
  readonly findVips?: (
    settings: DoctorSettings & Own,
    files: HostFiles,
  ) => Promise<{ readonly api: readonly string[]; readonly ingress: readonly string[] }>;
  /** The other nodes, if the product's configuration contains them. */
  readonly findPeers?: (
    settings: DoctorSettings & Own,
    files: HostFiles,
  ) => Promise<{ readonly peers: readonly Peer[]; readonly from: string }>;
}

/** The interface of a product to `src/operate/`. Each product exports one in its `product.ts`; `src/commands/products.ts` lists them. */
export type Product = ProductWith<object>;

/** Type-checks that a product uses only settings that its flags provide. A list of products loses the types of their flags. */
export function product<F extends Flags>(
  each: ProductWith<SettingsFrom<F>> & { readonly doctorFlags: F },
): Product {
  return each as unknown as Product;
}

/** The products that can run on a worker: their pods are installed there, or run on any node. */
export function onWorkers<Each extends Pick<Product, 'home'>>(products: readonly Each[]): readonly Each[] {
  return products.filter(({ home }) => home.kind === 'pod' || home.pods.some((pod) => pod.onWorkers));
}
