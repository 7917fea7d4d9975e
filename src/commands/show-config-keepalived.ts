import type { SettingsOf } from '../cli/command-spec.ts';
import type { CommandContext } from '../cli/run-command.ts';
import { createLog } from '../engine/observe/logger.ts';
import { messageOf } from '../engine/system/errors.ts';
import type { Log } from '../engine/system/log.ts';
import { inputNow } from '../vip/dry-run.ts';
import { buildKeepalivedModel } from '../vip/group/keepalived-model.ts';
import type { KeepalivedSettings } from '../vip/group/vrrp.ts';
import {
  type KeepalivedMonitorSettings,
  showKeepalivedConfigCommand,
} from '../vip/settings/keepalived-monitor-settings.ts';
import { type ShownSetting, settingsWithOrigins } from './settings-with-origins.ts';

/** How long to wait for the API. */
const API_TIMEOUT_MS = 10_000;

export const spec = showKeepalivedConfigCommand;

/**
 * `hawser show-config keepalived`: prints the template's model as JSON, with the origin of each setting. If this node does not compete for the VIPs,
 * prints only the settings, and the reason on stderr.
 */
export async function run(settings: SettingsOf<typeof spec>, { line }: CommandContext): Promise<number> {
  const found = await modelNow(settings, createLog('show-config', settings.logLevel));
  const given = settingsWithOrigins(line);
  const shown =
    found === undefined
      ? { settings: given }
      : { ...found.model, settings: { ...given, ...nameOfKubeconfig(settings, found.settings) } };
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  return found === undefined ? 1 : 0;
}

async function modelNow(settings: KeepalivedMonitorSettings, log: Log) {
  const notReady = (reason: string) => log({ event: 'group-not-ready', level: 'warn', reason });
  const found = await inputNow(settings, API_TIMEOUT_MS).catch(messageOf);
  if (typeof found === 'string') return void notReady(found);
  const { input, remarks } = found;
  if (input === undefined) return void notReady(remarks.join('; '));
  for (const message of remarks) log({ event: 'note', message });
  const built = buildKeepalivedModel(input);
  if (built.kind === 'not-ready') return void notReady(built.reason);
  return { model: built.model, settings: input.settings };
}

/** The cluster's name, if it is derived from the kubeconfig. */
function nameOfKubeconfig(
  { clusterName, kubeconfig }: KeepalivedMonitorSettings,
  used: KeepalivedSettings,
): Readonly<Record<string, ShownSetting>> {
  return clusterName === undefined ? { clusterName: { value: used.clusterName, from: kubeconfig } } : {};
}
