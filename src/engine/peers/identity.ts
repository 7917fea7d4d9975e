import type { X509Certificate } from 'node:crypto';
import type { ClusterNode } from '../system/network/cluster-node.ts';
import { parseAddress } from '../system/network/node-address.ts';

/** OpenSSL takes a name that begins with a dot for every name below it, and Node throws for some others. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * Whether a certificate belongs to a node: a DNS name in its subjectAltName equals the node's name, or an IP address in
 * it is one of the node's. As in RFC 9525 the common name does not count. Neither does a wildcard, which would be every
 * node at once. The issuer is not checked here.
 */
export function isOfNode(certificate: X509Certificate, { name, addresses }: ClusterNode): boolean {
  const options = { subject: 'never', wildcards: false } as const;
  const hasName = NAME.test(name) && certificate.checkHost(name, options) !== undefined;
  const ofNode = addresses.flatMap((address) => parseAddress(address)?.text ?? []);
  return hasName || ofNode.some((address) => certificate.checkIP(address) !== undefined);
}

/** The node that a certificate is of; undefined where it is of none of these. */
export function nodeOf(certificate: X509Certificate, nodes: readonly ClusterNode[]): ClusterNode | undefined {
  return nodes.find((node) => isOfNode(certificate, node));
}

/** For people: `DNS:cp-1, IP Address:10.0.0.11`, else the subject; on one line and short, for any certificate. */
export function namesIn({ subjectAltName, subject }: X509Certificate): string {
  const names = subjectAltName ?? subject ?? 'no name';
  return names.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 200);
}
