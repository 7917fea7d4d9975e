import type { CommandSpec } from '../../cli/command-spec.ts';
import type { NodeChange } from '../../cli/node-change.ts';
import type { DryRun } from '../../engine/reconcile/dry-run.ts';

/** What `hawser plan` knows of a product. */
export interface PlannedProduct {
  /** The commands of its pods, in the order in which they are shown. */
  readonly daemons: readonly CommandSpec[];
  /** By a daemon's name, the settings that it accepts without using them. */
  readonly unused: Readonly<Record<string, readonly string[]>>;
  /** Each kind of effect that its dry run may find, with its label for a person. */
  readonly effectLabels: Readonly<Record<string, string>>;
  /** What its monitors would do. Changes nothing, and never rejects. */
  readonly dryRun: (change: NodeChange) => Promise<DryRun>;
}

/** The container of a daemon, as the manifests name it: `haproxy` for `haproxy supervise`, `haproxy-monitor`. */
export function containerOf({ name }: Pick<CommandSpec, 'name'>): string {
  return name.replace(/ supervise$/, '').replaceAll(' ', '-');
}
