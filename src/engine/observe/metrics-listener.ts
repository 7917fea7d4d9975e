import { codeOf, messageOf } from '../system/errors.ts';
import type { Log } from '../system/log.ts';
import { hostPort } from '../system/network/address-text.ts';
import { ask } from '../system/network/ask.ts';
import type { PageAddress } from '../system/network/ask-page.ts';
import { sleep } from '../system/time/sleep.ts';
import { isSameCredential, parseAuthorization, readCredential } from './credential.ts';
import {
  authorizationIn,
  isLoopback,
  metricsResponse,
  pathOf,
  response,
  serveAnswers,
} from './http-endpoint.ts';
import { openPageTls } from './page-tls.ts';

/** A second address that serves only metrics, for other machines. */
export interface MetricsListenSettings {
  /** Undefined: no second address. */
  readonly metricsListen?: PageAddress | undefined;
  readonly metricsTokenFile?: string | undefined;
  readonly metricsTlsCertFile?: string | undefined;
  readonly metricsTlsKeyFile?: string | undefined;
}

type Metrics = () => Promise<string | Iterable<string>>;

/** The pages by the path of the request. */
export type MetricsPages = Readonly<Record<string, Metrics>>;

interface MetricsReport {
  readonly log: Log;
  /** Called with the reason while nothing is served, and with undefined once the pages are served. */
  readonly onTrouble: (message: string | undefined) => void;
}

const RETRY_MS = 5_000;
const RELAY = { timeoutMs: 5_000, maxBytes: 8 * 1024 * 1024 } as const;

/**
 * Serves only `pages` until `signal` aborts. A file or an address that cannot be used is logged once and retried, because the program must
 * not fail for it. Never rejects.
 */
export async function serveMetrics(
  settings: MetricsListenSettings,
  pages: MetricsPages,
  { log, onTrouble }: MetricsReport,
  signal: AbortSignal,
  retryMs = RETRY_MS,
): Promise<void> {
  const { metricsListen: address } = settings;
  if (address === undefined) return;
  let reported: string | undefined;
  while (!signal.aborted) {
    const trouble = await open(settings, address, pages, log, signal).then(() => undefined, messageOf);
    onTrouble(trouble);
    if (trouble === undefined) return log({ event: 'metrics-served', ...address });
    if (trouble !== reported)
      log({ event: 'metrics-not-served', level: 'error', ...address, message: trouble });
    reported = trouble;
    await sleep(retryMs, signal, { ref: false });
  }
}

async function open(
  settings: MetricsListenSettings,
  address: PageAddress,
  pages: MetricsPages,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const { metricsTokenFile: path } = settings;
  const admits = path === undefined ? undefined : await openMetricsToken(path, log);
  const tls = await openPageTls({ ...settings, metricsTlsMinVersion: 'TLSv1.2' });
  const answerTo = (head: string) => answer(head, pages, admits);
  await serveAnswers(address, answerTo, signal, tls?.openServer).catch((error: unknown) => {
    throw new Error(`Cannot use --metrics-listen "${hostPort(address)}": ${whyNot(error)}`, { cause: error });
  });
  void tls?.follow(log, signal);
}

function whyNot(error: unknown): string {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return 'another program listens there, expected a free port';
    case 'EADDRNOTAVAIL':
      return 'it is not an address of this node, expected one, or 0.0.0.0 or [::]';
    default:
      return messageOf(error);
  }
}

/** Checks the token first, so that a client without one does not learn which pages exist. */
async function answer(
  head: string,
  pages: MetricsPages,
  admits: Admits | undefined,
): Promise<string | Iterable<string>> {
  if (admits !== undefined && !(await admits(authorizationIn(head))))
    return response('401 Unauthorized', 'expected the bearer token\n', 'text/plain; charset=utf-8', [
      'www-authenticate: Bearer',
    ]);
  const path = pathOf(head);
  if (path === undefined) return response('405 Method Not Allowed', 'expected GET\n');
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (page === undefined) return response('404 Not Found', `expected ${Object.keys(pages).join(', ')}\n`);
  try {
    return metricsResponse(await page());
  } catch (error) {
    return response('502 Bad Gateway', `${messageOf(error)}\n`);
  }
}

/** A token file with this mode bit is refused, because every user on the node could read it. */
const READABLE_FOR_ALL = 0o004;

/** Whether an `Authorization` header contains the bearer token. The file is read each time, so that a new token is valid at once. */
type Admits = (authorization: string) => Promise<boolean>;

/**
 * Opens the token file. Rejects with the problem of the file and what is expected. If the file becomes invalid later, that is logged
 * once and the last valid token stays in use.
 */
async function openMetricsToken(path: string, log: Log): Promise<Admits> {
  let token = await readToken(path);
  let reported: string | undefined;
  const judge = (trouble: string | undefined): void => {
    if (trouble !== undefined && trouble !== reported)
      log({
        event: 'metrics-token-unusable',
        level: 'error',
        message: trouble,
        effect: 'the last one stays',
      });
    if (trouble === undefined && reported !== undefined) log({ event: 'metrics-token-usable', path });
    reported = trouble;
  };
  return async (authorization) => {
    try {
      token = await readToken(path);
      judge(undefined);
    } catch (error) {
      judge(messageOf(error));
    }
    const { scheme, credentials } = parseAuthorization(authorization);
    return scheme === 'bearer' && isSameCredential(credentials, token);
  };
}

async function readToken(path: string): Promise<string> {
  const { text, mode } = await readCredential(path).catch((error: unknown) => {
    throw unusable(path, messageOf(error), 'a file that is readable in this container');
  });
  if ((mode & READABLE_FOR_ALL) !== 0)
    throw unusable(path, `it is world-readable (mode ${(mode & 0o777).toString(8)})`, 'mode 600');
  if (text === '') throw unusable(path, 'it is empty', 'a token');
  if (/\s/.test(text)) throw unusable(path, 'its token contains white space', 'a single word');
  return text;
}

function unusable(path: string, found: string, expected: string): Error {
  return new Error(`Cannot use --metrics-token-file "${path}": ${found}, expected ${expected}`);
}

/** Returns the metrics of another program that serves them on loopback. */
export function relayedMetrics(address: PageAddress, signal: AbortSignal): Metrics {
  return async () => {
    const found = await ask({ ...address, path: '/metrics', tls: undefined }, { ...RELAY, signal });
    const what =
      found.kind === 'silent' ? found.reason : found.status === 200 ? undefined : `${found.status}`;
    if (found.kind === 'silent' || what !== undefined)
      throw new Error(`Cannot read metrics at "${hostPort(address)}": ${what}`);
    return found.body.toString('utf8');
  };
}

/** The problems with the combination of settings. Does not read the files. */
export function metricsListenProblems(settings: MetricsListenSettings): readonly string[] {
  const { metricsListen, metricsTokenFile, metricsTlsCertFile: cert, metricsTlsKeyFile: key } = settings;
  if ((cert === undefined) !== (key === undefined)) {
    const [has, lacks] = cert === undefined ? ['key', 'cert'] : ['cert', 'key'];
    return [`Cannot use --metrics-tls-${has}-file: --metrics-tls-${lacks}-file is missing, expected both`];
  }
  if (metricsListen === undefined || isLoopback(metricsListen.host)) return [];
  if (metricsTokenFile !== undefined || cert !== undefined) return [];
  return [
    `Cannot use --metrics-listen "${hostPort(metricsListen)}": other machines reach it without a credential, expected --metrics-token-file, or --metrics-tls-cert-file and --metrics-tls-key-file, or a loopback address`,
  ];
}
