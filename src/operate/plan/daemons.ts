import type { HostFiles } from '../../engine/examine/host-files.ts';
import { type HostProcess, listProcesses } from '../../engine/examine/host-processes.ts';
import { layout, podLayouts } from '../install/layout.ts';
import { manifestContainers } from '../install/manifest-containers.ts';
import type { Container } from './change-cost.ts';

/** How one of hawser's daemons was started on this node, or would be. */
export interface Daemon {
  /** What is typed after `hawser`: `haproxy supervise`. */
  readonly name: DaemonName;
  readonly container: Container;
  /** The arguments after its name. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Translates a path of the daemon for this process. */
  readonly at: (path: string) => string;
  /** The same, with links resolved as in its container, where /var/run links to its own /run. */
  readonly locate: (path: string) => Promise<string>;
  /** Milliseconds of the Unix epoch, accurate to two seconds; undefined if it does not run. */
  readonly startedAtMs: number | undefined;
}

export const daemonNames = {
  'haproxy supervise': 'haproxy',
  'haproxy monitor': 'haproxy-monitor',
  'keepalived supervise': 'keepalived',
  'keepalived monitor': 'keepalived-monitor',
} as const satisfies Readonly<Record<string, Container>>;
export type DaemonName = keyof typeof daemonNames;

/** The kernel's unit of time in /proc. */
const TICKS_PER_SECOND = 100;

/**
 * Each of the four daemons, as it runs in this network namespace, else as its static pod would start it. A daemon that
 * neither runs nor is installed is left out.
 */
export async function findDaemons(files: HostFiles): Promise<readonly Daemon[]> {
  const running = await Promise.all(
    (await listProcesses(files)).map(async (found) => await runningDaemon(found, files)),
  );
  const installed = await installedDaemons(files);
  return (Object.keys(daemonNames) as readonly DaemonName[]).flatMap(
    (name) => [...running, ...installed].find((each) => each?.name === name) ?? [],
  );
}

async function runningDaemon({ pid, argv }: HostProcess, files: HostFiles): Promise<Daemon | undefined> {
  const program = argv.findIndex((word) => /\/(?:dist\/hawser\.mjs|src\/main\.ts)$/.test(word));
  const name = nameOf(argv.slice(program + 1));
  if (program < 0 || name === undefined) return undefined;
  const environment = (await files.value(`/proc/${pid}/environ`)) ?? '';
  return {
    ...{ name, container: daemonNames[name], argv: argv.slice(program + 3) },
    env: Object.fromEntries(environment.split('\0').map(variableOf)),
    at: (path) => files.at(`/proc/${pid}/root${path}`),
    locate: (path) => files.locate(path, `/proc/${pid}/root`),
    startedAtMs: await startOf(pid, files),
  };
}

function nameOf(words: readonly string[]): DaemonName | undefined {
  const typed = words.slice(0, 2).join(' ');
  return (Object.keys(daemonNames) as readonly DaemonName[]).find((name) => name === typed);
}

function variableOf(line: string): readonly [string, string] {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
}

/** Boot time plus the ticks since: proc(5). */
async function startOf(pid: number, files: HostFiles): Promise<number | undefined> {
  const [stat, boot] = await Promise.all([files.value(`/proc/${pid}/stat`), files.value('/proc/stat')]);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const bootSeconds = /^btime (\d+)$/m.exec(boot ?? '')?.[1];
  if (fields?.[19] === undefined || bootSeconds === undefined) return undefined;
  return Number(bootSeconds) * 1_000 + (Number(fields[19]) / TICKS_PER_SECOND) * 1_000;
}

async function installedDaemons(files: HostFiles): Promise<readonly Daemon[]> {
  const found = await Promise.all(
    podLayouts.map(async ({ manifest }) => manifestContainers((await files.value(manifest)) ?? '')),
  );
  return found.flat().flatMap(({ args, env, hostPath }) => {
    const name = nameOf(args);
    if (name === undefined) return [];
    const at = (path: string): string => files.at(hostPath(path));
    const locate = (path: string): Promise<string> => files.locate(hostPath(path));
    return {
      name,
      container: daemonNames[name],
      argv: args.slice(2),
      env,
      at,
      locate,
      startedAtMs: undefined,
    };
  });
}

/** The default settings file. */
export const usualSettings = layout.settings;
