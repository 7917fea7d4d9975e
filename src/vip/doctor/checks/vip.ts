import { type Check, type Finding, fail, ok, unknown, warn, worstOf } from '../../../engine/examine/check.ts';
import type { Peer } from '../../../engine/examine/peer-health.ts';
import { addressIn, familyOf, isSingleAddress } from '../../../engine/system/network/address-text.ts';
import { isInSubnet, parseAddress } from '../../../engine/system/network/node-address.ts';
import type { NetworkInterface, NetworkRoute } from '../../../engine/system/network/routes.ts';
import { chooseVipInterface } from '../../group/vip-interface.ts';
import { NO_VIP, type VipContext } from '../context.ts';
import { LISTEN_MS } from '../look/listen.ts';
import { askNeighbour, knownNeighbour } from '../look/neighbours.ts';
import { hearOtherHolders } from '../look/other-holders.ts';
import { LOOK_YOURSELF, lookForAddress } from '../look/own-address.ts';

/** Where the VIP goes, and whether it is a VIP at all. */
export function judgeVipInterface(
  vip: string,
  interfaces: readonly NetworkInterface[],
  routes: readonly NetworkRoute[],
  wanted?: string,
): Finding {
  const home = interfaces.find(({ addresses }) => addresses.some((cidr) => isOwnAddress(cidr, vip)));
  if (home !== undefined)
    return fail(
      `${vip} is the address of ${home.name} itself`,
      'choose an address of the subnet that no host has: --api-vips, in the manifests too',
    );
  const chosen = chooseVipInterface(vip, interfaces, routes, wanted);
  if (chosen.kind === 'none')
    return fail(
      chosen.reason.replace(/^Cannot choose an interface for VIP "[^"]*": /, `${vip}: `),
      'ip -br address; then correct --api-vips or name the interface: --interface NAME',
    );
  const address = parseAddress(vip);
  const { addresses = [] } = interfaces.find(({ name }) => name === chosen.name) ?? {};
  const isInside =
    address !== undefined && addresses.some((cidr) => isInSubnet(address, cidr) && !isSingleAddress(cidr));
  if (isInside) return ok(`${vip} goes on ${chosen.name} (${addresses.join(' ')})`);
  return warn(
    `${vip} is in no subnet of ${chosen.name} (${addresses.join(' ')})`,
    `make sure that routers send ${vip} to this segment, or choose an address inside the subnet`,
  );
}

/** A VIP is put on an interface with all its bits; an address with a subnet is the node's own. */
function isOwnAddress(cidr: string, vip: string): boolean {
  return addressIn(cidr) === vip && !isSingleAddress(cidr);
}

const vipInterface: Check<VipContext> = {
  id: 'vip-interface',
  title: "The VIP's subnet",
  why: 'Neighbours find a VIP by ARP or NDP: on the wrong interface or subnet no host ever asks this node.',
  run: async ({ settings, readings }) => {
    const [vips, routes] = await Promise.all([readings.vips(), readings.routes()]);
    return worstOf(
      vips.map((vip) => judgeVipInterface(vip, readings.interfaces(), routes, settings.interface)),
      NO_VIP,
    );
  },
};

interface VipHolderReading {
  readonly vip: string;
  /** Interfaces of this node that have it. */
  readonly here: readonly string[];
  /** The other link-layer addresses that answer for it although it is here. */
  readonly besides?: readonly string[];
  /** The link-layer address that answered for it. */
  readonly answeredBy: string | undefined;
  /** Of the other nodes by link-layer address; undefined where the nodes are not known. */
  readonly peers: ReadonlyMap<string, string> | undefined;
  /** Whether hawser's keepalived runs here, so that some node must hold the VIP. */
  readonly isLive: boolean;
}

