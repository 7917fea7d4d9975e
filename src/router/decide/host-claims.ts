import { hostText } from '../model.ts';
import { parentDomain } from './host-of.ts';
import type { Refusal, RouteClaim } from './verdict.ts';

/** A place that a route requests, and the route's identity. */
export interface HostClaim
  extends Pick<RouteClaim, 'key' | 'kind' | 'host' | 'wildcard' | 'path' | 'pathMatch'> {
  readonly namespace: string;
  readonly name: string;
  readonly createdMs: number;
}

interface HostClaims {
  /** Claims host and path for a route, or returns why it cannot have them. The first claim wins. */
  readonly claim: (claim: HostClaim) => Refusal | undefined;
}

/** The routes that hold a host, or the domain of a wildcard. */
interface Holders {
  /** The first claim. Its namespace owns the host. */
  readonly first: HostClaim;
  /** By path and match: `/a` exactly and the prefix `/a` are different places. */
  readonly byPath: Map<string, HostClaim>;
  passthrough?: HostClaim;
  terminated?: HostClaim;
}

/**
 * Tracks which route holds which host. A namespace owns a host with all its paths. A wildcard excludes other namespaces from its domain, and hosts
 * in the domain exclude wildcards of other namespaces. A passthrough route must be the only route with TLS on its host, since connections are
 * forwarded before the path can be read. The same holds between a passthrough wildcard and the hosts in its domain, whose connections it would
 * receive.
 */
export function createHostClaims(namespaceOwnership: boolean): HostClaims {
  const hosts = new Map<string, Holders>();
  const wildcards = new Map<string, Holders>();
  /** For each domain, the first route of each namespace that has a host in it. */
  const inDomain = new Map<string, Map<string, HostClaim>>();
  const terminatedInDomain = new Map<string, HostClaim>();

  const blocking = (claim: HostClaim): HostClaim | undefined => {
    const same = (claim.wildcard ? wildcards : hosts).get(claim.host);
    const isForeign = (other: HostClaim) => namespaceOwnership && other.namespace !== claim.namespace;
    if (same !== undefined) {
      if (isForeign(same.first)) return same.first;
      const samePath = same.byPath.get(pathText(claim));
      if (samePath !== undefined) return samePath;
      if (claim.kind === 'passthrough' && same.terminated) return same.terminated;
      if (isTerminated(claim) && same.passthrough) return same.passthrough;
    }
    if (claim.wildcard) {
      const foreign = [...(inDomain.get(claim.host)?.values() ?? [])].find(isForeign);
      return foreign ?? (claim.kind === 'passthrough' ? terminatedInDomain.get(claim.host) : undefined);
    }
    const above = wildcards.get(parentDomain(claim.host));
    if (above !== undefined && isForeign(above.first)) return above.first;
    return isTerminated(claim) ? above?.passthrough : undefined;
  };

  const take = (claim: HostClaim): void => {
    const table = claim.wildcard ? wildcards : hosts;
    const holders: Holders = table.get(claim.host) ?? { first: claim, byPath: new Map() };
    table.set(claim.host, holders);
    holders.byPath.set(pathText(claim), claim);
    if (claim.kind === 'passthrough') holders.passthrough ??= claim;
    if (isTerminated(claim)) holders.terminated ??= claim;
    const domain = parentDomain(claim.host);
    if (claim.wildcard || domain === '') return;
    const namespaces = inDomain.get(domain) ?? new Map<string, HostClaim>();
    inDomain.set(domain, namespaces);
    if (!namespaces.has(claim.namespace)) namespaces.set(claim.namespace, claim);
    if (isTerminated(claim) && !terminatedInDomain.has(domain)) terminatedInDomain.set(domain, claim);
  };

  return {
    claim: (claim) => {
      const holder = blocking(claim);
      if (holder !== undefined) return refusal(claim, holder);
      take(claim);
      return undefined;
    },
  };
}

function isTerminated({ kind }: HostClaim): boolean {
  return kind === 'edge' || kind === 'reencrypt';
}

/** The message discloses no names or hosts of another namespace. */
function refusal(claim: HostClaim, holder: HostClaim): Refusal {
  const isOwn = claim.namespace === holder.namespace;
  const why = holder.createdMs <= claim.createdMs ? 'is older' : 'was admitted first';
  const message = isOwn
    ? `route ${holder.name} already has ${placeOf(holder)} and ${why}`
    : `a route in another namespace holds ${claim.wildcard ? `a host in ${claim.host}` : claim.host} and ${why}`;
  return { reason: 'HostAlreadyClaimed', message, holder: holder.key };
}

type Place = Pick<RouteClaim, 'host' | 'wildcard' | 'path' | 'pathMatch'>;

/** `*.example.com/path`, and `example.com/path (exact)`. */
export function placeOf(claim: Place): string {
  return `${hostText(claim)}${pathText(claim)}`;
}

function pathText({ path, pathMatch }: Pick<Place, 'path' | 'pathMatch'>): string {
  return pathMatch === 'exact' ? `${path} (exact)` : path;
}
