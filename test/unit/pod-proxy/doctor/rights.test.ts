import { expect, test } from 'vitest';
import { neededAccess, remedyOf, requestedAccess } from '../../../../src/pod-proxy/doctor/rights.ts';
import { grantedBy } from '../../../helpers/granted-rules.ts';

const namespace = 'shop';
const textsOf = (needed: ReturnType<typeof neededAccess>) =>
  needed.map(({ verb, group, resource }) => `${verb} ${resource}.${group}`).toSorted();
const nothing = { annotations: {}, namespace, group: 'haproxy' };

test('requires everything that the manifests grant, and DNS only if an annotation requests records', () => {
  expect(textsOf(neededAccess(namespace))).toEqual(grantedBy('manifests/pod-proxy/rbac.yaml').toSorted());
  expect(requestedAccess(nothing, { isRequested: false, target: 'external-dns' })).toEqual([]);
  const dns = requestedAccess(nothing, { isRequested: true, target: 'external-dns' });
  expect(textsOf(dns)).toEqual(grantedBy('manifests/pod-proxy/dns.yaml', ['Role']).toSorted());
  const route53 = textsOf(requestedAccess(nothing, { isRequested: true, target: 'route53' }));
  expect(route53.filter((each) => /dnsendpoints|replicasets/.test(each))).toEqual([]);
});

test('the Lease and the DNSEndpoint are checked by their names, which contain the label app', () => {
  const dns = requestedAccess({ ...nothing, group: 'edge' }, { isRequested: true, target: 'external-dns' });
  const named = dns.filter(({ resource }) => /leases|dnsendpoints/.test(resource));
  expect(named.map(({ verb, resource, name }) => [verb, resource, name])).toEqual([
    ['get', 'leases', 'hawser-edge'],
    ['patch', 'leases', 'hawser-edge'],
    ['create', 'leases', undefined],
    ['get', 'dnsendpoints', 'hawser-edge'],
    ['patch', 'dnsendpoints', 'hawser-edge'],
    ['create', 'dnsendpoints', undefined],
  ]);
});

test('Secrets are checked by name, and the remedy contains the names', () => {
  const annotations = { 'hawser.dev/certs': 'web, api-tls' };
  const secrets = requestedAccess({ ...nothing, annotations }, { isRequested: false, target: 'auto' });
  expect(secrets.map(({ verb, name }) => [verb, name])).toEqual([
    ...[
      ['list', 'api-tls'],
      ['watch', 'api-tls'],
      ['list', 'web'],
      ['watch', 'web'],
    ],
  ]);
  expect(remedyOf([...secrets, ...neededAccess(namespace)], namespace)).toBe(
    'kubectl apply -n shop -f manifests/pod-proxy/rbac.yaml, or rules like those; kubectl create role -n shop hawser-pod-proxy-certs --verb=list,watch --resource=secrets --resource-name=api-tls --resource-name=web, and its rolebinding (docs/pod-proxy.md)',
  );
});
