import { safeServerName } from '../../engine/kube/control-plane/server-name.ts';
import { parseAddress } from '../../engine/system/network/node-address.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { VrrpProfile } from '../../keepalived/vrrp-dialect.ts';
import { chooseVipInterface } from './vip-interface.ts';
import { virtualRouterIds } from './virtual-router-id.ts';
import type { KeepalivedSettings, VrrpInput, VrrpInstance } from './vrrp.ts';
import { vrrpMembers } from './vrrp-members.ts';
import { vrrpPriority } from './vrrp-priority.ts';

type VrrpInstances =
  | { readonly kind: 'instances'; readonly instances: readonly VrrpInstance[] }
  | { readonly kind: 'not-ready'; readonly reason: string };

/** The shell pods' priorities before their scripts add to them. */
const openshiftPriority: Readonly<Record<VipKind, number>> = { api: 40, ingress: 20 };

/**
 * One instance a VIP, API before ingress and IPv4 before IPv6: all of them, or the reason why this node does not take
 * part. Joining with some of its VIPs would make a node a holder whose other half is somewhere else. A first
 * node that has no list yet has no part in ingress.
 */
export function buildVrrpInstances(input: VrrpInput): VrrpInstances {
  const { apiVips, ingressVips, firstNode = false } = input.settings;
  const isBeforeIngress = firstNode && apiVips.length > 0 && input.controlPlane.length === 0;
  const ingress = isBeforeIngress ? [] : ingressVips.map(vipOf('ingress'));
  const wanted = [...apiVips.map(vipOf('api')), ...ingress];
  if (wanted.length === 0)
    return { kind: 'not-ready', reason: 'Cannot make a VRRP instance: there is no VIP' };
  const instances: VrrpInstance[] = [];
  for (const { kind, vip } of wanted) {
    const built = buildInstance(kind, vip, input);
    if (typeof built === 'string') return { kind: 'not-ready', reason: built };
    if (instances.some(({ name }) => name === built.name))
      return { kind: 'not-ready', reason: `Cannot use VIP "${vip}": expected one of each family and kind` };
    instances.push(built);
  }
  return { kind: 'instances', instances: instances.sort(byKindAndFamily).map(grouped) };
}

function vipOf(kind: VipKind) {
  return (vip: string) => ({ kind, vip });
}

/** The instance, or why there is none. */
function buildInstance(kind: VipKind, vip: string, input: VrrpInput): VrrpInstance | string {
  const { settings } = input;
  const parsed = parseAddress(vip);
  if (parsed === undefined) return `Cannot use VIP "${vip}": not an IPv4 or IPv6 address`;
  const { family, text } = parsed;
  const chosen = chooseVipInterface(text, input.interfaces, input.routes, settings.interface);
  if (chosen.kind === 'none') return chosen.reason;
  const members = vrrpMembers(kind, family, input);
  if (members.kind === 'not-ready') return members.reason;
  return {
    name: `${namePrefix(settings)}${kind.toUpperCase()}${family === 'ipv6' ? '_V6' : ''}`,
    kind,
    interface: chosen.name,
    virtualRouterId: (settings.virtualRouterIds ?? virtualRouterIds(settings.clusterName))[kind],
    priority: priorityOf(kind, settings.profile, members.index, members.groupSize),
    vip: text,
    prefixLength: family === 'ipv6' ? 128 : 32,
    family,
    sourceAddress: members.self.address,
    peers: members.others.map(({ name, address, index }) => ({
      ...{ name, address },
      priority: priorityOf(kind, settings.profile, index, members.groupSize),
    })),
    trackFile: settings.trackFiles[kind] !== undefined,
  };
}

/**
 * Decides by the end of the name, for a caller that knows nothing else about the instance; the cluster's name does not
 * matter.
 */
export function isInstanceOf(kind: VipKind, name: string): boolean {
  const [last = ''] = name.replace(/_V6$/, '').split('_').slice(-1);
  return last === kind.toUpperCase();
}

function namePrefix({ profile, clusterName }: KeepalivedSettings): string {
  return profile === 'openshift' ? `${safeServerName(clusterName) ?? 'cluster'}_` : '';
}

function priorityOf(kind: VipKind, profile: VrrpProfile, index: number, groupSize: number): number {
  return profile === 'openshift' ? openshiftPriority[kind] : vrrpPriority(index, groupSize);
}

function byKindAndFamily(a: VrrpInstance, b: VrrpInstance): number {
  return a.kind.localeCompare(b.kind, 'en') || a.family.localeCompare(b.family, 'en');
}

/** The VIPs of one kind are on one node: a client that has one family's address must find what the other one finds. */
function grouped(instance: VrrpInstance, _index: number, all: readonly VrrpInstance[]): VrrpInstance {
  const kin = all.filter(({ kind }) => kind === instance.kind);
  return kin.length < 2 ? instance : { ...instance, syncGroup: `${kin[0]?.name}_VIPS` };
}
