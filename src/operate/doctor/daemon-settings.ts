import { existsSync, statSync } from 'node:fs';
import { readCommandLine, settingsTyped } from '../../cli/command-line.ts';
import type { CommandSpec, SettingsFile, SettingsReader } from '../../cli/command-spec.ts';
import type { Pod } from '../../cli/pod.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { ConfigError } from '../../engine/system/errors.ts';
import { digestOf } from '../install/effective-settings.ts';
import { layout, podLayout } from '../install/layout.ts';
import type { DeployedDaemon, DoctorSettings, ProgramPage } from './context.ts';
import { type Daemon, findDaemons, findRunning } from './daemons.ts';

/** The settings of a daemon that doctor uses. */
interface DaemonSettings {
  readonly listen?: { readonly port: number } | undefined;
  readonly metricsListen?: { readonly port: number } | undefined;
  readonly kubeconfig?: string;
}

/**
 * Reads the settings of this node's daemons as they run, or as their manifests would start them. Uses the defaults for a daemon that is
 * not installed or has invalid settings. `kubeconfig` is undefined if no monitor is installed here.
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
      // Only the fields of `DaemonSettings` are read. They have the same meaning in all daemons.
      const settings = daemon && unlessRefused(() => settingsOf(daemon, file) as DaemonSettings);
      return { spec, settings };
    });
  const present = unlessRefused(() => presentSettings(daemons, readSettings));
  return {
    pages: all.flatMap(({ spec, settings }) => pagesOf(spec.name, settings ?? defaultPages(spec, file))),
    outdated: present === undefined ? [] : await startedBefore(present, daemons, pods, files),
    kubeconfig: all.flatMap(({ settings }) => settings?.kubeconfig ?? [])[0],
  };
}

/** The running daemons of pods that hawser does not install. Omits a daemon whose settings cannot be read. */
export async function deployedHere(
  files: HostFiles,
  specs: readonly CommandSpec[],
  readSettings: SettingsReader,
): Promise<readonly DeployedDaemon[]> {
  const daemons = await findRunning(files, specs);
  return daemons.flatMap((daemon) => {
    // Settings are undefined if another command starts with the same word.
    const settings = unlessRefused(() => settingsOf(daemon, presentSettings([daemon], readSettings)?.file));
    return settings === undefined ? [] : { spec: daemon.spec, settings };
  });
}

/** The settings of a daemon with this settings file. Throws a ConfigError for invalid settings. */
function settingsOf({ spec, argv, env }: Daemon, file: SettingsFile | undefined): unknown {
  return settingsTyped(spec, argv, env, () => file);
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

/** The addresses of a daemon's pages from the settings file, else the defaults. */
function defaultPages({ section, flags }: CommandSpec, file: SettingsFile | undefined): DaemonSettings {
  const pageOf = (key: 'listen' | 'metricsListen') => {
    const inFile = flags[key]?.inFile === 'never' ? undefined : file?.values[section ?? 'top']?.[key];
    const ports = [inFile?.value, flags[key]?.default].flatMap(
      (listen) => /:(\d+)$/.exec(String(listen))?.[1] ?? [],
    );
    return ports[0] === undefined ? undefined : { port: Number(ports[0]) };
  };
  return { listen: pageOf('listen'), metricsListen: pageOf('metricsListen') };
}

function pagesOf(program: string, { listen, metricsListen }: DaemonSettings): readonly ProgramPage[] {
  const pages: ProgramPage[] = [];
  if (listen !== undefined) pages.push({ program, port: listen.port });
  if (metricsListen !== undefined)
    pages.push({ program, port: metricsListen.port, flag: '--metrics-listen' });
  return pages;
}

/** A settings file as a daemon would read it. Its path is that in the daemon's container. */
interface ReadSettings {
  readonly file: SettingsFile;
  readonly writtenAtMs: number;
}

/**
 * The settings file that the daemons read at startup; undefined if there is none. Throws a ConfigError with every problem of the
 * file, or if a daemon's `--settings` file is missing.
 */
function presentSettings(daemons: readonly Daemon[], readSettings: SettingsReader): ReadSettings | undefined {
  for (const daemon of daemons) {
    const path = settingsPathOf(daemon);
    if (path !== undefined) return readAs(path, daemon.at(path), readSettings);
  }
  const at = daemons[0]?.at(layout.settings);
  return at !== undefined && existsSync(at) ? readAs(layout.settings, at, readSettings) : undefined;
}

/** The path of a daemon's settings file from its flag or environment; undefined for the default path. */
export function settingsPathOf({ spec, argv, env, folder }: Daemon): string | undefined {
  let path: string | undefined;
  const remember = (given: string | undefined) => {
    path = given;
    return undefined;
  };
  // Refused if required arguments are only in the settings file. The path has been read by then.
  unlessRefused(() => readCommandLine(spec, argv, env, remember, folder));
  return path;
}

/** Reads a settings file. `at` is the location of `path` for this process. Messages contain `path`. */
export function readAs(path: string, at: string, readSettings: SettingsReader): ReadSettings {
  try {
    const file = readSettings(at);
    if (file === undefined)
      throw new ConfigError([`Cannot read settings file "${path}": the file does not exist`]);
    return { file: { ...file, path }, writtenAtMs: statSync(at).mtimeMs };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      error.problems.map((problem) => problem.replaceAll(at, path)),
      { cause: error },
    );
  }
}

/** The precision of a process's start time, since `btime` is in whole seconds. */
const CLOCK_SLACK_MS = 2_000;

/**
 * The names of the daemons that started before the settings file was written. Omits the daemons of a pod whose manifest was installed
 * with the same settings: what was written is a setting of another pod.
 */
async function startedBefore(
  { file, writtenAtMs }: ReadSettings,
  daemons: readonly Daemon[],
  pods: readonly Pod[],
  files: HostFiles,
): Promise<readonly string[]> {
  const isCurrent = async (pod: Pod) =>
    (await files.value(podLayout(pod).manifest))?.includes(digestOf(file.values, pod)) === true;
  const current = await Promise.all(pods.map(async (pod) => ((await isCurrent(pod)) ? pod.daemons : [])));
  return daemons.flatMap(({ spec, startedAtMs }) =>
    startedAtMs !== undefined && startedAtMs + CLOCK_SLACK_MS < writtenAtMs && !current.flat().includes(spec)
      ? [spec.name]
      : [],
  );
}
