import type { Deployer } from '../../engine/config/deployer.ts';
import type { Rendered } from '../../engine/config/set.ts';
import type { VrrpInput } from '../group/vrrp.ts';

const OUTDATED_POLL_MS = 200;

export interface AbortableDeployer {
  /**
   * Deploys, and aborts at any stage once `whyOutdated` returns a reason. On a starved machine a check or a reload may take ten seconds.
   * A node that is listed again meanwhile receives adverts and competes, and it would become a second holder once they stop. So would
   * this node if its removal were noticed only afterwards. The next configuration replaces the file before a slow supervisor reads it.
   */
  readonly deploy: (
    version: { readonly set: Rendered; readonly input: VrrpInput },
    whyOutdated: () => string | undefined,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Aborts what the last deployment still has to do: a retry would write the file again. */
  readonly withdraw: (reason: string) => void;
}

export function abortable(deployer: Pick<Deployer<VrrpInput>, 'deploy'>): AbortableDeployer {
  let last = new AbortController();
  return {
    deploy: async ({ set, input }, whyOutdated, signal) => {
      const controller = new AbortController();
      last = controller;
      const abortIfOutdated = (): void => {
        const reason = whyOutdated();
        if (reason !== undefined) controller.abort(new Error(reason));
      };
      abortIfOutdated();
      const timer = setInterval(abortIfOutdated, OUTDATED_POLL_MS);
      try {
        await deployer.deploy(set, input, signal, controller.signal);
      } finally {
        clearInterval(timer);
      }
    },
    withdraw: (reason) => last.abort(new Error(reason)),
  };
}
