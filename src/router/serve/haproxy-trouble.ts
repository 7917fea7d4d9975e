import { isIPv6 } from 'node:net';
import { askPage } from '../../engine/system/network/ask-page.ts';
import { askRuntimeApi } from '../../haproxy/runtime-api.ts';
import type { LiveSettings } from '../settings/router-command.ts';

type Asked = Pick<LiveSettings, 'statsSocket' | 'httpPort' | 'ipMode' | 'proxyProtocol' | 'readyUrl'>;

/** `monitor-uri` of the template: HAProxy answers by itself, without a route and without a line in its log. */
const MONITOR_PATH = '/_______internal_router_healthz';

/**
 * Why HAProxy serves no clients; undefined if it does. A process with only its stats socket, as after losing its listeners or while it accepts
 * no more connections, does not serve. Any answer of its port is good, since a custom template may lack the page; for a page named in the
 * settings it has to be 2xx. Never rejects, and answers within `withinMs`.
 */
export async function haproxyTrouble(settings: Asked, withinMs: number): Promise<string | undefined> {
  const [info, port] = await Promise.all([
    askRuntimeApi(settings.statsSocket, 'show info', withinMs),
    portTrouble(settings, withinMs),
  ]);
  if (info === undefined) return 'HAProxy does not answer on its stats socket';
  return port;
}

async function portTrouble(
  { httpPort, ipMode, proxyProtocol, readyUrl }: Asked,
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

/** The preface that a load balancer sends. Source: HAProxy's proxy-protocol.txt, version 1. */
function proxyLine(host: string, port: number): string {
  return `PROXY ${isIPv6(host) ? 'TCP6' : 'TCP4'} ${host} ${host} ${port} ${port}\r\n`;
}
