import { forbiddenIn } from '../engine/kube/rbac-hint.ts';

/** What helps where the API forbids a pod proxy to read a kind; undefined in words that are not those of a 403. */
export function proxyRemedy(message: string): string | undefined {
  const { user, resource } = forbiddenIn(message) ?? {};
  if (resource === undefined) return undefined;
  const role = resource === 'secrets' ? 'docs/pod-proxy.md' : 'manifests/pod-proxy/rbac.yaml';
  return `expected a role with which "${user}" may list and watch ${resource}, such as the one of ${role}`;
}
