import { parseAddress } from '../../system/network/node-address.ts';
import type { KubeconfigFile } from '../kubeconfig.ts';

/**
 * The cluster's name by convention from the host name of its API: the second label of `api.NAME.DOMAIN` and `api-int.NAME.DOMAIN`, otherwise the
 * first label. For an address, the address with dashes.
 */
export function clusterNameOf(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '');
  if (parseAddress(bare) !== undefined) return bare.replaceAll(/[.:]+/g, '-');
  const [first = bare, second] = bare.split('.');
  return /^api(?:-int)?$/.test(first) && second !== undefined ? second : first;
}

/** The name of the cluster of a kubeconfig. Rejects if there has never been a usable kubeconfig. */
export async function clusterNameIn(kubeconfig: Pick<KubeconfigFile, 'load'>): Promise<string> {
  return clusterNameOf((await kubeconfig.load()).server.hostname);
}
