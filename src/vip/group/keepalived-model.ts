import { safeServerName } from '../../engine/kube/control-plane/server-name.ts';
import type { KeepalivedModel, VrrpInput, VrrpInstance } from './vrrp.ts';
import { buildVrrpInstances, trackFileNames } from './vrrp-instances.ts';

type KeepalivedModelOutcome =
  | { readonly kind: 'model'; readonly model: KeepalivedModel }
  /** This node must not take part now. Looking again later may help: nodes register, addresses come up. */
  | { readonly kind: 'not-ready'; readonly reason: string };

/**
 * What the keepalived template gets, or why there must not be any configuration yet: better no keepalived on this node
 * than one that does not hear the others, or that they do not hear. Same input, same model, in whatever order the
 * nodes come.
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
