/**
 * A program that takes the screenshot of the status page in docs/images, from three nodes in network namespaces with real faults.
 * The argument is the number of minutes over which the faults are spread (default: 2), since the page shows an hour.
 * Needs root.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBrowser } from '../test/helpers/page/browser.ts';
import { ensureBuilt } from '../test/helpers/supervisor-build.ts';
import { statusOnce } from '../test/helpers/vrrp/ask-status.ts';
import { serveNodePage } from '../test/helpers/vrrp/node-page.ts';
import { openCluster } from './screenshots/cluster.ts';
import { playIncident } from './screenshots/incident.ts';

const IMAGE = fileURLToPath(new URL('../docs/images/page-wide.png', import.meta.url));
const LOGS = join(tmpdir(), 'hawser-screenshots');
const minutes = Number(process.argv[2] ?? 2);
if (!(minutes > 0)) {
  console.error(`Cannot spread it over "${process.argv[2]}": expected minutes such as 10`);
  process.exit(2);
}
const tell = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);

// The nodes and the browser end with this process. Otherwise the browser's library would intercept SIGTERM.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

ensureBuilt();
// Started before the nodes, because a starting browser takes CPU time from them.
await using context = await startBrowser({ colorScheme: 'light' });
tell('starting three nodes');
await using cluster = await openCluster();
const { scene, journals } = cluster;
const holder = await playIncident(scene, minutes, tell).catch(giveUp);
await statusOnce(holder, 'which server is down', ({ here }) =>
  (here.servers ?? []).some(({ state }) => state === 'down'),
);
const flags = journals.flatMap((path) => ['--journal', path]);
await using page = await serveNodePage(holder, ...flags);
tell(`taking the picture on ${holder.name}`);
await picture(page.url);

function giveUp(error: unknown): never {
  scene.keepLogs(LOGS);
  tell(`it did not go as it should; what everybody said is in ${LOGS}`);
  throw error;
}

/** The whole page, once it is live. */
async function picture(url: string): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.goto(url);
  await page.waitForSelector('[data-contact=live]');
  await page.screenshot({ path: IMAGE, fullPage: true });
  await page.close();
}
