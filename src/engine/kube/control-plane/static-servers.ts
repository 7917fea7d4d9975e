import { ConfigError } from '../../system/errors.ts';
import { parseAddress } from '../../system/network/node-address.ts';
import { type ApiServer, endpointOf, sortServers } from '../api-server.ts';
import { safeServerName } from './server-name.ts';

/**
 * Parses `--servers HOST=IP[:PORT],…` (IPv6 with a port in brackets) into a sorted list. A host name must be safe as typed, because the load
 * balancer's statistics show it unchanged. Loopback is allowed, unlike for nodes, because the operator wrote it. Throws a `ConfigError` with all
 * problems, or if the flag is missing.
 */
export function parseServers(text: string | undefined, defaultPort: number): readonly ApiServer[] {
  if (text === undefined)
    throw new ConfigError(['Cannot use --source static without --servers: expected HOST=IP[:PORT],…']);
  const problems: string[] = [];
  const servers: ApiServer[] = [];
  for (const entry of text.split(',').map((part) => part.trim())) {
    const result = parseServer(entry, defaultPort);
    if (typeof result === 'string') problems.push(`Cannot use server ${JSON.stringify(entry)}: ${result}`);
    else servers.push(result);
  }
  const names = servers.map((server) => server.name);
  problems.push(...repeats('name', names), ...repeats('address', servers.map(endpointOf)));
  if (problems.length > 0) throw new ConfigError(problems);
  return sortServers(servers);
}

/** A server, or the problem with the entry. */
function parseServer(entry: string, defaultPort: number): ApiServer | string {
  const match = /^([^=]*)=(.*)$/s.exec(entry);
  if (match === null) return 'it has no "=", expected HOST=IP[:PORT]';
  const [, name = '', endpoint = ''] = match;
  if (name === '' || safeServerName(name) !== name)
    return `its name is ${JSON.stringify(name)}, expected 1 to 253 characters of A-Z a-z 0-9 . _ : -`;
  const parts = splitEndpoint(endpoint);
  const address = parts === undefined ? undefined : parseAddress(parts.address);
  if (parts === undefined || address === undefined)
    return `its address is ${JSON.stringify(endpoint)}, expected IPv4[:PORT], IPv6 or [IPv6]:PORT`;
  const port = parts.port === undefined ? defaultPort : Number(parts.port);
  if (port < 1 || port > 65_535) return `its port is "${parts.port}", expected 1 to 65535`;
  return { name, address: address.text, port };
}

function splitEndpoint(text: string): { address: string; port: string | undefined } | undefined {
  const match = /^(?:\[([^\]]*:[^\]]*)\]|([^:[\]]*))(?::([0-9]{1,6}))?$/.exec(text);
  if (match !== null) return { address: match[1] ?? match[2] ?? '', port: match[3] };
  return /^[0-9A-Fa-f:.]+$/.test(text) ? { address: text, port: undefined } : undefined;
}

function repeats(what: string, values: readonly string[]): readonly string[] {
  const repeated = values.filter((value, index) => values.indexOf(value) !== index);
  return [...new Set(repeated)].map(
    (value) => `Cannot use ${what} "${value}" twice: expected a different one for each server`,
  );
}
