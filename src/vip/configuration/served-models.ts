import type { KeepalivedModel } from '../group/vrrp.ts';

/** The model that keepalived runs on, and the one it may be reading now. */
export interface ServedModels {
  readonly served: () => KeepalivedModel | undefined;
  /** Names of the instances in which this node may hold a VIP; undefined while none is known. */
  readonly instanceNames: () => ReadonlySet<string> | undefined;
  readonly offer: (model: KeepalivedModel) => void;
  /** Whether the supervisor accepted the offered model. */
  readonly settle: (taken: boolean) => void;
  /** This node has left its group and serves nothing. */
  readonly forget: () => void;
}

export function createServedModels(): ServedModels {
  let taken: KeepalivedModel | undefined;
  let offered: KeepalivedModel | undefined;
  return {
    served: () => taken ?? offered,
    instanceNames: () => {
      const names = [taken, offered].flatMap((model) => model?.instances.map(({ name }) => name) ?? []);
      return names.length === 0 ? undefined : new Set(names);
    },
    offer: (model) => {
      offered = model;
    },
    settle: (isTaken) => {
      if (isTaken) taken = offered;
      else offered = taken ?? offered;
    },
    forget: () => {
      taken = undefined;
      offered = undefined;
    },
  };
}
