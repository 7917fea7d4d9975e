export type Flavor = 'kubeadm' | 'openshift';

/** With which certificate the monitors of the kubeadm flavour ask the API. */
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
  /** Manifests of others that were taken out of the kubelet's folder. */
  replacedDir: '/etc/hawser/replaced',
  journalDir: '/var/log/hawser',
  /** Provided by the operator, as the kubeconfig is: docs/peers.md. */
  peerDir: '/etc/hawser/peer',
  peerFiles: ['/etc/hawser/peer/ca.crt', '/etc/hawser/peer/tls.crt', '/etc/hawser/peer/tls.key'],
  kubernetes: '/etc/kubernetes',
  clusterAuthority: '/etc/kubernetes/pki/ca.crt',
  manifests: '/etc/kubernetes/manifests',
} as const;

export interface PodLayout {
  readonly program: 'haproxy' | 'keepalived';
  /** Where the kubelet reads it. */
  readonly manifest: string;
  readonly template: string;
  /** Below the folder that hawser itself lies in. */
  readonly source: { readonly manifest: string; readonly template: string };
  /** The files that the monitor writes and keeps across a restart. */
  readonly dataDir: string;
  /** The file in it that the program runs with. */
  readonly configuration: string;
}

/**
 * User and group of the container "haproxy", in manifests/haproxy.yaml: a number that no distribution gives away
 * (docs/decisions/0026).
 */
export const unprivilegedId = 65_529;

/** Every program adds a journal of its own, and none may remove that of another. */
export const journalFolder = { path: layout.journalDir, mode: 0o1775, group: unprivilegedId } as const;

/** Where the pods meet: what one of them writes, and the container that is not root has to get at. */
export const sharedFolders = [
  { path: layout.settingsDir, mode: 0o755 },
  { path: '/etc/haproxy', mode: 0o755 },
  { path: '/etc/keepalived' },
  journalFolder,
] as const;

export const podLayouts: readonly PodLayout[] = [
  podLayout('haproxy', 'haproxy.cfg.ejs'),
  podLayout('keepalived', 'keepalived.conf.ejs'),
];

function podLayout(program: PodLayout['program'], template: string): PodLayout {
  return {
    program,
    manifest: `${layout.manifests}/${program}.yaml`,
    template: `/etc/kubernetes/static-pod-resources/${program}/${template}`,
    source: { manifest: `manifests/${program}.yaml`, template: `templates/${template}` },
    dataDir: `/etc/${program}`,
    configuration: `/etc/${program}/${template.replace(/\.ejs$/, '')}`,
  };
}
