import type { HostFiles } from '../../engine/examine/host-files.ts';
import type { Peer } from '../../engine/examine/peer-health.ts';
import { vrrpGroups } from '../../engine/system/network/multicast-membership.ts';
import { namesIn, parseBlocks } from '../../keepalived/parse-blocks.ts';
import { parseConfiguration } from '../../keepalived/parse-configuration.ts';

/** The nodes that keepalived.conf has as peers, and where they are from. */
export async function configuredPeers(
  { keepalivedConfig: from }: { readonly keepalivedConfig: string },
  files: HostFiles,
): Promise<{ readonly peers: readonly Peer[]; readonly from: string }> {
  return { peers: unicastPeers((await files.value(from)) ?? ''), from };
}

/** The addresses of every `unicast_peer { … }`, as their own names, without the placeholder of a node that is alone. */
export function unicastPeers(text: string): readonly Peer[] {
  const instances = parseBlocks(text).filter(({ words: [what] }) => what === 'vrrp_instance');
  const addresses = new Set(instances.flatMap(({ children }) => namesIn(children, 'unicast_peer')));
  for (const group of Object.values(vrrpGroups)) addresses.delete(group);
  return [...addresses].map((address) => ({ name: address, address }));
}

interface GivenVips {
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
  readonly keepalivedConfig: string;
}

/** The VIPs that were given, else those of keepalived.conf, so that a node that runs hawser needs no flags. */
export async function lookForVips({ apiVips, ingressVips, keepalivedConfig }: GivenVips, files: HostFiles) {
  if (apiVips.length + ingressVips.length > 0) return { api: apiVips, ingress: ingressVips };
  const { instances } = parseConfiguration((await files.value(keepalivedConfig)) ?? '');
  const of = (isIngress: boolean): readonly string[] =>
    instances
      .filter(({ name }) => /ingress/i.test(name) === isIngress)
      .flatMap(({ vips }) => vips.map(({ address }) => address));
  return { api: of(false), ingress: of(true) };
}
