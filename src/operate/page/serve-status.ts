import { messageOf } from '../../engine/system/errors.ts';
import { hostPort } from '../../engine/system/network/address-text.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import { stopOnSignals } from '../../engine/system/process/stop-signals.ts';
import { shippedFile } from '../../engine/system/shipped-file.ts';
import type { ClusterStatus } from '../status/node-status.ts';
import type { ProductStatus } from '../status/product-status.ts';
import { collectJournals } from '../timeline/collect.ts';
import { isLoopback } from './guard.ts';
import type { TimeSpan } from './lanes.ts';
import { type Journals, type PageSource, servePage } from './serve-page.ts';

/** For one hour. A cluster with more events is in a storm, in which the newest count. */
const MOST_ENTRIES = 2_000;

/**
 * Serves the page of `hawser status --serve` until a signal. Resolves with the exit code: 2 if the address cannot be
 * used.
 */
export async function serveStatus(
  address: PageAddress,
  directories: readonly string[],
  look: (signal: AbortSignal) => Promise<ClusterStatus>,
  products: readonly ProductStatus[],
): Promise<number> {
  const signal = stopOnSignals(() => undefined);
  const journals = readJournals(directories);
  const source = { look: () => look(signal), products, journals, nowMs: Date.now };
  const text = hostPort(address);
  try {
    await servePage({ address, assets: pageAssets(), source, signal });
  } catch (error) {
    process.stderr.write(
      `Cannot serve the page at "${text}": ${messageOf(error)}, expected a free address of this node\n`,
    );
    return 2;
  }
  if (!isLoopback(address.host))
    process.stderr.write(
      `Everyone who can reach ${text} can read the page: it has no password and no encryption\n`,
    );
  process.stdout.on('error', () => undefined);
  process.stdout.write(`http://${text}/\n`);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return 0;
}

/** Once for each span, which is another one every ten seconds: the journals are read as a whole. */
function readJournals(directories: readonly string[]): PageSource['journals'] {
  let known: (Journals & { readonly to: string }) | undefined;
  return (span: TimeSpan) => {
    if (known?.to === span.to) return known;
    const { moments, unread } = collectJournals(
      directories,
      { since: span.from, until: span.to },
      MOST_ENTRIES,
    );
    const lines = moments.flatMap(({ item, at }) => (item.kind === 'line' ? [{ ...item.line, at }] : []));
    known = { to: span.to, lines, problems: unread.map(({ path, problem }) => `${path}: ${problem}`) };
    return known;
  };
}

/** What scripts/build.ts makes of `browser/`. */
export function pageAssets(): Parameters<typeof servePage>[0]['assets'] {
  return {
    '/page.css': ['text/css; charset=utf-8', shippedFile('dist/page/page.css')],
    '/page.js': ['text/javascript; charset=utf-8', shippedFile('dist/page/page.js')],
    '/icon.svg': ['image/svg+xml', shippedFile('dist/page/icon.svg')],
  };
}
