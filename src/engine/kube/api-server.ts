import { hostPort } from '../system/network/address-text.ts';
import { compareText } from '../system/text/compare-text.ts';
/** One API server for the load balancer. Every field can be printed into a configuration file safely. */
export interface ApiServer {
  /** Unique within a list. Contains only `[A-Za-z0-9._:-]`, see `safeServerName`. */
  readonly name: string;
  /** An IPv4 or IPv6 address in canonical form, without brackets. */
  readonly address: string;
  readonly port: number;
  /** An operator drained the server with an annotation of its Node. */
  readonly drained?: true;
}

/** Sorts servers by name, then address, so that lists that differ only in order are equal. */
export function sortServers(servers: readonly ApiServer[]): readonly ApiServer[] {
  return [...servers].sort(
    (a, b) => compareText(a.name, b.name) || compareText(a.address, b.address) || a.port - b.port,
  );
}

export function sameServers(a: readonly ApiServer[], b: readonly ApiServer[]): boolean {
  return (
    a.length === b.length &&
    a.every((server, index) => {
      const other = b[index];
      return (
        other !== undefined &&
        server.name === other.name &&
        server.address === other.address &&
        server.port === other.port &&
        server.drained === other.drained
      );
    })
  );
}

/** `address:port`, with an IPv6 address in brackets. Servers with the same endpoint are the same server. */
export function endpointOf(server: ApiServer): string {
  return hostPort({ host: server.address, port: server.port });
}
