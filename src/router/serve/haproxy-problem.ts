import { isIPv6 } from 'node:net';
import { askPage } from '../../engine/system/network/ask-page.ts';
import { askRuntimeApi } from '../../haproxy/runtime-api.ts';
import type { LiveSettings } from '../settings/router-command.ts';

type ProbeSettings = Pick<LiveSettings, 'statsSocket' | 'httpPort' | 'ipMode' | 'proxyProtocol' | 'readyUrl'>;

/** The template's `monitor-uri`: HAProxy answers it itself, without a route and without a log line. */
const MONITOR_PATH = '/_______internal_router_healthz';

/**
 * Why HAProxy serves no clients; undefined if it does. A process that answers only on its stats socket does not serve: it may have lost its listeners
 * or accept no more connections. Any response on its port will do, since a custom template may lack the page. A page in the settings must return 2xx.
 * Resolves within `withinMs` and never rejects.
 */
export async function haproxyProblem(settings: ProbeSettings, withinMs: number): Promise<string | undefined> {
  const [info, port] = await Promise.all([
    askRuntimeApi(settings.statsSocket, 'show info', withinMs),
    portProblem(settings, withinMs),
  ]);
  if (info === undefined) return 'HAProxy does not answer on its stats socket';
  return port;
}

async function portProblem(
  { httpPort, ipMode, proxyProtocol, readyUrl }: ProbeSettings,
  timeoutMs: number,
): Promise<string | undefined> {
  const loopback = ipMode === 'v6' ? '::1' : '127.0.0.1';
  const { host, port, path } = readyUrl ?? { host: loopback, port: httpPort, path: MONITOR_PATH };
  const preface = proxyProtocol ? proxyLine(host, port) : '';
  const answer = await askPage({ host, port }, path, { timeoutMs, preface });
  if (answer.kind === 'silent') return `HAProxy does not answer on port ${port}: ${answer.message}`;
  if (readyUrl === undefined || (answer.status >= 200 && answer.status <= 299)) return undefined;
  return `${path} of port ${port} answers with HTTP ${answer.status}, expected 2xx`;
}

/** The PROXY protocol header (version 1) that a load balancer sends. Source: HAProxy's proxy-protocol.txt. */
function proxyLine(host: string, port: number): string {
  return `PROXY ${isIPv6(host) ? 'TCP6' : 'TCP4'} ${host} ${host} ${port} ${port}\r\n`;
}
