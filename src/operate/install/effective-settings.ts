import { createHash } from 'node:crypto';
import type { HaproxyMonitorSettings } from '../../api-lb/haproxy-monitor-settings.ts';
import { settingsTyped } from '../../cli/command-line.ts';
import type { CommandSpec } from '../../cli/command-spec.ts';
import { parseSettingsFile } from '../../cli/parse-settings-file.ts';
import type { Section, SettingsValues } from '../../cli/settings-values.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import type { HaproxySuperviseSettings } from '../../haproxy/supervise/haproxy-supervise-settings.ts';
import type { KeepalivedMonitorSettings } from '../../vip/settings/keepalived-monitor-settings.ts';
import { daemonKeys, daemonSpecs } from '../daemon-specs.ts';

/** The settings that the daemons of this node would run with. */
export interface EffectiveSettings {
  readonly haproxySupervise: HaproxySuperviseSettings;
  readonly haproxyMonitor: HaproxyMonitorSettings;
  readonly keepalivedMonitor: KeepalivedMonitorSettings;
  /** A digest of each pod's values: it changes if and only if that pod has to be restarted. */
  readonly digests: Readonly<Record<Section, string>>;
}

/** Reads a settings file as all four daemons would. Throws a ConfigError with every problem that one of them has. */
export function effectiveSettings(text: string, path: string): EffectiveSettings {
  const parsed = parseSettingsFile(text, path, daemonKeys);
  if (parsed.kind === 'problems') throw new ConfigError(parsed.problems);
  const { values } = parsed;
  // The environment of this process is not that of the pods.
  const settings = <Settings>(spec: CommandSpec<Settings>, argv: readonly string[]): Settings =>
    settingsTyped(spec, argv, {}, () => ({ path, values }));
  const monitorFiles = ['/kubeconfig', '/template', '/config'];
  settings(daemonSpecs['keepalived supervise'], []);
  return {
    digests: { haproxy: digestOf(values, 'haproxy'), keepalived: digestOf(values, 'keepalived') },
    haproxySupervise: settings(daemonSpecs['haproxy supervise'], []),
    haproxyMonitor: settings(daemonSpecs['haproxy monitor'], monitorFiles),
    keepalivedMonitor: settings(daemonSpecs['keepalived monitor'], monitorFiles),
  };
}

function digestOf(values: SettingsValues, section: Section): string {
  const lines = (['top', section] as const).flatMap((place) =>
    Object.entries(values[place]).map(([key, { value }]) => `${place}.${key}=${value}`),
  );
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex').slice(0, 16);
}

/** Every port on which a pod listens, with its key in the settings file. */
export function portsOf({
  haproxyMonitor,
  keepalivedMonitor,
}: EffectiveSettings): readonly { readonly key: string; readonly port: number }[] {
  const { lbPort, healthPort, statPort, listen } = haproxyMonitor;
  return [
    { key: 'lbPort', port: lbPort },
    { key: 'healthPort', port: healthPort },
    { key: 'haproxy.statPort', port: statPort },
    { key: 'haproxy.listen', port: listen.port },
    { key: 'keepalived.listen', port: keepalivedMonitor.listen.port },
    ...(keepalivedMonitor.peers ? [{ key: 'peerListen', port: keepalivedMonitor.peers.port }] : []),
  ];
}
