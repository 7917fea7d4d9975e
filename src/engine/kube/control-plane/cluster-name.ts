import { parseAddress } from '../../system/network/node-address.ts';

/**
 * The cluster's name as the field takes it from its API's host name: the second label of `api.NAME.DOMAIN` and
 * `api-int.NAME.DOMAIN`, else the first label. An address stands for itself, with dashes.
 */
export function clusterNameOf(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '');
  if (parseAddress(bare) !== undefined) return bare.replaceAll(/[.:]+/g, '-');
  const [first = bare, second] = bare.split('.');
  return /^api(?:-int)?$/.test(first) && second !== undefined ? second : first;
}
