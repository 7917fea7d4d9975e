import type { Access } from '../../engine/kube/access-review.ts';
import type { TargetName } from '../dns/target.ts';
import type { OwnPod } from '../pod/pod.ts';
import { requestsIn } from '../requests.ts';

const basic = 'manifests/pod-proxy/rbac.yaml';
const dns = 'manifests/pod-proxy/dns.yaml';

/** A permission that the proxy needs, and the file with its rule. A Secret needs a rule with its name instead, see the docs. */
type NeededAccess = Access & ({ readonly file: string } | { readonly name: string });

/** The permissions that every proxy needs. */
export function neededAccess(namespace: string): readonly NeededAccess[] {
  const read = readsIn(namespace, basic);
  return [
    ...read('', 'pods'),
    ...read('', 'configmaps'),
    ...read('discovery.k8s.io', 'endpointslices'),
    { verb: 'create', group: '', resource: 'events', namespace, file: basic },
  ];
}

/**
 * The permissions that the annotations of the pod require in addition: for each Secret by name, and for DNS. `target` is the writer of the records; if it
 * is hawser, no permission for ExternalDNS is needed. Nodes are not included, because they are read only if no other source has the addresses, and the
 * proxy itself reports a refusal.
 */
export function requestedAccess(
  { annotations, namespace, group }: Pick<OwnPod, 'annotations' | 'namespace' | 'group'>,
  records: { readonly isRequested: boolean; readonly target: TargetName | 'auto' },
): readonly NeededAccess[] {
  const { certs } = requestsIn(annotations);
  const names = certs.kind === 'secrets' ? certs.names : [];
  const secrets = names.flatMap((name) =>
    ['list', 'watch'].map((verb) => ({ verb, group: '', resource: 'secrets', namespace, name })),
  );
  return records.isRequested
    ? [...secrets, ...dnsAccess({ namespace, name: `hawser-${group}` }, records.target)]
    : secrets;
}

/** `create` is checked without a name, which RBAC cannot restrict. */
function dnsAccess(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  target: TargetName | 'auto',
): readonly NeededAccess[] {
  const write = (group: string, resource: string): readonly NeededAccess[] => [
    ...['get', 'patch'].map((verb) => ({ verb, group, resource, namespace, name, file: dns })),
    { verb: 'create', group, resource, namespace, file: dns },
  ];
  const records = [
    { verb: 'get', group: 'apps', resource: 'replicasets', namespace, file: dns },
    ...write('externaldns.k8s.io', 'dnsendpoints'),
  ];
  return [
    ...readsIn(namespace, dns)('', 'services'),
    ...write('coordination.k8s.io', 'leases'),
    ...(target === 'external-dns' ? records : []),
  ];
}

function readsIn(namespace: string, file: string) {
  return (group: string, resource: string) =>
    ['list', 'watch'].map((verb) => ({ verb, group, resource, namespace, file }));
}

/** The commands that grant the missing permissions. */
export function remedyOf(denied: readonly NeededAccess[], namespace: string): string {
  const files = new Set(denied.flatMap((each) => ('file' in each ? [each.file] : [])));
  const secrets = new Set(denied.flatMap((each) => ('file' in each ? [] : [each.name])));
  return [
    ...(files.size === 0
      ? []
      : [
          `kubectl apply -n ${namespace}${[...files].map((file) => ` -f ${file}`).join('')}, or rules like those`,
        ]),
    ...(secrets.size === 0
      ? []
      : [
          `kubectl create role -n ${namespace} hawser-pod-proxy-certs --verb=list,watch --resource=secrets${[...secrets].map((name) => ` --resource-name=${name}`).join('')}, and its rolebinding (docs/pod-proxy.md)`,
        ]),
  ].join('; ');
}
