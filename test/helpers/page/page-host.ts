import { statusProducts } from '../../../src/commands/status-products.ts';
import { type PageSource, servePage } from '../../../src/operate/page/serve-status.ts';
import { freePort } from '../free-port.ts';
import type { ClusterStatus } from '../status-types.ts';

/** The page's server in this process, for a made-up cluster. */
export interface PageHost extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:PORT/`. */
  readonly url: string;
  /** How often the cluster's status was collected. */
  readonly looks: () => number;
  readonly set: (status: ClusterStatus | (() => Promise<ClusterStatus>)) => void;
  readonly stop: () => void;
}

export interface PageHostOptions {
  readonly journals?: PageSource['journals'];
  /** Reuses the port of an earlier host. */
  readonly port?: number;
  readonly nowMs?: () => number;
}

const noJournals = () => ({ lines: [], problems: [] });

export async function startPageHost(
  status: ClusterStatus | (() => Promise<ClusterStatus>),
  { journals = noJournals, port, nowMs = Date.now }: PageHostOptions = {},
): Promise<PageHost> {
  let shown = status;
  let looks = 0;
  const collect = async () => {
    looks += 1;
    return typeof shown === 'function' ? await shown() : shown;
  };
  const address = { host: '127.0.0.1', port: port ?? (await freePort()) };
  const controller = new AbortController();
  const stop = () => controller.abort();
  const source = { collect, products: statusProducts, journals, nowMs };
  await servePage(address, source, controller.signal);
  return {
    ...address,
    url: `http://127.0.0.1:${address.port}/`,
    looks: () => looks,
    set: (next) => {
      shown = next;
    },
    stop,
    [Symbol.asyncDispose]: async () => stop(),
  };
}
