import type { CommandSpec } from './command-spec.ts';

/** One of hawser's daemons on a node, with the settings that it has and those that it would have. */
export interface DaemonChange<Settings> {
  readonly before: Settings;
  readonly after: Settings;
  /** Translates a path of the daemon for this process. */
  readonly at: (path: string) => string;
  /** The same, with links resolved as in its container, where /var/run links to its own /run. */
  readonly locate: (path: string) => Promise<string>;
}

/** What a product is asked about by `hawser plan`: other settings on one node. */
export interface NodeChange {
  /** Undefined for a daemon that neither runs nor is installed. */
  readonly daemon: <Settings>(spec: CommandSpec<Settings>) => DaemonChange<Settings> | undefined;
  /** The containers that are restarted for the settings to take effect, of every product. */
  readonly restarts: ReadonlySet<string>;
  /** How long the API and a supervisor may take. */
  readonly timeoutMs: number;
}

/** The files that every monitor has. */
interface MonitorPaths {
  readonly kubeconfig: string;
  readonly template: string;
  readonly config: string;
  readonly lastKnownPath: string;
}

/** A monitor's planned settings with its files where this process finds them. */
export function monitorHere<Settings extends MonitorPaths>({ after, at }: DaemonChange<Settings>): Settings {
  const { kubeconfig, template, config, lastKnownPath } = after;
  const here = { kubeconfig: at(kubeconfig), template: at(template), config: at(config) };
  return { ...after, ...here, lastKnownPath: at(lastKnownPath) };
}
