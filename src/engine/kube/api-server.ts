import { hostPort } from '../system/network/address-text.ts';
import { compareText } from '../system/text/compare-text.ts';
/** One API server as the load balancer should see it. Every field is safe to print into a configuration file. */
export interface ApiServer {
  /** Unique within a list; only `[A-Za-z0-9._:-]`, see `safeServerName`. */
  readonly name: string;
  /** An IPv4 or IPv6 address in its canonical text form, without brackets. */
  readonly address: string;
  readonly port: number;
  /** Out of rotation: an operator drained it with an annotation of its Node. */
  readonly drained?: true;
}

/** Lists that differ only in order are the same list: servers are always kept sorted by name, then address. */
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

/** `address:port`, with an IPv6 address in brackets: what makes two servers the same server. */
export function endpointOf(server: ApiServer): string {
  return hostPort({ host: server.address, port: server.port });
}
