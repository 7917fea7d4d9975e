import { forbiddenIn } from '../engine/kube/rbac-hint.ts';

/** The missing right, if the message is a 403 about a resource that the pod proxy reads; otherwise undefined. */
export function proxyRemedy(message: string): string | undefined {
  const { user, resource } = forbiddenIn(message) ?? {};
  if (resource === undefined) return undefined;
  const role = resource === 'secrets' ? 'docs/pod-proxy.md' : 'manifests/pod-proxy/rbac.yaml';
  return `expected a role with which "${user}" may list and watch ${resource}, such as the one of ${role}`;
}
