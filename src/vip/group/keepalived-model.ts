import { safeServerName } from '../../engine/kube/control-plane/server-name.ts';
import { vrrpGroups } from '../../engine/system/network/multicast-membership.ts';
import type { AddressFamily } from '../../engine/system/network/node-address.ts';
import type { VipKind } from '../../keepalived/vip-kind.ts';
import type { KeepalivedInstance, KeepalivedModel, VrrpInput, VrrpInstance, VrrpPeer } from './vrrp.ts';
import { buildVrrpInstances } from './vrrp-instances.ts';

type KeepalivedModelOutcome =
  | { readonly kind: 'model'; readonly model: KeepalivedModel }
  /** This node must not take part now. Looking again later may help: nodes register, addresses come up. */
  | { readonly kind: 'not-ready'; readonly reason: string };

const trackFileNames: Readonly<Record<VipKind, string>> = { api: 'lb', ingress: 'ingress' };

/**
 * What the keepalived template gets, or why there must not be any configuration yet: better no keepalived on this node
 * than one that does not hear the others, or that they do not hear. Same input, same model, in whatever order the
 * nodes come.
 */
export function buildKeepalivedModel(input: VrrpInput): KeepalivedModelOutcome {
  const found = buildVrrpInstances(input);
  if (found.kind === 'not-ready') return found;
  const { settings } = input;
  return {
    kind: 'model',
    model: {
      routerId: safeServerName(settings.nodeName) ?? 'unnamed',
      instances: found.instances.map(withPrintables),
      syncGroups: syncGroupsOf(found.instances),
      notifyFifo: settings.notifyFifo,
      trackFiles: trackFilesOf(found.instances, input),
    },
  };
}

function withPrintables(instance: VrrpInstance): KeepalivedInstance {
  return {
    ...instance,
    unicastPeers: instance.peers.length > 0 ? instance.peers : [placeholderPeer[instance.family]],
    trackFiles: instance.syncGroup === undefined ? trackedBy([instance]) : [],
    vipOptions: instance.family === 'ipv6' ? ['preferred_lft', '0'] : [],
  };
}

/**
 * The peer of a node that is alone. An instance without peers is in FAULT, and at a reload keepalived replaces an instance
 * that gets its first peer or loses its last one, which withdraws the VIP for a master-down time. This peer never answers.
 * It is VRRP's multicast group: an address that needs no neighbour entry and no route, on every interface.
 */
const placeholderPeer: Readonly<Record<AddressFamily, VrrpPeer>> = {
  ipv4: { name: 'placeholder', address: vrrpGroups.ipv4 },
  ipv6: { name: 'placeholder', address: vrrpGroups.ipv6 },
};

/** Those that count for one of these, by name. */
function trackedBy(instances: readonly VrrpInstance[]): readonly string[] {
  return [...new Set(instances.map(({ kind }) => trackFileNames[kind]))];
}

function trackFilesOf(
  instances: readonly VrrpInstance[],
  { settings }: VrrpInput,
): KeepalivedModel['trackFiles'] {
  const tracked = trackedBy(instances);
  return (['api', 'ingress'] as const).flatMap((kind) => {
    const name = trackFileNames[kind];
    return tracked.includes(name) ? [{ name, path: settings.trackFiles[kind] }] : [];
  });
}

function syncGroupsOf(instances: readonly VrrpInstance[]): KeepalivedModel['syncGroups'] {
  const names = new Set(instances.flatMap(({ syncGroup }) => syncGroup ?? []));
  return [...names].map((name) => {
    const members = instances.filter(({ syncGroup }) => syncGroup === name);
    return {
      name,
      instances: members.map((member) => member.name),
      trackFiles: trackedBy(members),
    };
  });
}
