import * as z from 'zod/mini';
import { flag } from '../../cli/command-spec.ts';
import { absolutePath, wholeNumber } from '../../cli/fields.ts';
import { isSameCredential, parseAuthorization, readCredential } from '../../engine/observe/credential.ts';
import type { Reader } from '../../engine/observe/http-endpoint.ts';
import type { PageTlsSettings } from '../../engine/observe/page-tls.ts';
import { usualColumns } from '../../haproxy/exporter/columns.ts';
import { columnNumbers, eitherTlsVersion, printable, timeMs, word } from './router-fields.ts';

/** What /metrics contains, and who may read it. */
export const metricsFlags = {
  statsUsername: flag('<name>', z.optional(printable), 'user who may read /metrics, with a password', {
    variable: 'STATS_USERNAME',
  }),
  statsUsernameFile: flag('<path>', z.optional(absolutePath), 'file with that user name', {
    variable: 'STATS_USERNAME_FILE',
  }),
  statsPassword: flag('<text>', z.optional(printable), "that user's password", {
    variable: 'STATS_PASSWORD',
    inFile: 'never',
  }),
  statsPasswordFile: flag('<path>', z.optional(absolutePath), 'file with the password', {
    variable: 'STATS_PASSWORD_FILE',
  }),
  metricsTokenFile: flag('<path>', z.optional(absolutePath), 'file with a token that may read /metrics'),
  metricsTlsCertFile: flag('<path>', z.optional(absolutePath), 'certificate of the page; turns TLS on', {
    variable: 'ROUTER_METRICS_TLS_CERT_FILE',
  }),
  metricsTlsKeyFile: flag('<path>', z.optional(absolutePath), 'private key of that certificate', {
    variable: 'ROUTER_METRICS_TLS_KEY_FILE',
  }),
  metricsTlsMinVersion: flag('<version>', eitherTlsVersion, 'lowest version of TLS of the page', {
    default: 'TLSv1.2',
    variable: 'ROUTER_METRICS_TLS_MIN_VERSION',
  }),
  metricsTlsCiphers: flag('<list>', z.optional(word), 'ciphers of the page, with colons or commas', {
    variable: 'ROUTER_METRICS_TLS_CIPHERS',
  }),
  metricsTlsCurves: flag('<list>', z.optional(word), 'elliptic curves of the page, with colons or commas', {
    variable: 'ROUTER_METRICS_TLS_CURVES',
  }),
  metricsTimeout: flag('<time>', timeMs, "timeout for reading HAProxy's statistics", {
    default: '5s',
    variable: 'ROUTER_METRICS_HAPROXY_TIMEOUT',
  }),
  metricsInterval: flag(
    '<time>',
    timeMs,
    "minimum interval between reads of HAProxy's statistics, and this much more for each 1,000 rows",
    {
      default: '5s',
      variable: 'ROUTER_METRICS_HAPROXY_BASE_SCRAPE_INTERVAL',
    },
  ),
  metricsServerThreshold: flag(
    '<n>',
    wholeNumber(0, 1_000_000),
    'servers above which only backends are shown',
    {
      default: '500',
      variable: 'ROUTER_METRICS_HAPROXY_SERVER_THRESHOLD',
    },
  ),
  metricsExported: flag('<numbers>', columnNumbers, "columns of HAProxy's statistics that are shown", {
    default: usualColumns.join(','),
    variable: 'ROUTER_METRICS_HAPROXY_EXPORTED',
  }),
};

/** Problems that would expose the metrics, or hide them from the intended reader: without its password, a user name is ignored. */
export function metricsProblems(settings: MetricsAccess & PageTlsSettings): readonly string[] {
  return [...accessProblems(settings), ...tlsProblems(settings)];
}

/** One file without the other would leave the page, and its password, on plain HTTP. */
function tlsProblems({
  metricsTlsCertFile: cert,
  metricsTlsKeyFile: key,
}: PageTlsSettings): readonly string[] {
  if ((cert === undefined) === (key === undefined)) return [];
  const [has, lacks] = cert === undefined ? ['KEY', 'certificate'] : ['CERT', 'key'];
  const flagOf = (what: string) => `--metrics-tls-${what.toLowerCase()}-file`;
  return [
    `Cannot serve the page over TLS: ${flagOf(has)} (ROUTER_METRICS_TLS_${has}_FILE) has no ${lacks}, expected both files`,
  ];
}

function accessProblems(settings: MetricsAccess): readonly string[] {
  const hasUser = (settings.statsUsername ?? settings.statsUsernameFile) !== undefined;
  const hasPassword = (settings.statsPassword ?? settings.statsPasswordFile) !== undefined;
  if (hasUser === hasPassword) return [];
  const found = hasUser ? '--stats-username has no password' : '--stats-password has no user';
  const expected =
    'expected STATS_USERNAME and STATS_PASSWORD, or a file of each (STATS_USERNAME_FILE, STATS_PASSWORD_FILE)';
  return [`Cannot protect /metrics: ${found}, ${expected}`];
}

export interface MetricsAccess {
  readonly statsUsername?: string | undefined;
  readonly statsUsernameFile?: string | undefined;
  readonly statsPassword?: string | undefined;
  readonly statsPasswordFile?: string | undefined;
  readonly metricsTokenFile?: string | undefined;
}

/**
 * Returns a function that decides whether a request may read the metrics: with the user and password (basic), or with the token in the file
 * (bearer). If neither is configured, only this machine may. Files are read at every request, so that a changed Secret takes effect at once. A file
 * that cannot be read admits nobody.
 */
export function metricsAccess(access: MetricsAccess): (reader: Reader) => Promise<boolean> {
  const wantsBasic =
    (access.statsUsername ?? access.statsUsernameFile) !== undefined &&
    (access.statsPassword ?? access.statsPasswordFile) !== undefined;
  const isOpen = !wantsBasic && access.metricsTokenFile === undefined;
  return async ({ authorization, isLocal }) => {
    if (isOpen) return isLocal;
    const { scheme, credentials } = parseAuthorization(authorization);
    switch (scheme) {
      case 'basic':
        return wantsBasic && (await isUser(access, credentials));
      case 'bearer':
        return isSameCredential(credentials, await textOf(undefined, access.metricsTokenFile));
      default:
        return false;
    }
  };
}

async function isUser(access: MetricsAccess, credentials: string): Promise<boolean> {
  const user = await textOf(access.statsUsername, access.statsUsernameFile);
  const password = await textOf(access.statsPassword, access.statsPasswordFile);
  if (user === undefined || password === undefined) return false;
  return isSameCredential(Buffer.from(credentials, 'base64').toString('utf8'), `${user}:${password}`);
}

/** A file takes precedence, as with openshift-router. Undefined if it cannot be read or is empty. */
async function textOf(text: string | undefined, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return text || undefined;
  try {
    return (await readCredential(path)).text || undefined;
  } catch {
    return undefined;
  }
}
