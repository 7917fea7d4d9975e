import type { CommandSpec } from '../../cli/command-spec.ts';
import type { NodeContext, NodeReadings } from '../../engine/examine/context.ts';
import { type LiveSettings, routerCommand } from '../settings/router-command.ts';

/** What the router's checks see. */
export interface RouterContext extends NodeContext {
  readonly readings: NodeReadings & {
    readonly deployed: <Settings>(spec: CommandSpec<Settings>) => Settings | undefined;
  };
}

/** The settings with which the router runs here: no check is made where none does. */
export function settingsIn({ readings }: RouterContext): LiveSettings {
  const settings = readings.deployed(routerCommand);
  if (settings === undefined) throw new Error('no hawser router runs here');
  return settings;
}
