import { parseSettingsFile } from '../../cli/parse-settings-file.ts';
import { presentAddresses } from '../../engine/system/network/interface-addresses.ts';
import { askClusterName } from './ask-cluster-name.ts';
import { askVip } from './ask-vip.ts';
import type { Draft, OnDisk } from './draft.ts';
import type { InstallSettings } from './install-settings.ts';
import { layout } from './layout.ts';

type ClusterNameChoice =
  /** Use the draft's name. */
  | { readonly kind: 'as-drafted' }
  | { readonly kind: 'learned'; readonly name: string }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Chooses the cluster name, from which a new node derives its virtual router ids. If a cluster answers at the VIP, its
 * holder reports the name. A name derived from the VIP would be wrong once the VIP has changed, and a node with another
 * id would hold the VIP a second time. Refuses if the name cannot be learned and none is given.
 */
export async function chooseClusterName(
  asked: InstallSettings,
  draft: Draft,
  disk: OnDisk,
): Promise<ClusterNameChoice> {
  const { all, apiPort, healthPort } = draft.settings.vips;
  const [vip] = all;
  const isNew = disk.record === undefined && !asked.firstNode;
  if (!isNew || vip === undefined || presentAddresses().has(vip)) return { kind: 'as-drafted' };
  const given = asked.clusterName ?? nameInFile(disk.settings, draft);
  const answer = await askVip(vip, apiPort, disk.authority);
  if (answer.kind === 'free')
    return asked.join && given === undefined
      ? refuse(`nothing answers at VIP ${vip}; join once the cluster serves there`)
      : { kind: 'as-drafted' };
  // If another host has the VIP, `objectionsTo` reports that.
  if (answer.kind === 'taken' && !asked.join) return { kind: 'as-drafted' };
  const told = await askClusterName(vip, healthPort);
  if (told.kind === 'unknown') return given === undefined ? refuse(told.message) : { kind: 'as-drafted' };
  if (given !== undefined && given !== told.name)
    return {
      kind: 'refused',
      message: `Cannot use cluster name "${given}": the node that holds VIP ${vip} has "${told.name}", and nodes with different names hold the VIP twice; type --cluster-name ${told.name}`,
    };
  return { kind: 'learned', name: told.name };
}

function refuse(reason: string): ClusterNameChoice {
  return {
    kind: 'refused',
    message: `Cannot learn the cluster's name: ${reason}; or type --cluster-name NAME, the clusterName in ${layout.settings} of its other nodes`,
  };
}

function nameInFile(text: string | undefined, { keys }: Draft): string | undefined {
  const parsed = parseSettingsFile(text ?? '', layout.settings, keys);
  const name = parsed.kind === 'problems' ? undefined : parsed.values.top['clusterName']?.value;
  return name === undefined ? undefined : String(name);
}
