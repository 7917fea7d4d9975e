/**
 * A program: makes the pictures in docs/images of what `hawser status` and the dashboard's queries show, from three nodes in
 * network namespaces on which real things go wrong. Its argument is over how many minutes that is spread (default: 2), since the page draws an hour.
 * Needs root.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBrowser } from '../test/helpers/page/browser.ts';
import { ensureBuilt, hawser } from '../test/helpers/supervisor-build.ts';
import { statusOnce } from '../test/helpers/vrrp/ask-status.ts';
import type { BedNode } from '../test/helpers/vrrp/bed-node.ts';
import { serveNodePage } from '../test/helpers/vrrp/node-page.ts';
import { clusterName, openCluster } from './screenshots/cluster.ts';
import { deleteNode, playIncident } from './screenshots/incident.ts';
import { askPanels, withoutData } from './screenshots/panels/ask-panels.ts';
import { panelsPage } from './screenshots/panels/page.ts';
import { type Prometheus, startPrometheus } from './screenshots/panels/prometheus.ts';
import { terminalPage } from './screenshots/terminal.ts';

const MARGIN = 16;
const LOGS = join(tmpdir(), 'hawser-screenshots');
const minutes = Number(process.argv[2] ?? 2);
if (!(minutes > 0)) {
  console.error(`Cannot spread it over "${process.argv[2]}": it is no number, expected minutes such as 10`);
  process.exit(2);
}
const tell = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
const imagePath = (name: string) => fileURLToPath(new URL(`../docs/images/${name}`, import.meta.url));

// The nodes and the browser go with this process; the browser's library would keep SIGTERM for itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

ensureBuilt();
// Before the nodes: a browser that starts keeps them from the processor.
await using context = await startBrowser({ colorScheme: 'light' });
tell('starting three nodes');
await using cluster = await openCluster();
const { scene, settingsOf, journals } = cluster;
const prometheus = await startPrometheus(scene, clusterName).catch(giveUp);
const { holder, dead } = await playIncident(scene, minutes, tell).catch(giveUp);
await statusOnce(holder, 'which server is down', ({ here }) =>
  (here.servers ?? []).some(({ state }) => state === 'down'),
);
const flags = [...settingsOf(holder), ...journals.flatMap((path) => ['--journal', path])];
await using page = await serveNodePage(holder, ...flags);
tell(`taking the pictures on ${holder.name}`);
await picture(page.url, { name: 'page-wide.png', width: 1_280, last: '[aria-labelledby=nodes]' });
await picture(page.url, { name: 'page-phone.png', width: 360, last: '[aria-labelledby=servers]' });
console.log(await terminal(holder, settingsOf(holder)));
tell('the Node of the dead API server is deleted');
await deleteNode(scene, dead);
await panelsPicture(prometheus);

function giveUp(error: unknown): never {
  scene.keepLogs(LOGS);
  tell(`it did not go as it should; what everybody said is in ${LOGS}`);
  throw error;
}

interface Shot {
  readonly name: string;
  readonly width: number;
  /** The section with which the picture ends. */
  readonly last: string;
}

/** The page from its top on, once it is live. */
async function picture(url: string, { name, width, last }: Shot): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize({ width, height: 800 });
  await page.goto(url);
  await page.waitForSelector('[data-contact=live]');
  const box = await page.locator(last).boundingBox();
  if (box === null) throw new Error(`Cannot take ${name}: the page has no ${last}`);
  const clip = { x: 0, y: 0, width, height: Math.round(box.y + box.height + MARGIN) };
  await page.screenshot({ path: imagePath(name), fullPage: true, clip });
  await page.close();
}

/** What `hawser status` writes there to a terminal, colours and all; a picture of it besides. */
async function terminal(node: BedNode, settings: readonly string[]): Promise<string> {
  const argv = [hawser, 'status', '--node-name', node.name, '--timeout', '5s', ...settings];
  const output = await node.namespace.run('script', '-qc', argv.join(' '), '/dev/null');
  const page = await context.newPage();
  await page.setContent(terminalPage(`$ hawser status\n${output}`));
  await page.locator('pre').screenshot({ path: imagePath('status.png') });
  return output;
}

/** Every panel of the dashboard, with what Prometheus answers to its queries. */
async function panelsPicture({ ask, seen }: Prometheus): Promise<void> {
  const range = seen();
  const panels = await askPanels(ask, range);
  for (const title of withoutData(panels)) tell(`no data in the panel "${title}"`);
  const page = await context.newPage();
  await page.setContent(panelsPage(panels, range));
  await page.locator('body').screenshot({ path: imagePath('dashboard-panels.png') });
}
