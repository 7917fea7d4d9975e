import type { Pod } from '../../cli/pod.ts';
import { ASIDE_SUFFIX } from '../../engine/render/rendered-mark.ts';

export interface DesiredFile {
  /** The path on the node, below its root directory. */
  readonly path: string;
  readonly content: string;
  readonly mode: number;
  /** The folder in which the file is written before it is moved into place, if other programs read every file of its own folder. */
  readonly stageIn?: string;
}

/** A folder. Properties that are undefined are not changed in an existing folder. */
export interface DesiredFolder {
  readonly path: string;
  readonly mode?: number | undefined;
  /** The group id. */
  readonly group?: number;
}

/** The credentials with which the monitors connect to the API. */
export type Credentials = 'own' | 'kubelet';

/** The paths on a node, below its root directory. */
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
 * The commands of docs/install.md that create the monitors' kubeconfig. The subshell leaves the caller's umask unchanged; ten years are the
 * lifetime of the cluster's CA.
 */
export const kubeconfigCommands: Readonly<Record<Credentials, (path: string) => string>> = {
  own: (path) =>
    `(umask 077; kubeadm kubeconfig user --client-name hawser --validity-period 87600h >${path})`,
  kubelet: (path) => `install -m 0600 /etc/kubernetes/kubelet.conf ${path}`,
};

/** The paths of a pod's files. */
interface PodLayout {
  /** The manifest that the kubelet reads. */
  readonly manifest: string;
  readonly template: string;
  /** The shipped files, below hawser's own folder. */
  readonly source: { readonly manifest: string; readonly template: string };
  /** The folder of the files that the monitor writes and keeps across a restart. */
  readonly dataDir: string;
  /** The program's configuration in `dataDir`. */
  readonly configuration: string;
  /** The configuration of the program's distribution package. */
  readonly packaged: string;
  /** The name of the package's configuration while hawser is installed. */
  readonly aside: string;
}

/**
 * User and group id of the container "haproxy" in manifests/haproxy.yaml, which no distribution assigns
 * (docs/internals/decisions/0026).
 */
export const unprivilegedId = 65_529;

/** The folder of the journals. Sticky, so that no program can remove another program's journal. */
export const journalFolder = { path: layout.journalDir, mode: 0o1775, group: unprivilegedId } as const;

/** The folders that the pods mount, with the modes that they need. */
export function sharedFolders(pods: readonly Pod[]): readonly DesiredFolder[] {
  const own = pods.map((pod) => ({ path: podLayout(pod).dataDir, mode: pod.folderMode }));
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
