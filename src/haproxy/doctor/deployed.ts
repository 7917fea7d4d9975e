import type { CommandSpec } from '../../cli/command-spec.ts';
import type { NodeContext } from '../../engine/examine/context.ts';

/** What the checks of a controller see that runs beside HAProxy in a pod of a Deployment. */
export interface DeployedContext extends NodeContext {
  readonly readings: NodeContext['readings'] & {
    readonly deployed: <Settings>(spec: CommandSpec<Settings>) => Settings | undefined;
  };
}

/** Reads the settings with which the controller runs here. No check is made where none does, so then it throws. */
export function deployedSettings<Settings>(
  spec: CommandSpec<Settings>,
): (context: DeployedContext) => Settings {
  return ({ readings }) => {
    const settings = readings.deployed(spec);
    if (settings === undefined) throw new Error(`no hawser ${spec.name} runs here`);
    return settings;
  };
}
