import { type Backends, startBackends } from '../helpers/load/start-backends.ts';
import { apiServerArgv } from '../helpers/vrrp/api-server.ts';
import type { BedNode } from '../helpers/vrrp/bed-node.ts';
import { createHawserStack, type HawserStack, takesPart } from '../helpers/vrrp/hawser.ts';
import { quietFor } from '../helpers/vrrp/holdings.ts';
import { stackPorts } from '../helpers/vrrp/node-stack.ts';
import { createVrrpBed, type VrrpBed } from '../helpers/vrrp/vrrp-bed.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Three complete nodes. Their API servers also answer the load, with their node's name or with a stream. */
export interface SoakWorld extends AsyncDisposable {
  readonly bed: VrrpBed;
  readonly stack: HawserStack;
  /** Resolves with the holder once exactly one node has the VIP, all take part, and the VIP has not moved for a while. */
  rested(): Promise<BedNode>;
}

const PATIENCE_MS = 120_000;
const CALM_MS = 3_000;
/** Port of the API server behind the proxy that separates clients from load. */
const BEHIND_PORT = 6444;

/** A replaced generation may drain for `drainMs`, so that no stream is cut by design during the soak. */
export async function openSoakWorld(drainMs: number): Promise<SoakWorld> {
  await using owned = new AsyncDisposableStack();
  const bed = owned.use(await createVrrpBed(3));
  const stack = createHawserStack(bed, {
    flags: { haproxy: ['--force-delete-timeout', `${Math.ceil(drainMs / 1_000)}s`] },
    own: journalOf,
  });
  for (const node of bed.nodes) {
    node.start('apiserver', apiServerArgv(bed, { host: '127.0.0.1', port: BEHIND_PORT }));
    owned.use(await startFront(bed, node));
  }
  await Promise.all(bed.nodes.map((node) => stack.start(node)));
  const rested = () =>
    waitFor(
      'one holder, and every node to take part',
      () => {
        const [holder, ...more] = bed.holders();
        const isCalm = more.length === 0 && bed.nodes.every(takesPart) && quietFor(bed.events(), CALM_MS);
        return isCalm ? holder : undefined;
      },
      PATIENCE_MS,
    );
  await rested();
  const all = owned.move();
  return { bed, stack, rested, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function startFront({ serving }: VrrpBed, { name, namespace }: BedNode): Promise<Backends> {
  const backend = { name, host: '::', port: stackPorts.api, tlsPort: BEHIND_PORT };
  return startBackends(namespace.prefix, [backend], serving);
}

/** All nodes share this machine's host name, and journals identify nodes by it. The pid stays the same. */
const journalOf = (node: BedNode) => ({
  flags: ['--journal', node.at('journal')],
  prefix: ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', node.name],
});
