import type { CommandSpec } from '../../cli/command-spec.ts';
import { defaultPorts } from '../../cli/ports.ts';
import type { SettingsFile } from '../../cli/settings-values.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { daemonSpecs } from '../daemon-specs.ts';
import { daemonIn } from '../plan/daemon-settings.ts';
import { findDaemons } from '../plan/daemons.ts';
import type { ProgramPage } from './look/context.ts';

/** The settings of the four programs on this node, as they run or as their manifests would start them. */
export interface AsInstalled {
  readonly pages: readonly ProgramPage[];
  /** Undefined if no monitor is installed here. */
  readonly kubeconfig: string | undefined;
}

type DaemonName = keyof typeof daemonSpecs;

const DEFAULT_PAGES: Readonly<Record<DaemonName, number>> = {
  'haproxy supervise': defaultPorts.haproxySupervisor,
  'haproxy monitor': defaultPorts.haproxyMonitor,
  'keepalived supervise': defaultPorts.keepalivedSupervisor,
  'keepalived monitor': defaultPorts.keepalivedMonitor,
};

/** A program that is not installed, or whose settings are broken, counts with its defaults. */
export async function asInstalled(files: HostFiles, file: SettingsFile | undefined): Promise<AsInstalled> {
  const daemons = await findDaemons(files, [{ daemons: Object.values(daemonSpecs), unused: {} }]);
  const settingsOf = <Settings>(spec: CommandSpec<Settings>): Settings | undefined => {
    try {
      return daemonIn(daemons, file, file)(spec)?.after;
    } catch (error) {
      if (error instanceof ConfigError) return undefined;
      throw error;
    }
  };
  const pages = (Object.keys(DEFAULT_PAGES) as readonly DaemonName[]).flatMap((program) => {
    const known = settingsOf<WithPage>(daemonSpecs[program]);
    if (known === undefined) return wouldListen(program, file);
    return known.listen === undefined ? [] : { program, port: known.listen.port };
  });
  const monitor = settingsOf(daemonSpecs['haproxy monitor']) ?? settingsOf(daemonSpecs['keepalived monitor']);
  return { pages, kubeconfig: monitor?.kubeconfig };
}

interface WithPage {
  readonly listen?: { readonly port: number } | undefined;
}

const SECTIONS = { 'haproxy monitor': 'haproxy', 'keepalived monitor': 'keepalived' } as const;

/** The settings file says where each monitor's page listens. */
function wouldListen(program: DaemonName, file: SettingsFile | undefined): readonly ProgramPage[] {
  const isMonitor = program === 'haproxy monitor' || program === 'keepalived monitor';
  const listen = isMonitor ? file?.values[SECTIONS[program]]['listen']?.value : undefined;
  const port = /:(\d+)$/.exec(String(listen))?.[1];
  return [{ program, port: port === undefined ? DEFAULT_PAGES[program] : Number(port) }];
}
