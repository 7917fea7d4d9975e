import type * as z from 'zod/mini';
import type { CommandSpec } from './command-spec.ts';

/** The address at which a program answers the kubelet. Without a host it is the node's own address. */
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

/** What a pod's daemons need on the node, according to their settings. */
export interface PodNeeds {
  /** Ports to listen on, with their keys in the settings file. */
  readonly ports: readonly { readonly key: string; readonly port: number }[];
  /** Targets of the HTTP probes, keyed by container name. */
  readonly probes: Readonly<Record<string, Page>>;
  /** Containers that need none of the capabilities that the manifest adds. */
  readonly unprivileged?: readonly string[];
  /** How long the pod may take to stop, if that depends on settings. */
  readonly graceSeconds?: number;
  readonly vips?: PodVips;
}

/**
 * A static pod of a product; `src/commands/pods.ts` lists all of them. `name` is the name of its manifest below `manifests/`, of its section in the
 * settings file, of its folder in /etc, and of the target of patches.
 */
export interface Pod {
  readonly name: string;
  /** The program that it runs. The distribution's service of that name, and other pods that run the program, conflict with it. */
  readonly program: string;
  readonly daemons: readonly CommandSpec[];
  /** Whether workers have the pod too. */
  readonly onWorkers: boolean;
  readonly supervisor: {
    readonly spec: CommandSpec<{ readonly listen?: Required<Page> | undefined }>;
    /** The status of any version: an older or newer version may be about to be replaced or removed. */
    readonly answer: z.ZodMiniType<object>;
    /** Its control socket, as a path within the pod. */
    readonly socket: string;
    /** The words after `hawser` that print its status as JSON. */
    readonly status: readonly string[];
    /** Set if HTTP probes use its page: the words after `hawser` of the probe command for a pod without a page. */
    readonly alive?: readonly string[];
  };
  /** The template below `templates/`. Its monitor's configuration has the same name without `.ejs`. */
  readonly template: string;
  /** Its folder, on the node and in the pod, if the program needs files of its package in /etc/NAME. */
  readonly folder?: string;
  /** The mode of its folder in /etc, if a daemon that is not root needs access. */
  readonly folderMode?: number;
  /** State files that its monitor writes into that folder, in addition to those of a configuration. */
  readonly state: RegExp;
  /** The needs for these settings. `settingsOf` reads a daemon's settings. */
  readonly needs: (settingsOf: <Settings>(spec: CommandSpec<Settings>) => Settings) => PodNeeds;
}

/** The name of a daemon's container in the manifests: `haproxy` for `haproxy supervise`, `haproxy-monitor` for `haproxy monitor`. */
export function containerOf({ name }: Pick<CommandSpec, 'name'>): string {
  return name.replace(/ supervise$/, '').replaceAll(' ', '-');
}
