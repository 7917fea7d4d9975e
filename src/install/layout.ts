export type Flavor = 'kubeadm' | 'openshift';

/** Where things are on a node, from its root directory on. */
export const layout = {
  settingsDir: '/etc/hawser',
  settings: '/etc/hawser/config.yaml',
  schema: '/etc/hawser/config.schema.json',
  kubeconfig: '/etc/hawser/kubeconfig',
  record: '/etc/hawser/installed.json',
  /** Manifests of others that were taken out of the kubelet's folder. */
  replacedDir: '/etc/hawser/replaced',
  journalDir: '/var/log/hawser',
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
  /** What the monitor writes, and keeps over a restart. */
  readonly dataDir: string;
}

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
  };
}
