import { type AddressFamily, parseAddress } from '../../engine/system/network/node-address.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import { chooseVipInterface } from './vip-interface.ts';
import { virtualRouterIds } from './virtual-router-id.ts';
import type { VrrpInput, VrrpInstance } from './vrrp.ts';
import { vrrpMembers } from './vrrp-members.ts';
import { vrrpPriority } from './vrrp-priority.ts';

type VrrpInstances =
  | { readonly kind: 'instances'; readonly instances: readonly VrrpInstance[] }
  | { readonly kind: 'not-ready'; readonly reason: string };

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
    name: instanceName(kind, family),
    kind,
    interface: chosen.name,
    virtualRouterId: (settings.virtualRouterIds ?? virtualRouterIds(settings.clusterName))[kind],
    priority: vrrpPriority(members.index, members.groupSize),
    vip: text,
    prefixLength: family === 'ipv6' ? 128 : 32,
    family,
    sourceAddress: members.self.address,
    peers: members.others.map(({ name, address, index }) => ({
      ...{ name, address },
      priority: vrrpPriority(index, members.groupSize),
    })),
  };
}

function instanceName(kind: VipKind, family: AddressFamily): string {
  return `${kind.toUpperCase()}${family === 'ipv6' ? '_V6' : ''}`;
}

/** For a caller that knows nothing else about the instance. */
export function isInstanceOf(kind: VipKind, name: string): boolean {
  return name === instanceName(kind, 'ipv4') || name === instanceName(kind, 'ipv6');
}

function byKindAndFamily(a: VrrpInstance, b: VrrpInstance): number {
  return a.kind.localeCompare(b.kind, 'en') || a.family.localeCompare(b.family, 'en');
}

/** The VIPs of one kind are on one node: a client that has one family's address must find what the other one finds. */
function grouped(instance: VrrpInstance, _index: number, all: readonly VrrpInstance[]): VrrpInstance {
  const kin = all.filter(({ kind }) => kind === instance.kind);
  return kin.length < 2 ? instance : { ...instance, syncGroup: `${kin[0]?.name}_VIPS` };
}
