import type { CommandSpec } from '../../cli/command-spec.ts';
import type { NodeContext, NodeReadings } from '../../engine/examine/context.ts';
import { type ProxySettings, proxyCommand } from '../proxy-settings.ts';

/** What the pod proxy's checks see. */
export interface PodProxyContext extends NodeContext {
  readonly readings: NodeReadings & {
    readonly deployed: <Settings>(spec: CommandSpec<Settings>) => Settings | undefined;
  };
}

/** The settings with which the proxy runs here: no check is made where none does. */
export function settingsIn({ readings }: PodProxyContext): ProxySettings {
  const settings = readings.deployed(proxyCommand);
  if (settings === undefined) throw new Error('no hawser proxy runs here');
  return settings;
}
