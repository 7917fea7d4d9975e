import type * as z from 'zod/mini';
import type { CommandSpec } from './command-spec.ts';

/** Where a program answers the kubelet; without a host at the node's own address. */
interface Page {
  readonly host?: string;
  readonly port: number;
}

/** The VIPs that a pod holds, by the settings. */
export interface PodVips {
  readonly all: readonly string[];
  readonly api: readonly string[];
  readonly apiPort: number;
  /** Where the node that holds one reports the cluster's name. */
  readonly healthPort: number;
  /** Why an address cannot be a VIP on this node. `isOurs`: one of hawser's may be here already. */
  readonly problemsOf: (vip: string, isOurs: boolean) => Promise<readonly string[]>;
}

/** What the settings of a pod's daemons mean for the node. */
export interface PodNeeds {
  /** Every port on which it listens, with its key in the settings file. */
  readonly ports: readonly { readonly key: string; readonly port: number }[];
  /** Where the HTTP probes of a container ask, by its name. */
  readonly probes: Readonly<Record<string, Page>>;
  /** How long it may take to stop, where the manifest cannot know. */
  readonly graceSeconds?: number;
  readonly vips?: PodVips;
}

/**
 * A static pod that a product brings; `src/commands/pods.ts` lists them. `name` is that of its manifest below `manifests/`,
 * of its section in the settings file, of its folder in /etc, and what a patch is for.
 */
export interface Pod {
  readonly name: string;
  /** The program that it drives: the distribution's service of that name, and other pods that run it, are in the way. */
  readonly program: string;
  /** In the order in which they are shown. */
  readonly daemons: readonly CommandSpec[];
  readonly supervisor: {
    readonly spec: CommandSpec<{ readonly listen?: Required<Page> | undefined }>;
    /** What one of any version answers at its page: an older or newer one may be about to be replaced or removed. */
    readonly answer: z.ZodMiniType<object>;
    /** Its control socket, as a path within the pod. */
    readonly socket: string;
    /** The words after `hawser` that show its status as JSON. */
    readonly status: readonly string[];
    /** Where the probes ask its page: the words after `hawser` that take its place if it has none. */
    readonly alive?: readonly string[];
  };
  /** The template below `templates/`; the configuration that its monitor writes has the same name without `.ejs`. */
  readonly template: string;
  /** Its folder, on the node as in the pod, where /etc/NAME holds files that the program needs from its package. */
  readonly folder?: string;
  /** The mode of its folder in /etc, where a daemon that is not root has to get at it. */
  readonly folderMode?: number;
  /** Files that only its monitor writes into that folder, beside what it keeps of a configuration. */
  readonly state: RegExp;
  /** `settingsOf` reads a daemon's settings. */
  readonly needs: (settingsOf: <Settings>(spec: CommandSpec<Settings>) => Settings) => PodNeeds;
}

/** The container of a daemon, as the manifests name it: `haproxy` for `haproxy supervise`, `haproxy-monitor`. */
export function containerOf({ name }: Pick<CommandSpec, 'name'>): string {
  return name.replace(/ supervise$/, '').replaceAll(' ', '-');
}
