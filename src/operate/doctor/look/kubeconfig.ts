import type { HostFiles } from '../../../engine/examine/host-files.ts';
import { type LoadedKubeconfig, openKubeconfig } from '../../../engine/kube/kubeconfig.ts';
import { codeOf, messageOf } from '../../../engine/system/errors.ts';
import type { DoctorSettings } from './context.ts';

export type KubeconfigReading =
  | { readonly kind: 'loaded'; readonly path: string; readonly loaded: LoadedKubeconfig }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'unusable';
      readonly path: string;
      readonly message: string;
      readonly cause: 'missing' | 'forbidden' | 'broken';
    };

/** Hawser's own, then where kubeadm and others leave the kubelet's. */
const usual = ['/etc/hawser/kubeconfig', '/etc/kubernetes/kubelet.conf', '/var/lib/kubelet/kubeconfig'];

export async function readKubeconfig(settings: DoctorSettings, files: HostFiles): Promise<KubeconfigReading> {
  const paths = settings.kubeconfig === undefined ? usual : [settings.kubeconfig];
  for (const path of paths) {
    const file = openKubeconfig(await files.locate(path), () => undefined);
    try {
      const loaded = await file.load();
      await locateCredentials(loaded, files);
      return { kind: 'loaded', path, loaded };
    } catch (error) {
      const cause = CAUSES[codeOf(error) ?? ''] ?? 'broken';
      if (settings.kubeconfig === undefined && cause === 'missing') continue;
      return { kind: 'unusable', path, message: messageOf(error), cause };
    }
  }
  return { kind: 'none' };
}

const CAUSES: Readonly<Record<string, 'missing' | 'forbidden'>> = {
  ENOENT: 'missing',
  ENOTDIR: 'missing',
  EACCES: 'forbidden',
};

/** A kubeconfig names its certificates by paths of the node, which may be links. */
async function locateCredentials({ config }: LoadedKubeconfig, files: HostFiles): Promise<void> {
  const root = files.at('/').replace(/\/$/, '');
  const here = async (path: string): Promise<string> =>
    await files.locate(root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length) : path);
  const [user, cluster] = [config.getCurrentUser(), config.getCurrentCluster()];
  if (user?.certFile) user.certFile = await here(user.certFile);
  if (user?.keyFile) user.keyFile = await here(user.keyFile);
  const token = user?.authProvider?.config;
  if (token?.tokenFile) token.tokenFile = await here(token.tokenFile);
  if (cluster?.caFile) cluster.caFile = await here(cluster.caFile);
}
