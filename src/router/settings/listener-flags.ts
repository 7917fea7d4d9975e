import * as z from 'zod/mini';
import { flag, toggle } from '../../cli/command-spec.ts';
import { absolutePath, oneOf, port, wholeNumber, wholeNumberOrAuto } from '../../cli/fields.ts';
import { timeMs } from './router-fields.ts';

/** The router's listeners, limits and timeouts. */
export const listenerFlags = {
  httpPort: flag('<port>', port, 'port for clients without TLS', {
    default: '80',
    variable: 'ROUTER_SERVICE_HTTP_PORT',
  }),
  httpsPort: flag('<port>', port, 'port for clients with TLS', {
    default: '443',
    variable: 'ROUTER_SERVICE_HTTPS_PORT',
  }),
  ipMode: flag('<mode>', oneOf(['v4', 'v6', 'v4v6']), 'addresses on which the ports are bound', {
    default: 'v4',
    variable: 'ROUTER_IP_V4_V6_MODE',
  }),
  proxyProtocol: toggle('clients arrive through a load balancer that sends the PROXY protocol', {
    variable: 'ROUTER_USE_PROXY_PROTOCOL',
  }),
  maxConnections: flag(
    '<n|auto>',
    wholeNumberOrAuto(100, 10_000_000),
    'maximum concurrent clients, for TLS and plain HTTP separately; auto: from the open-file limit',
    {
      default: '50000',
      variable: 'ROUTER_MAX_CONNECTIONS',
    },
  ),
  threads: flag('<n>', z.optional(wholeNumber(1, 64)), "HAProxy's threads (default: the processors)", {
    variable: 'ROUTER_THREADS',
  }),
  hardStopAfter: flag(
    '<time>',
    z.optional(timeMs),
    'end an old generation and its connections after this time',
    {
      variable: 'ROUTER_HARD_STOP_AFTER',
    },
  ),
  connectTimeout: flag('<time>', timeMs, 'timeout for connecting to a pod', {
    default: '5s',
    variable: 'ROUTER_DEFAULT_CONNECT_TIMEOUT',
  }),
  clientTimeout: flag('<time>', timeMs, 'timeout for an idle client', {
    default: '30s',
    variable: 'ROUTER_DEFAULT_CLIENT_TIMEOUT',
  }),
  clientFinTimeout: flag('<time>', timeMs, 'timeout for a client that closes', {
    default: '1s',
    variable: 'ROUTER_CLIENT_FIN_TIMEOUT',
  }),
  serverTimeout: flag('<time>', timeMs, 'timeout for an idle pod', {
    default: '30s',
    variable: 'ROUTER_DEFAULT_SERVER_TIMEOUT',
  }),
  serverFinTimeout: flag('<time>', timeMs, 'timeout for a pod that closes', {
    default: '1s',
    variable: 'ROUTER_DEFAULT_SERVER_FIN_TIMEOUT',
  }),
  tunnelTimeout: flag('<time>', timeMs, 'timeout for an idle WebSocket or passthrough connection', {
    default: '1h',
    variable: 'ROUTER_DEFAULT_TUNNEL_TIMEOUT',
  }),
  requestTimeout: flag('<time>', timeMs, 'timeout for the headers of a request', {
    default: '10s',
    variable: 'ROUTER_SLOWLORIS_TIMEOUT',
  }),
  keepAliveTimeout: flag('<time>', timeMs, 'timeout for the next request on a connection', {
    default: '300s',
    variable: 'ROUTER_SLOWLORIS_HTTP_KEEPALIVE',
  }),
  inspectDelay: flag('<time>', timeMs, 'timeout for the first bytes of a connection', {
    default: '5s',
    variable: 'ROUTER_INSPECT_DELAY',
  }),
  bufferSize: flag('<bytes>', wholeNumber(16_384, 1_048_576), 'buffer of a request', {
    default: '32768',
    variable: 'ROUTER_BUF_SIZE',
  }),
  rewriteSize: flag('<bytes>', wholeNumber(4_096, 524_288), 'part of the buffer reserved for added headers', {
    default: '8192',
    variable: 'ROUTER_MAX_REWRITE_SIZE',
  }),
  template: flag(
    '<path>',
    z.optional(absolutePath),
    'EJS template of haproxy.cfg (default: the one that comes with hawser)',
    {
      variable: 'TEMPLATE_FILE',
    },
  ),
  lookup: flag('<how>', oneOf(['hash', 'regex']), "lookup of a request's route; regex only for a migration", {
    default: 'hash',
  }),
};