export function judgeHolder({
  vip,
  here,
  besides = [],
  answeredBy,
  peers,
  isLive,
}: VipHolderReading): Finding {
  if (here.length > 0 && besides.length > 0) {
    const others = besides.map((mac) => (peers?.has(mac) ? `${peers.get(mac)} (${mac})` : mac));
    return fail(
      `${vip} is on ${here.join(', ')} of this node, and ${others.join(' and ')} answers for it too`,
      "hawser status, on every node; take the address from the host that is no node of the group (ip neigh; the switch's table)",
    );
  }
  if (here.length > 0) return ok(`${vip} is on ${here.join(', ')} of this node`);
  if (answeredBy === undefined)
    return isLive
      ? fail(
          `no host answers for ${vip}`,
          'hawser keepalived status, on every node: each says why it does not hold it',
        )
      : ok(`no host answers for ${vip}: it is free`);
  const peer = peers?.get(answeredBy);
  if (peer !== undefined) return ok(`${vip} is held by ${peer} (${answeredBy})`);
  const found = `${answeredBy} answers for ${vip}`;
  return peers === undefined || peers.size === 0
    ? warn(
        `${found}, and whether it is one of ours is not known`,
        'name the nodes (--servers HOST=IP,… or --kubeconfig) and look again',
      )
    : fail(
        `${found} and is none of ${[...peers.values()].join(', ')}`,
        `find it (ip neigh; the switch's table), take the address from it, or choose another VIP`,
      );
}

async function lookForHolder(vip: string, context: VipContext, signal: AbortSignal): Promise<Finding> {
  const { readings, run, settings } = context;
  const own = await lookForAddress(run, vip, signal);
  if (own.kind === 'failed') return unknown(own.message, LOOK_YOURSELF);
  const here = own.interfaces;
  const chosen = chooseVipInterface(vip, readings.interfaces(), await readings.routes(), settings.interface);
  const device = here[0] ?? (chosen.kind === 'chosen' ? chosen.name : undefined);
  if (device === undefined)
    return unknown(`${vip}: which interface to ask on is not known`, '--interface NAME');
  const family = familyOf(vip);
  const [answer, others] =
    here.length > 0
      ? [undefined, await hearOtherHolders(run, { vip, family, interface: device }, signal)]
      : [await askNeighbour(run, vip, device, signal), undefined];
  if (answer?.kind === 'failed') return unknown(answer.message, 'run this as root, with iproute2 installed');
  if (others?.kind === 'failed')
    return unknown(
      `${vip} is on ${device} of this node; whether another host answers for it cannot be heard: ${others.message}`,
      'run this as root, with nft and iproute2 installed',
    );
  const live = await readings.supervisor('keepalived', settings.keepalivedSocket);
  const isLive = live.kind === 'answered' && live.answer.ok;
  const peers = await readings.peers();
  const besides = others?.macs ?? [];
  const isAnswered = answer?.mac !== undefined || besides.length > 0;
  const known =
    peers.kind === 'unknown' || !isAnswered
      ? undefined
      : await linkAddresses(context, peers.peers, device, signal);
  return judgeHolder({ vip, here, besides, answeredBy: answer?.mac, peers: known, isLive });
}

async function linkAddresses(
  { run }: VipContext,
  peers: readonly Peer[],
  device: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const pairs = await Promise.all(
    peers.map(
      async ({ name, address }) => [await knownNeighbour(run, address, device, signal), name] as const,
    ),
  );
  return new Map(pairs.flatMap(([mac, name]) => (mac === undefined ? [] : [[mac, name]])));
}

const vipHolder: Check<VipContext> = {
  id: 'vip-holder',
  title: 'Who answers for the VIP',
  why: 'Two holders split the clients between them; a foreign host with the address takes the API away.',
  listenMs: LISTEN_MS,
  run: async (context, signal) => {
    const vips = await context.readings.vips();
    return worstOf(await Promise.all(vips.map((vip) => lookForHolder(vip, context, signal))), NO_VIP);
  },
};

export const vipChecks: readonly Check<VipContext>[] = [vipInterface, vipHolder];
