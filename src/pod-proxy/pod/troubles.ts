import { forbiddenIn } from '../../engine/kube/rbac-hint.ts';
import type { ResourceEvent } from '../../engine/kube/resource-view.ts';

/** An API server restarts within this time. */
const LASTING_MS = 60_000;

export type Troubles = ReturnType<typeof createTroubles>;

/** Why the API's lists cannot be read, with the remedy. */
export function createTroubles(nowMs: () => number) {
  const troubles = new Map<
    unknown,
    { readonly message: string; readonly isRefused: boolean; readonly sinceMs: number }
  >();
  return {
    /** Must be called with every event of a list. */
    note: (list: unknown, event: ResourceEvent): void => {
      if (event.kind === 'available') troubles.delete(list);
      if (event.kind !== 'unavailable') return;
      const message = [event.message, proxyRemedy(event.message)].filter(Boolean).join(', ');
      const sinceMs = troubles.get(list)?.sinceMs ?? nowMs();
      troubles.set(list, { message, isRefused: event.status === 403, sinceMs });
    },
    all: (): readonly string[] => [...troubles.values()].map(({ message }) => message),
    /** Those because of which known objects may be outdated: a refusal at once, any other after a minute. */
    lasting: (): readonly string[] =>
      [...troubles.values()]
        .filter(({ isRefused, sinceMs }) => isRefused || nowMs() - sinceMs >= LASTING_MS)
        .map(({ message }) => message),
  };
}

const roles: Readonly<Record<string, string>> = {
  secrets: 'docs/pod-proxy.md',
  services: 'manifests/pod-proxy/dns.yaml',
};

/** The missing permission, if the message is a 403 about a resource that the pod proxy reads; otherwise undefined. */
export function proxyRemedy(message: string): string | undefined {
  const { user, resource } = forbiddenIn(message) ?? {};
  if (resource === undefined) return undefined;
  const role = roles[resource] ?? 'manifests/pod-proxy/rbac.yaml';
  return `expected a role that allows "${user}" to list and watch ${resource}, such as the one in ${role}`;
}
