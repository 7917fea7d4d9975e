import { messageOf } from '../../../engine/system/errors.ts';
import { hostPort } from '../../../engine/system/network/address-text.ts';
import type { PageAddress } from '../../../engine/system/network/ask-page.ts';
import { stopOnSignals } from '../../../engine/system/process/stop-signals.ts';
import { shippedFile } from '../../../engine/system/shipped-file.ts';
import type { ClusterStatus } from '../../status/node-status.ts';
import { createRecentEntries } from '../../timeline/recent.ts';
import { isLoopback } from './guard.ts';
import { type PageAssets, servePage } from './serve-page.ts';
import type { PageSource } from './snapshots.ts';

/** For one hour. A cluster with more events is in a storm, in which the newest count. */
const MOST_ENTRIES = 2_000;

/**
 * Serves the page of `hawser status --serve` until a signal. Resolves with the exit code: 2 if the address cannot be
 * used.
 */
export async function serveStatus(
  address: PageAddress,
  journal: readonly string[],
  look: (signal: AbortSignal) => Promise<ClusterStatus>,
  { products, words }: Pick<PageSource, 'products' | 'words'>,
): Promise<number> {
  const signal = stopOnSignals(() => undefined);
  const recent = createRecentEntries(journal, MOST_ENTRIES, words);
  const source = { look: () => look(signal), products, words, recent, nowMs: Date.now };
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

function pageAssets(): PageAssets {
  return {
    style: shippedFile('dist/page/page.css'),
    script: shippedFile('dist/page/page.js'),
    icon: shippedFile('dist/page/icon.svg'),
  };
}
