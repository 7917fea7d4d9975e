import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isLoopback } from '../../engine/observe/http-endpoint.ts';
import type { JournalLine } from '../../engine/observe/journal/journal-line.ts';
import { messageOf } from '../../engine/system/errors.ts';
import { hostPort } from '../../engine/system/network/address-text.ts';
import type { PageAddress } from '../../engine/system/network/ask-page.ts';
import { serveUntil } from '../../engine/system/network/serve-until.ts';
import { stopOnSignals } from '../../engine/system/process/stop-signals.ts';
import { shippedFile } from '../../engine/system/shipped-file.ts';
import { countText } from '../../engine/system/text/readable-text.ts';
import { sharedRun } from '../../engine/system/time/one-at-a-time.ts';
import type { ClusterStatus } from '../status/node-status.ts';
import type { ProductStatus } from '../status/product-status.ts';
import { statusView } from '../status/view/status-view.ts';
import { collectJournals, type Range } from '../timeline/collect.ts';
import { lanesSection, pageDocument } from './document.ts';
import { refusalOf, safetyHeaders } from './guard.ts';
import { clockText, lastHour, vipLanes } from './lanes.ts';

/** The data sources of the page. */
export interface PageSource {
  /** Collects the current status of the cluster. */
  readonly collect: () => Promise<ClusterStatus>;
  readonly products: readonly ProductStatus[];
  readonly journals: (span: Range) => Journals;
  readonly nowMs: () => number;
}

export interface Journals {
  /** In the order of the nodes' clocks. */
  readonly lines: readonly JournalLine[];
  /** What could not be read: files, each with its path and reason, and lines. */
  readonly problems: readonly string[];
}

/** The files that the page loads, by path. */
type Assets = Readonly<Record<string, readonly [contentType: string, text: string]>>;

const PLACES = { connections: 64, whenFull: 'newest-goes' } as const;
/** Limits how long a hanging client keeps a connection. */
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Serves the page until `signal` aborts. Resolves once it listens; rejects with the system's error if the address is in
 * use or not on this node. Concurrent requests share one collection of the status. There is neither TLS nor a password: everyone
 * who can reach the address can read the page.
 */
export async function servePage(
  address: PageAddress,
  source: PageSource,
  signal: AbortSignal,
): Promise<void> {
  const assets = pageAssets();
  const page = sharedRun(() => pageNow(source));
  const limits = {
    maxHeaderSize: 16_384,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
  };
  const server = createServer(limits, (request, response) => void answer(request, response, assets, page));
  await serveUntil(server, address, PLACES, signal);
}

async function pageNow({ collect, products, journals, nowMs }: PageSource): Promise<string> {
  const status = await collect();
  const span = lastHour(nowMs());
  const { lines, problems } = journals(span);
  const lanes = lanesSection(vipLanes(status, lines, span, products), span, problems);
  return pageDocument(statusView(status, products), lanes, new Date(nowMs()).toISOString());
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  assets: Assets,
  page: () => Promise<string>,
): Promise<void> {
  const { method, url = '', headers } = request;
  const refusal = refusalOf({ method, host: headers.host, site: headers['sec-fetch-site']?.toString() });
  if (refusal !== undefined) return refuse(response, refusal.status, refusal.text);
  const [path = ''] = url.split('?', 1);
  const asset = Object.hasOwn(assets, path) ? assets[path] : undefined;
  if (asset !== undefined) return send(response, ...asset);
  if (path !== '/') return refuse(response, 404, 'expected /');
  await page().then(
    (text) => send(response, 'text/html; charset=utf-8', text),
    (error) => refuse(response, 503, `Cannot collect the cluster's status: ${messageOf(error)}`),
  );
}

function send(response: ServerResponse, type: string, text: string): void {
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(text) };
  response.writeHead(200, { ...safetyHeaders, ...headers }).end(text);
}

function refuse(response: ServerResponse, status: number, text: string): void {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 405 && { allow: 'GET, HEAD' }),
  };
  response.writeHead(status, { ...safetyHeaders, ...headers }).end(`${text}\n`);
}

/** The limit for one hour. With more entries, only the newest are shown. */
const MAX_ENTRIES = 2_000;

/**
 * Serves the page of `hawser status --serve` until a signal. Resolves with the exit code: 2 if the address cannot be
 * used.
 */
export async function serveStatus(
  address: PageAddress,
  directories: readonly string[],
  collect: (signal: AbortSignal) => Promise<ClusterStatus>,
  products: readonly ProductStatus[],
): Promise<number> {
  const signal = stopOnSignals(() => undefined);
  const journals = readJournals(directories);
  const source = { collect: () => collect(signal), products, journals, nowMs: Date.now };
  const text = hostPort(address);
  try {
    await servePage(address, source, signal);
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

/** Reads the journals once for each span. The span changes every ten seconds, and the journals are read completely. */
export function readJournals(directories: readonly string[]): PageSource['journals'] {
  let last: (Journals & Pick<Range, 'until'>) | undefined;
  return (span) => {
    if (last?.until === span.until) return last;
    const { moments, journals, unread, leftOut } = collectJournals(directories, span, MAX_ENTRIES);
    const lines = moments.flatMap(({ item, at }) => (item.kind === 'line' ? [{ ...item.line, at }] : []));
    const faults = journals.reduce((sum, { faultCount }) => sum + faultCount, 0);
    const problems = [
      ...[...unread, ...journals.flatMap((each) => each.unread)].map(
        ({ path, problem }) => `${path}: ${problem}`,
      ),
      ...(faults === 0
        ? []
        : [`${countText(faults, 'place')} with missing or foreign lines; hawser timeline shows them`]),
      ...(leftOut === 0
        ? []
        : [`${leftOut} entries left out: states before ${clockText(moments[0]?.at ?? '')} may be missing`]),
    ];
    last = { until: span.until, lines, problems };
    return last;
  };
}

/** The files that scripts/build.ts builds from `browser/`. */
function pageAssets(): Assets {
  return {
    '/page.css': ['text/css; charset=utf-8', shippedFile('dist/page/page.css')],
    '/page.js': ['text/javascript; charset=utf-8', shippedFile('dist/page/page.js')],
    '/icon.svg': ['image/svg+xml', shippedFile('dist/page/icon.svg')],
  };
}
