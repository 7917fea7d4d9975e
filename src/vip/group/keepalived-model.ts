import { safeServerName } from '../../engine/kube/control-plane/server-name.ts';
import type { KeepalivedModel, VrrpInput, VrrpInstance } from './vrrp.ts';
import { buildVrrpInstances, trackFileNames } from './vrrp-instances.ts';

type KeepalivedModelOutcome =
  | { readonly kind: 'model'; readonly model: KeepalivedModel }
  /** This node must not join now. A later attempt may succeed, because nodes register and addresses come up. */
  | { readonly kind: 'not-ready'; readonly reason: string };

/**
 * The model for the keepalived template, or the reason why there must be no configuration yet. No keepalived on this node is
 * better than one that does not exchange adverts with every other node. The model does not depend on the order of the nodes.
 */
export function buildKeepalivedModel(input: VrrpInput): KeepalivedModelOutcome {
  const instances = buildVrrpInstances(input);
  if (typeof instances === 'string') return { kind: 'not-ready', reason: instances };
  const { nodeName, notifyFifo, trackFiles } = input.settings;
  const kinds = new Set(instances.map(({ kind }) => kind));
  return {
    kind: 'model',
    model: {
      routerId: safeServerName(nodeName) ?? 'unnamed',
      instances,
      syncGroups: syncGroupsOf(instances),
      notifyFifo,
      trackFiles: [...kinds].map((kind) => ({ name: trackFileNames[kind], path: trackFiles[kind] })),
    },
  };
}

function syncGroupsOf(instances: readonly VrrpInstance[]): KeepalivedModel['syncGroups'] {
  const groups = Map.groupBy(instances, ({ syncGroup }) => syncGroup);
  return [...groups].flatMap(([name, members]) => {
    if (name === undefined) return [];
    const files = new Set(members.map(({ kind }) => trackFileNames[kind]));
    return { name, instances: members.map((member) => member.name), trackFiles: [...files] };
  });
}
