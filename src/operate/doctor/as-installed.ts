import type { CommandSpec, SettingsFile, SettingsReader } from '../../cli/command-spec.ts';
import type { Pod } from '../../cli/pod.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { findDaemons, findRunning } from '../daemons/daemons.ts';
import { presentSettings, settingsOfDaemon, startedBefore } from '../daemons/settings-files.ts';
import type { DeployedDaemon, DoctorSettings, ProgramPage } from './context.ts';

/** What a daemon's settings may have. */
interface DaemonSettings {
  readonly listen?: { readonly port: number } | undefined;
  readonly metricsListen?: { readonly port: number } | undefined;
  readonly kubeconfig?: string;
}

/**
 * The settings of the daemons on this node, as they run or as their manifests would start them. A program that is not installed, or whose
 * settings are broken, counts with its defaults; `kubeconfig` is undefined if no monitor is installed here.
 */
export async function asInstalled(
  files: HostFiles,
  file: SettingsFile | undefined,
  pods: readonly Pod[],
  readSettings: SettingsReader,
): Promise<Pick<DoctorSettings, 'pages' | 'outdated' | 'kubeconfig'>> {
  const daemons = await findDaemons(files, pods);
  const all = pods
    .flatMap((pod) => pod.daemons)
    .map((spec) => {
      const daemon = daemons.find((each) => each.spec === spec);
      // Only these fields are read, and no daemon has them with another meaning.
      const settings = daemon && unlessRefused(() => settingsOfDaemon(daemon, file) as DaemonSettings);
      return { spec, settings };
    });
  const pages = all.flatMap(({ spec, settings }) =>
    settings === undefined
      ? wouldListen(spec, file)
      : pagesOf(spec.name, settings.listen?.port, settings.metricsListen?.port),
  );
  const outdated = unlessRefused(() => {
    const present = presentSettings(daemons, readSettings);
    return present && startedBefore(present, daemons);
  });
  return {
    pages,
    outdated: outdated ?? [],
    kubeconfig: all.flatMap(({ settings }) => settings?.kubeconfig ?? [])[0],
  };
}

/** Undefined for settings that the daemon would refuse. */
function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** The settings file says where a monitor's pages listen. */
function wouldListen(
  { name, section, flags }: CommandSpec,
  file: SettingsFile | undefined,
): readonly ProgramPage[] {
  const portOf = (key: 'listen' | 'metricsListen'): number | undefined => {
    const inFile = flags[key]?.inFile === 'never' ? undefined : file?.values[section ?? 'top']?.[key];
    return [inFile?.value, flags[key]?.default]
      .flatMap((listen) => /:(\d+)$/.exec(String(listen))?.[1] ?? [])
      .map(Number)[0];
  };
  return pagesOf(name, portOf('listen'), portOf('metricsListen'));
}

function pagesOf(
  program: string,
  listen: number | undefined,
  metricsListen: number | undefined,
): readonly ProgramPage[] {
  const pages: ProgramPage[] = [];
  if (listen !== undefined) pages.push({ program, port: listen });
  if (metricsListen !== undefined) pages.push({ program, port: metricsListen, flag: '--metrics-listen' });
  return pages;
}

/** The daemons of pods that hawser does not install, as they run here. One whose settings cannot be read is left out. */
export async function deployedHere(
  files: HostFiles,
  specs: readonly CommandSpec[],
  readSettings: SettingsReader,
): Promise<readonly DeployedDaemon[]> {
  const daemons = await findRunning(files, specs);
  return daemons.flatMap((daemon) => {
    // Another command may begin with the same word.
    const settings = unlessRefused(() =>
      settingsOfDaemon(daemon, presentSettings([daemon], readSettings)?.file),
    );
    return settings === undefined ? [] : { spec: daemon.spec, settings };
  });
}
