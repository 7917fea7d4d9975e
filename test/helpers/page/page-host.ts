import { allJournals } from '../../../src/commands/journal-words.ts';
import { statusProducts } from '../../../src/commands/status-products.ts';
import { type PageAssets, servePage } from '../../../src/operate/page/server/serve-page.ts';
import type { RecentEntries } from '../../../src/operate/timeline/recent.ts';
import { freePort } from '../free-port.ts';
import type { ClusterStatus } from '../status-types.ts';

/** The page's server in this process, in front of a cluster that a test makes up. */
export interface PageHost extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:PORT/`. */
  readonly url: string;
  /** How often the cluster has been looked at. */
  readonly looks: () => number;
  readonly set: (status: ClusterStatus | (() => Promise<ClusterStatus>)) => void;
  readonly stop: () => void;
}

const noFiles: PageAssets = { style: '', script: '', icon: '<svg xmlns="http://www.w3.org/2000/svg"/>' };
const noEntries: RecentEntries = { entries: [], isCut: false, problems: [] };

export interface PageHostOptions {
  readonly assets?: PageAssets;
  readonly recent?: (since: string) => RecentEntries;
  /** Of an earlier one. */
  readonly port?: number;
  readonly nowMs?: () => number;
}

export async function startPageHost(
  status: ClusterStatus | (() => Promise<ClusterStatus>),
  { assets = noFiles, recent = () => noEntries, port, nowMs = Date.now }: PageHostOptions = {},
): Promise<PageHost> {
  let shown = status;
  let looks = 0;
  const look = async () => {
    looks += 1;
    return typeof shown === 'function' ? await shown() : shown;
  };
  const address = { host: '127.0.0.1', port: port ?? (await freePort()) };
  const controller = new AbortController();
  const stop = () => controller.abort();
  await servePage({
    address,
    assets,
    source: { look, products: statusProducts, words: allJournals, recent, nowMs },
    signal: controller.signal,
  });
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
