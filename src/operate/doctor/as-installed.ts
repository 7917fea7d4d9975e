import { defaultPorts } from '../../cli/ports.ts';
import type { SettingsFile } from '../../cli/settings-values.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { type DaemonSettings, settingsOfDaemons } from '../plan/daemon-settings.ts';
import { type DaemonName, findDaemons } from '../plan/daemons.ts';
import type { ProgramPage } from './context.ts';

/** The settings of the four programs on this node, as they run or as their manifests would start them. */
export interface AsInstalled {
  readonly pages: readonly ProgramPage[];
  /** Undefined if no monitor is installed here. */
  readonly kubeconfig: string | undefined;
}

const DEFAULT_PAGES: Readonly<Record<DaemonName, number>> = {
  'haproxy supervise': defaultPorts.haproxySupervisor,
  'haproxy monitor': defaultPorts.haproxyMonitor,
  'keepalived supervise': defaultPorts.keepalivedSupervisor,
  'keepalived monitor': defaultPorts.keepalivedMonitor,
};

/** A program that is not installed, or whose settings are broken, counts with its defaults. */
export async function asInstalled(files: HostFiles, file: SettingsFile | undefined): Promise<AsInstalled> {
  const found = (await findDaemons(files)).map((daemon): DaemonSettings => {
    try {
      return settingsOfDaemons([daemon], file);
    } catch (error) {
      if (error instanceof ConfigError) return {};
      throw error;
    }
  });
  const settings: DaemonSettings = Object.assign({}, ...found);
  const pages = (Object.keys(DEFAULT_PAGES) as readonly DaemonName[]).flatMap((program) => {
    const known = settings[program];
    if (known === undefined) return wouldListen(program, file);
    return known.listen === undefined ? [] : { program, port: known.listen.port };
  });
  const monitor = settings['haproxy monitor'] ?? settings['keepalived monitor'];
  return { pages, kubeconfig: monitor?.kubeconfig };
}

const SECTIONS = { 'haproxy monitor': 'haproxy', 'keepalived monitor': 'keepalived' } as const;

/** The settings file says where each monitor's page listens. */
function wouldListen(program: DaemonName, file: SettingsFile | undefined): readonly ProgramPage[] {
  const isMonitor = program === 'haproxy monitor' || program === 'keepalived monitor';
  const listen = isMonitor ? file?.values[SECTIONS[program]]['listen']?.value : undefined;
  const port = /:(\d+)$/.exec(String(listen))?.[1];
  return [{ program, port: port === undefined ? DEFAULT_PAGES[program] : Number(port) }];
}
