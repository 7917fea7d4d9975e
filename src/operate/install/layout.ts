import type { Pod } from '../../cli/pod.ts';
import { ASIDE_SUFFIX } from '../../engine/render/rendered-mark.ts';

export interface WantedFile {
  /** On the node, below its root directory. */
  readonly path: string;
  readonly content: string;
  readonly mode: number;
  /** The file is written here before it is moved into place: other programs read every file of its folder. */
  readonly stageIn?: string;
}

/** Properties that are not given stay as they are in an existing folder. */
export interface WantedFolder {
  readonly path: string;
  readonly mode?: number;
  /** Numeric. */
  readonly group?: number;
}

/** With which certificate the monitors ask the API. */
export type Credentials = 'own' | 'kubelet';

/** Where things are on a node, from its root directory on. */
export const layout = {
  settingsDir: '/etc/hawser',
  settings: '/etc/hawser/config.yaml',
  schema: '/etc/hawser/config.schema.json',
  kubeconfig: '/etc/hawser/kubeconfig',
  record: '/etc/hawser/installed.json',
  /** The command `hawser`. */
  nodeCommand: '/usr/local/bin/hawser',
  journalDir: '/var/log/hawser',
  kubernetes: '/etc/kubernetes',
  clusterAuthority: '/etc/kubernetes/pki/ca.crt',
  manifests: '/etc/kubernetes/manifests',
} as const;

/** Whether the kubelet reads the file as a static pod. */
export function isManifest(path: string): boolean {
  return path.startsWith(`${layout.manifests}/`);
}

/**
 * The command of docs/install.md for a kubeconfig of hawser's own. The subshell keeps the caller's umask; ten years are the lifetime
 * of the cluster's CA.
 */
export function kubeconfigCommand(path: string): string {
  return `(umask 077; kubeadm kubeconfig user --client-name hawser --validity-period 87600h >${path})`;
}

/** The paths of a pod's files. */
interface PodLayout {
  /** The kubelet reads it here. */
  readonly manifest: string;
  readonly template: string;
  /** Below the folder that hawser itself lies in. */
  readonly source: { readonly manifest: string; readonly template: string };
  /** The files that the monitor writes and keeps across a restart. */
  readonly dataDir: string;
  /** The file in it that the program runs with. */
  readonly configuration: string;
  /** The file that the program of a package runs with. */
  readonly packaged: string;
  /** Its backup while hawser is installed. */
  readonly aside: string;
}

/**
 * User and group of the container "haproxy", in manifests/haproxy.yaml: a number that no distribution gives away
 * (docs/internals/decisions/0026).
 */
export const unprivilegedId = 65_529;

/** Every program adds a journal of its own, and none may remove that of another. */
export const journalFolder = { path: layout.journalDir, mode: 0o1775, group: unprivilegedId } as const;

/** Shared by the pods: written by one of them, and accessible to the container that does not run as root. */
export function sharedFolders(pods: readonly Pod[]): readonly WantedFolder[] {
  const own = pods.map((pod) => ({
    path: podLayout(pod).dataDir,
    ...(pod.folderMode !== undefined && { mode: pod.folderMode }),
  }));
  return [{ path: layout.settingsDir, mode: 0o755 }, ...own, journalFolder];
}

export function podLayout({
  name,
  folder = `/etc/${name}`,
  template,
}: Pick<Pod, 'name' | 'folder' | 'template'>): PodLayout {
  const file = template.replace(/\.ejs$/, '');
  return {
    manifest: `${layout.manifests}/${name}.yaml`,
    template: `/etc/kubernetes/static-pod-resources/${name}/${template}`,
    source: { manifest: `manifests/${name}.yaml`, template: `templates/${template}` },
    dataDir: folder,
    configuration: `${folder}/${file}`,
    packaged: `/etc/${name}/${file}`,
    aside: `/etc/${name}/${file}${ASIDE_SUFFIX}`,
  };
}
