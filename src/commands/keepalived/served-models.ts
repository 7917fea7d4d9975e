import type { KeepalivedModel, VrrpProfile } from '../../model/vrrp.ts';

/** What keepalived runs on, and what it may be reading at this moment. */
export interface ServedModels {
  readonly served: () => KeepalivedModel | undefined;
  /** Names of instances under which this node may be known to hold a VIP; undefined while nothing is known of them. */
  readonly instanceNames: () => ReadonlySet<string> | undefined;
  /**
   * In whose values health is to be told. Those of the fast profile as long as either of two profiles may count: its
   * bonus keeps the VIP in both, and the scores of the openshift profile, equal on all nodes, do not in the fast one.
   */
  readonly profile: () => VrrpProfile | undefined;
  /** True where another profile than that of before is meant. */
  readonly offer: (model: KeepalivedModel) => boolean;
  /** The offered one was taken, or was not. */
  readonly settle: (taken: boolean) => void;
  /** This node has left its group: nothing is served. */
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
    profile: () => {
      const profiles = [taken, offered].flatMap((model) => model?.profile ?? []);
      return profiles.includes('fast') ? 'fast' : profiles[0];
    },
    offer: (model) => {
      offered = model;
      return taken !== undefined && taken.profile !== model.profile;
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
