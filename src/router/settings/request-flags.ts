import * as z from 'zod/mini';
import { flag, toggle } from '../../cli/command-spec.ts';
import { absolutePath, oneOf, wholeNumber } from '../../cli/fields.ts';
import {
  captures,
  cookieCapture,
  headerActions,
  headerNames,
  printable,
  timeMs,
  truth,
  word,
  words,
} from './router-fields.ts';

const balances = ['roundrobin', 'leastconn', 'source', 'random'] as const;
const facilities = [
  'kern',
  'user',
  'mail',
  'daemon',
  'auth',
  'syslog',
  'lpr',
  'news',
  'uucp',
  'cron',
  'auth2',
  'ftp',
  'ntp',
  'audit',
  'alert',
  'cron2',
  'local0',
  'local1',
  'local2',
  'local3',
  'local4',
  'local5',
  'local6',
  'local7',
] as const;
const levels = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'] as const;

/** How requests are processed and logged. */
export const requestFlags = {
  balance: flag('<how>', oneOf(balances), 'how pods are chosen', {
    default: 'random',
    variable: 'ROUTER_LOAD_BALANCE_ALGORITHM',
  }),
  tcpBalance: flag('<how>', oneOf(balances), 'how pods of passthrough routes are chosen', {
    default: 'source',
    variable: 'ROUTER_TCP_BALANCE_SCHEME',
  }),
  backendCheckInterval: flag('<time>', timeMs, 'interval of the health checks of a pod', {
    default: '5000ms',
    variable: 'ROUTER_BACKEND_CHECK_INTERVAL',
  }),
  cookieName: flag('<name>', z.optional(word), 'name of the session cookies (default: one for each route)', {
    variable: 'ROUTER_COOKIE_NAME',
  }),
  forwardedHeaders: flag(
    '<how>',
    oneOf(['append', 'replace', 'if-none', 'never']),
    'Forwarded and X-Forwarded-*',
    {
      default: 'append',
      variable: 'ROUTER_SET_FORWARDED_HEADERS',
    },
  ),
  requestHeaders: flag('<list>', z.optional(headerActions), 'headers set or deleted in all requests', {
    variable: 'ROUTER_HTTP_REQUEST_HEADERS',
  }),
  responseHeaders: flag('<list>', z.optional(headerActions), 'headers set or deleted in all responses', {
    variable: 'ROUTER_HTTP_RESPONSE_HEADERS',
  }),
  adjustCase: flag(
    '<names>',
    z.optional(headerNames),
    'header names to send in another spelling, for old HTTP/1.1 programs',
    {
      variable: 'ROUTER_H1_CASE_ADJUST',
    },
  ),
  errorFile503: flag('<path>', z.optional(absolutePath), 'response when no pod can be reached', {
    variable: 'ROUTER_ERRORFILE_503',
  }),
  errorFile404: flag('<path>', z.optional(absolutePath), 'response when no route matches (default: a 503)', {
    variable: 'ROUTER_ERRORFILE_404',
  }),
  compression: toggle('compress responses', { variable: 'ROUTER_ENABLE_COMPRESSION' }),
  compressionTypes: flag('<types>', words, 'media types that are compressed', {
    default: 'text/html text/plain text/css',
    variable: 'ROUTER_COMPRESSION_MIME',
  }),
  continuousStatistics: toggle('count the bytes of long responses while they run', {
    variable: 'ROUTER_HAPROXY_CONTSTATS',
  }),
  abortOnClose: toggle('drop a queued request when its client disconnects', {
    variable: 'ROUTER_ABORT_ON_CLOSE',
  }),
  idleCloseOnResponse: flag(
    '<true|false>',
    truth,
    'a reload closes idle connections with their next response',
    {
      default: 'true',
      variable: 'ROUTER_IDLE_CLOSE_ON_RESPONSE',
    },
  ),
  syslogAddress: flag('<address>', z.optional(word), 'address of the syslog server for request logs', {
    variable: 'ROUTER_SYSLOG_ADDRESS',
  }),
  syslogFormat: flag('<format>', z.optional(printable), "HAProxy's log-format", {
    variable: 'ROUTER_SYSLOG_FORMAT',
  }),
  syslogFacility: flag('<name>', oneOf(facilities), 'syslog facility', {
    default: 'local1',
    variable: 'ROUTER_LOG_FACILITY',
  }),
  syslogLevel: flag('<name>', oneOf(levels), 'lowest log level', {
    default: 'warning',
    variable: 'ROUTER_LOG_LEVEL',
  }),
  syslogMaxLength: flag('<bytes>', wholeNumber(480, 65_535), 'maximum length of a log line', {
    default: '1024',
    variable: 'ROUTER_LOG_MAX_LENGTH',
  }),
  captureRequestHeaders: flag('<list>', z.optional(captures), 'request headers to log', {
    variable: 'ROUTER_CAPTURE_HTTP_REQUEST_HEADERS',
  }),
  captureResponseHeaders: flag('<list>', z.optional(captures), 'response headers to log', {
    variable: 'ROUTER_CAPTURE_HTTP_RESPONSE_HEADERS',
  }),
  captureCookie: flag('<cookie>', z.optional(cookieCapture), 'cookie to log', {
    variable: 'ROUTER_CAPTURE_HTTP_COOKIE',
  }),
  uniqueIdFormat: flag(
    '<format>',
    z.optional(printable),
    "request id, as a log-format (default: with a header, OpenShift's format)",
    {
      variable: 'ROUTER_UNIQUE_ID_FORMAT',
    },
  ),
  uniqueIdHeader: flag(
    '<name>',
    z.optional(word),
    'header that carries the request id (default: none, log only)',
    {
      variable: 'ROUTER_UNIQUE_ID_HEADER_NAME',
    },
  ),
  dontLogNull: toggle('do not log connections that send nothing', { variable: 'ROUTER_DONT_LOG_NULL' }),
  ignoreProbes: toggle("do not log a browser's unused connections", {
    variable: 'ROUTER_HTTP_IGNORE_PROBES',
  }),
};
