import type * as z from 'zod/mini';
import type { CommandSpec } from './command-spec.ts';

/** The address at which a program answers the kubelet; without a host, the node's own address. */
interface Page {
  readonly host?: string;
  readonly port: number;
}

export interface PodVips {
  readonly all: readonly string[];
  readonly api: readonly string[];
  readonly apiPort: number;
  /** Port at which the holder reports the cluster's name. */
  readonly healthPort: number;
  /** Why an address cannot be a VIP on this node. `isOurs`: it may be a VIP of hawser that is already present. */
  readonly problemsOf: (vip: string, isOurs: boolean) => Promise<readonly string[]>;
}

/** The needs of a pod's daemons on the node, from their settings. */
export interface PodNeeds {
  /** Ports it listens on, with their keys in the settings file. */
  readonly ports: readonly { readonly key: string; readonly port: number }[];
  /** Target of each container's HTTP probes, by container name. */
  readonly probes: Readonly<Record<string, Page>>;
  /** The containers that need none of the capabilities that the manifest adds. */
  readonly unprivileged?: readonly string[];
  /** How long it may take to stop, if that depends on settings. */
  readonly graceSeconds?: number;
  readonly vips?: PodVips;
}

/**
 * A static pod of a product; `src/commands/pods.ts` lists them. `name` names its manifest below `manifests/`, its section in the settings file,
 * its folder in /etc, and the target of patches.
 */
export interface Pod {
  readonly name: string;
  /** The program that it runs: the distribution's service of that name, and other pods that run it, conflict with it. */
  readonly program: string;
  readonly daemons: readonly CommandSpec[];
  /** Whether a worker has it too. */
  readonly onWorkers: boolean;
  readonly supervisor: {
    readonly spec: CommandSpec<{ readonly listen?: Required<Page> | undefined }>;
    /** The status of any version: an older or newer one may be about to be replaced or removed. */
    readonly answer: z.ZodMiniType<object>;
    /** Its control socket, as a path within the pod. */
    readonly socket: string;
    /** The words after `hawser` that show its status as JSON. */
    readonly status: readonly string[];
    /** Set if HTTP probes use its page: the words after `hawser` of the probe command if it has none. */
    readonly alive?: readonly string[];
  };
  /** The template below `templates/`; its monitor's configuration has the same name without `.ejs`. */
  readonly template: string;
  /** Its folder, on the node and in the pod, if the program needs files of its package in /etc/NAME. */
  readonly folder?: string;
  /** The mode of its folder in /etc, if a daemon that is not root needs access. */
  readonly folderMode?: number;
  /** State files that its monitor writes into that folder, other than those of a configuration. */
  readonly state: RegExp;
  /** `settingsOf` reads a daemon's settings. */
  readonly needs: (settingsOf: <Settings>(spec: CommandSpec<Settings>) => Settings) => PodNeeds;
}

/** The container of a daemon, as the manifests name it: `haproxy` for `haproxy supervise`, `haproxy-monitor`. */
export function containerOf({ name }: Pick<CommandSpec, 'name'>): string {
  return name.replace(/ supervise$/, '').replaceAll(' ', '-');
}
