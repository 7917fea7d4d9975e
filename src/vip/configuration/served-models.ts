import type { VrrpProfile } from '../../keepalived/vrrp-dialect.ts';
import type { KeepalivedModel } from '../group/vrrp.ts';

/** The model that keepalived runs on, and the one it may be reading now. */
export interface ServedModels {
  readonly served: () => KeepalivedModel | undefined;
  /** Names of the instances in which this node may hold a VIP; undefined while none is known. */
  readonly instanceNames: () => ReadonlySet<string> | undefined;
  /**
   * The profile in whose values health is reported. The fast profile counts while either of two may be in force: its
   * bonus keeps the VIP in both profiles. The scores of the openshift profile, equal on all nodes, would not keep it in
   * the fast one.
   */
  readonly profile: () => VrrpProfile | undefined;
  /** Returns whether this changes the profile. */
  readonly offer: (model: KeepalivedModel) => boolean;
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
