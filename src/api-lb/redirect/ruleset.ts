import { forgetTable } from '../../engine/system/nft/forget-table.ts';
import { type Redirect, redirectedPorts } from './redirect.ts';

/** The table of the monitor without an instance name. */
export const REDIRECT_TABLE = 'hawser_api_redirect';

/** The only table that a monitor ever writes or removes. */
export function redirectTable(instance: string | undefined): string {
  return instance === undefined ? REDIRECT_TABLE : `${REDIRECT_TABLE}-${instance}`;
}

/** Ten before `dstnat`, where kube-proxy and others handle node ports and host ports: the first chain that translates a connection decides. */
const PRIORITY = -110;

/** Creates or replaces the table in one transaction: no packet ever meets half of it. The text is the same for the same VIPs in any order. */
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

/** Removes the table in one transaction; not an error if it does not exist. */
export function removalRuleset(table = REDIRECT_TABLE): string {
  return forgetTable(`inet ${table}`);
}

function isIpv4(vip: string): boolean {
  return !vip.includes(':');
}

/** Keyed by VIP and port: a second VIP of the same family, or a changed port, is another element. */
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
 * - `fib daddr type local`: only while this node holds the VIP. A packet on its way to the VIP's holder must keep its
 *   port, because only that node knows whether its load balancer works.
 * - Only a connection's first packet: one that conntrack picks up half-way belongs to the host that answered its SYN.
 * - `dnat` to the same address and another port. `redirect` would choose the address of the incoming interface, and
 *   Cilium drops the SYN of a pod that comes back from another address.
 */
function chainOf(hook: 'prerouting' | 'output'): string {
  const first = 'fib daddr type local tcp flags & (fin | syn | rst | ack) == syn';
  return `  chain ${hook} {
    type nat hook ${hook} priority ${PRIORITY}; policy accept;
    ${first} dnat ip to ip daddr . tcp dport map @vip4
    ${first} dnat ip6 to ip6 daddr . tcp dport map @vip6
  }`;
}
