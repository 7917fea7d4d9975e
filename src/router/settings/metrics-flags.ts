import * as z from 'zod/mini';
import { flag } from '../../cli/command-spec.ts';
import { absolutePath, wholeNumber } from '../../cli/fields.ts';
import type { PageTlsSettings } from '../../engine/observe/page-tls.ts';
import { usualColumns } from '../../haproxy/exporter/columns.ts';
import type { MetricsAccess } from './metrics-access.ts';
import { columnNumbers, eitherTlsVersion, printable, timeMs, word } from './router-fields.ts';

/** What is shown under /metrics, and to whom. */
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
  metricsTlsKeyFile: flag('<path>', z.optional(absolutePath), 'its key', {
    variable: 'ROUTER_METRICS_TLS_KEY_FILE',
  }),
  metricsTlsMinVersion: flag('<version>', eitherTlsVersion, 'lowest version of TLS of the page', {
    default: 'TLSv1.2',
    variable: 'ROUTER_METRICS_TLS_MIN_VERSION',
  }),
  metricsTlsCiphers: flag('<list>', z.optional(word), 'its ciphers, with colons or commas', {
    variable: 'ROUTER_METRICS_TLS_CIPHERS',
  }),
  metricsTlsCurves: flag('<list>', z.optional(word), 'its elliptic curves, with colons or commas', {
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

/** What would leave the metrics to others than was meant: a user without a password is nobody, so that this machine alone could read them. */
export function metricsProblems(settings: MetricsAccess & PageTlsSettings): readonly string[] {
  return [...accessProblems(settings), ...tlsProblems(settings)];
}

/** One without the other would leave the page, and the password that it asks for, to plain HTTP. */
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
