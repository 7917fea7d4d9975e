import { flagName, variableName } from '../../cli/command-spec.ts';
import { routerFlags } from './router-settings.ts';

export type SettingKey = keyof typeof routerFlags;

/** Its flag and its variable, for people: `--ciphers (ROUTER_CIPHERS)`. */
export function settingName(key: SettingKey): string {
  const { variable = variableName(key) }: { readonly variable?: string } = routerFlags[key];
  return `${flagName(key)} (${variable})`;
}
