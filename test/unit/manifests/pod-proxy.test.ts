import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { defaultPorts } from '../../../src/cli/shared-flags.ts';
import { downstreamPods, hostsOf } from '../../../src/pod-proxy/hosts.ts';
import { readOwnPod, readPod } from '../../../src/pod-proxy/pod/pod.ts';
import { requestsIn } from '../../../src/pod-proxy/requests.ts';
import { renderJinja } from '../../../src/pod-proxy/template/jinja.ts';
import { helpOf } from '../../helpers/command-help.ts';
import { downstreamPod } from '../../helpers/pod-objects.ts';

const folder = join(import.meta.dirname, '../../../manifests/pod-proxy');
const deployment = parse(readFileSync(join(folder, 'deployment.yaml'), 'utf8'));
const { metadata, spec } = deployment.spec.template;
const [haproxy, proxy] = spec.containers;

test('no container runs as root, and only the one that calls the API has the token', () => {
  expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_529 });
  const mounts = ({ volumeMounts }: typeof haproxy) => volumeMounts.map(({ name }: { name: string }) => name);
  expect(spec.automountServiceAccountToken).toBe(false);
  expect(mounts(proxy)).toContain('service-account');
  expect(mounts(haproxy)).not.toContain('service-account');
});

test("the pod proxy's keys are never on a disk of the node", () => {
  const volume = spec.volumes.find(({ name }: { name: string }) => name === 'conf-dir');
  expect(volume.emptyDir).toEqual({ medium: 'Memory' });
});

test("the command has a flag for each variable in its container's environment, and the probes use the right ports", async () => {
  expect((await helpOf(['proxy'])).flags).toEqual(expect.arrayContaining(['--pod', '--namespace']));
  expect(proxy.env.map(({ name }: { name: string }) => name)).toEqual(['HAWSER_POD', 'HAWSER_NAMESPACE']);
  expect(proxy.livenessProbe.httpGet.port).toBe(defaultPorts.podProxy);
  expect(haproxy.livenessProbe.httpGet.port).toBe(defaultPorts.haproxySupervisor);
});

test('the permissions match the requests to the API: lists and watches in its namespace, and Events', () => {
  const documents = parseAllDocuments(readFileSync(join(folder, 'rbac.yaml'), 'utf8'));
  const [account, role, binding] = [...documents].map((document) => document.toJS());
  expect(role.rules).toEqual([
    { apiGroups: [''], resources: ['pods', 'configmaps'], verbs: ['list', 'watch'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create'] },
  ]);
  expect([role.kind, binding.kind, binding.roleRef.name]).toEqual([
    'Role',
    'RoleBinding',
    role.metadata.name,
  ]);
  expect(spec.serviceAccountName).toBe(account.metadata.name);
});

test('the permissions for DNS records are what writing them needs, and are separate from the others', () => {
  const documents = parseAllDocuments(readFileSync(join(folder, 'dns.yaml'), 'utf8'));
  const [role, binding] = [...documents].map((document) => document.toJS());
  const resourceNames = [`hawser-${metadata.labels.app}`];
  expect(role.rules).toEqual([
    { apiGroups: [''], resources: ['services'], verbs: ['list', 'watch'] },
    { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['get'] },
    ...['coordination.k8s.io/leases', 'externaldns.k8s.io/dnsendpoints'].flatMap((kind) => {
      const [group, resource] = kind.split('/');
      const of = { apiGroups: [group], resources: [resource] };
      return [
        { ...of, resourceNames, verbs: ['get', 'patch'] },
        { ...of, verbs: ['create'] },
      ];
    }),
  ]);
  expect(binding.subjects[0].name).toBe(spec.serviceAccountName);
  expect(binding.roleRef.name).toBe(role.metadata.name);
});

test('reading Nodes is a separate file, for proxies whose addresses come from nowhere else', () => {
  const documents = parseAllDocuments(readFileSync(join(folder, 'dns-nodes.yaml'), 'utf8'));
  const [role, binding] = [...documents].map((document) => document.toJS());
  expect([role.kind, binding.kind]).toEqual(['ClusterRole', 'ClusterRoleBinding']);
  expect(role.rules).toEqual([{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }]);
  expect(binding.subjects[0].name).toBe(spec.serviceAccountName);
  expect(binding.roleRef.name).toBe(role.metadata.name);
});

test("the manifest's template renders the pods that name the proxy as servers", () => {
  const own = readOwnPod({ metadata: { ...metadata, name: 'haproxy-1', namespace: 'default' } });
  if (own === undefined) throw new Error('the manifest has no pod');
  const { config } = requestsIn(own.annotations);
  const pods = [downstreamPod({ name: 'web-1', app: 'web', ip: '10.0.0.1' })].flatMap(
    (pod) => readPod(pod) ?? [],
  );
  const outcome = renderJinja({
    template: config.kind === 'annotation' ? config.text : '',
    model: { hosts: hostsOf(downstreamPods(own, pods)), certs: {} },
  });
  expect(outcome).toMatchObject({ text: expect.stringContaining('server web-1 10.0.0.1:8080 check\n') });
});
