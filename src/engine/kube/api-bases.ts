import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { hostOf } from '../system/network/address-text.ts';

export interface ApiBase {
  /** URL without a trailing slash. */
  readonly url: string;
  /** Other names that are accepted in the server's certificate, in addition to the host of the URL. */
  readonly alternativeNames: readonly string[];
}

/**
 * Base URLs in order: the kubeconfig's server, this machine's own API server if it has one, then `fallbacks` (`address:port`). The kubeconfig often
 * points at the VIP that hawser provides, so it must not be the only base. Certificates of API servers rarely contain the node's address or
 * `localhost`, so for the other bases a certificate of any API server of the cluster is accepted. It must be signed by the same CA in any case.
 */
export function apiBases(
  kubeconfigServer: URL,
  apiPort: number | undefined,
  fallbacks: readonly string[],
): readonly ApiBase[] {
  const host = hostOf(kubeconfigServer);
  const alternativeNames = ['kubernetes', 'kubernetes.default.svc', 'localhost', host];
  const first = { url: kubeconfigServer.href.replace(/\/+$/, ''), alternativeNames: [] };
  const others = [...(apiPort === undefined ? [] : [`localhost:${apiPort}`]), ...fallbacks];
  const bases = [first, ...others.map((other) => ({ url: `https://${other}`, alternativeNames }))];
  return bases.filter((base, index) => bases.findIndex((other) => other.url === base.url) === index);
}

/** Applies Node's check of the host name, then tries the alternative names. On failure returns the error for the host name. */
export function checkIdentity(
  base: ApiBase,
  hostname: string,
  certificate: PeerCertificate,
): Error | undefined {
  const error = checkServerIdentity(hostname, certificate);
  const isOther = base.alternativeNames.some((name) => checkServerIdentity(name, certificate) === undefined);
  return isOther ? undefined : error;
}
