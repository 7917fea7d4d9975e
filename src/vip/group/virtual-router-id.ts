import type { VirtualRouterIds } from './vrrp.ts';

/**
 * The virtual router ids that the shell pods use for a cluster of this name, so that nodes can be migrated one by one: Fletcher-8 of
 * `NAME-api` and `NAME-ingress`, plus one because 0 is invalid. If both are equal, which no ASCII name produces, the ingress id is one
 * more. There are only 225 ids: of five clusters on one segment, two collide in about one case of six. `--virtual-router-ids` resolves that.
 */
export function virtualRouterIds(clusterName: string): VirtualRouterIds {
  const api = fletcher8(`${clusterName}-api`) + 1;
  const ingress = fletcher8(`${clusterName}-ingress`) + 1;
  return { api, ingress: ingress === api ? ingress + 1 : ingress };
}

/** Two sums modulo 15, of 4 bits each: 0 to 238. The sum wraps at 8 bits like that of the shell pods, for bytes above 241. */
function fletcher8(text: string): number {
  let low = 0;
  let high = 0;
  for (const byte of new TextEncoder().encode(text)) {
    low = ((low + byte) & 0xff) % 15;
    high = (high + low) % 15;
  }
  return (high << 4) | low;
}

/** Why these ids cannot be used; undefined if they can. */
export function virtualRouterIdProblem({ api, ingress }: VirtualRouterIds): string | undefined {
  const wrong = [api, ingress].find((id) => !Number.isInteger(id) || id < 1 || id > 255);
  if (wrong !== undefined) return `invalid virtual router id "${wrong}", expected 1 to 255`;
  if (api !== ingress) return undefined;
  return `virtual router id "${api}" is used twice, expected different ids for the API and for ingress`;
}
