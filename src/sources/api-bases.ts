import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { ApiServer } from '../model/api-server.ts';
import { endpointOf } from '../model/choose-servers.ts';

/** One way to reach the API. */
export interface ApiBase {
  /** URL without a trailing slash. */
  readonly url: string;
  /** Names of which the server's certificate must carry one, besides the host of the URL. */
  readonly alternativeNames: readonly string[];
}

/**
 * Where to ask, in this order: the kubeconfig's server, this machine's own API server, then every server that was
 * known last. The kubeconfig often points at the very VIP that needs us to work, so it must not be the only way.
 * The servers' certificates rarely carry the node's address or `localhost`: for the alternatives it is enough that
 * the certificate is that of an API server of the same cluster, the same authority being required in any case.
 */
export function apiBases(
  kubeconfigServer: URL,
  apiPort: number,
  lastKnown: readonly ApiServer[],
): readonly ApiBase[] {
  const host = kubeconfigServer.hostname.replace(/^\[|\]$/g, '');
  const alternativeNames = ['kubernetes', 'kubernetes.default.svc', 'localhost', host];
  const first = { url: kubeconfigServer.href.replace(/\/+$/, ''), alternativeNames: [] };
  const others = [
    `https://localhost:${apiPort}`,
    ...lastKnown.map((server) => `https://${endpointOf(server)}`),
  ];
  const bases = [first, ...others.map((url) => ({ url, alternativeNames }))];
  return bases.filter((base, index) => bases.findIndex((other) => other.url === base.url) === index);
}

/** Node's own check of the host name, then the alternatives; the first name's error is the one to show. */
export function checkIdentity(
  base: ApiBase,
  hostname: string,
  certificate: PeerCertificate,
): Error | undefined {
  const error = checkServerIdentity(hostname, certificate);
  const isOther = base.alternativeNames.some((name) => checkServerIdentity(name, certificate) === undefined);
  return isOther ? undefined : error;
}
