import type { OtherNode, PeersReading } from '../../../engine/examine/context.ts';
import type { HostFiles } from '../../../engine/examine/host-files.ts';
import { parseServers } from '../../../engine/kube/control-plane/static-servers.ts';
import { messageOf } from '../../../engine/system/errors.ts';
import type { NetworkInterface } from '../../../engine/system/network/routes.ts';
import type { ClusterReading } from './cluster.ts';
import type { DoctorSettings } from './context.ts';

/** The other nodes: of `--servers`, else of keepalived.conf, else of the API. This node's own addresses are left out. */
export async function peersOf(
  settings: DoctorSettings,
  files: HostFiles,
  interfaces: readonly NetworkInterface[],
  cluster: () => Promise<ClusterReading>,
): Promise<PeersReading> {
  const own = new Set(interfaces.flatMap(({ addresses }) => addresses.map((cidr) => cidr.split('/')[0])));
  const others = (peers: readonly OtherNode[]): readonly OtherNode[] =>
    peers.filter(({ address }) => !own.has(address));
  if (settings.servers !== undefined) {
    try {
      return {
        kind: 'known',
        peers: others(parseServers(settings.servers, settings.apiPort)),
        from: '--servers',
      };
    } catch (error) {
      return { kind: 'unknown', reason: messageOf(error) };
    }
  }
  const configured = others(unicastPeers((await files.value(settings.keepalivedConfig)) ?? ''));
  if (configured.length > 0) return { kind: 'known', peers: configured, from: settings.keepalivedConfig };
  const look = await cluster();
  if (look.kind === 'not-asked') return { kind: 'unknown', reason: look.reason };
  if (look.kind === 'refused') return { kind: 'unknown', reason: look.failure.message };
  const listed = look.nodes.flatMap(({ name, addresses }) => addresses.map((address) => ({ name, address })));
  return { kind: 'known', peers: others(listed), from: look.from };
}

/** The addresses of every `unicast_peer { … }`, as their own names. */
export function unicastPeers(text: string): readonly OtherNode[] {
  const blocks = text.replaceAll(/[#!].*/g, '').matchAll(/unicast_peer\s*\{([^}]*)\}/g);
  const addresses = [...blocks].flatMap(([, body = '']) =>
    body.split('\n').flatMap((line) => line.trim().split(/\s+/)[0] || []),
  );
  return [...new Set(addresses)].map((address) => ({ name: address, address }));
}
