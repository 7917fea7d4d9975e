import { forgetTable } from '../../engine/system/nft/forget-table.ts';
import { type Redirect, redirectedPorts } from './redirect.ts';

/** The table of the monitor without an instance name. */
export const REDIRECT_TABLE = 'hawser_api_redirect';

/** The name of the only table that a monitor writes or removes. */
export function redirectTable(instance: string | undefined): string {
  return instance === undefined ? REDIRECT_TABLE : `${REDIRECT_TABLE}-${instance}`;
}

/** Ten before `dstnat`, where kube-proxy and others handle node ports and host ports. The first chain that translates a connection wins. */
const PRIORITY = -110;

/** Returns a ruleset that creates or replaces the table in one transaction, so that no packet meets a partial table. The order of VIPs does not matter. */
export function redirectRuleset(redirect: Redirect, table = REDIRECT_TABLE): string {
  const vips = [...new Set(redirect.vips)].sort();
  return `${removalRuleset(table)}table inet ${table} {
${mapOf('vip4', 'ipv4_addr', redirect, vips.filter(isIpv4))}
${mapOf(
  'vip6',
  'ipv6_addr',
  redirect,
  vips.filter((vip) => !isIpv4(vip)),
)}
${chainOf('prerouting')}
${chainOf('output')}
}
`;
}

/** Returns a ruleset that removes the table in one transaction. It is not an error if the table does not exist. */
export function removalRuleset(table = REDIRECT_TABLE): string {
  return forgetTable(`inet ${table}`);
}

function isIpv4(vip: string): boolean {
  return !vip.includes(':');
}

/** A map from VIP and port to VIP and HAProxy's port, with one element for each pair of VIP and port. */
function mapOf(name: string, type: string, redirect: Redirect, vips: readonly string[]): string {
  const elements = vips.flatMap((vip) =>
    redirectedPorts(redirect).map(([port, target]) => `${vip} . ${port} : ${vip} . ${target}`),
  );
  const list = elements.length === 0 ? '' : `\n    elements = { ${elements.join(', ')} }`;
  return `  map ${name} {
    type ${type} . inet_service : ${type} . inet_service${list}
  }`;
}

/**
 * `prerouting` handles packets from other nodes and from pods, `output` those of this node's own processes.
 *
 * - `fib daddr type local` matches only while this node holds the VIP. A packet to another holder must keep its port,
 *   because only the holder can tell whether its load balancer works.
 * - Only the first packet of a connection matches: a connection that conntrack picks up mid-stream belongs to the host
 *   that answered its SYN.
 * - `dnat` changes only the port. `redirect` would change the address to that of the incoming interface, and
 *   Cilium drops a reply to a pod's SYN from another address.
 */
function chainOf(hook: 'prerouting' | 'output'): string {
  const first = 'fib daddr type local tcp flags & (fin | syn | rst | ack) == syn';
  return `  chain ${hook} {
    type nat hook ${hook} priority ${PRIORITY}; policy accept;
    ${first} dnat ip to ip daddr . tcp dport map @vip4
    ${first} dnat ip6 to ip6 daddr . tcp dport map @vip6
  }`;
}
