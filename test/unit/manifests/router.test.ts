import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readCommandLine } from '../../../src/cli/command-line.ts';
import type { CommandSpec } from '../../../src/cli/command-spec.ts';
import { haproxySuperviseCommand } from '../../../src/haproxy/supervise/haproxy-supervise-settings.ts';
import { readRoute } from '../../../src/router/follow/route.ts';
import { routerResources } from '../../../src/router/follow/router-resources.ts';
import { routerCommand } from '../../../src/router/settings/router-command.ts';

const read = (name: string) =>
  [
    ...parseAllDocuments(
      readFileSync(join(import.meta.dirname, '../../../manifests/router', `${name}.yaml`), 'utf8'),
    ),
  ].map((document) => document.toJS());

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

test('a generation replaced by a reload drains for as long as its sessions last', () => {
  const [deployment] = read('deployment');
  const { args } = deployment.spec.template.spec.containers[0];
  expect(args).toContain('--force-delete-timeout=never');
});

test('only the container that calls the API has the token, and HAProxy cannot write its configuration', () => {
  const [deployment] = read('deployment');
  const { spec } = deployment.spec.template;
  const mounts = (index: number) =>
    spec.containers[index].volumeMounts.map(({ name, readOnly }: { name: string; readOnly?: boolean }) =>
      readOnly === true ? `${name}, read only` : name,
    );
  expect(spec.automountServiceAccountToken).toBe(false);
  expect(mounts(0)).toEqual(['conf-dir, read only', 'run-dir', 'state-dir']);
  expect(mounts(1)).toContain('service-account, read only');
});

describe('the definition of Routes', () => {
  const [definition] = read('route-crd');
  const [version] = definition.spec.versions;
  const schema: Schema = version.schema.openAPIV3Schema;

  it("is that of OpenShift's Routes, with a status subresource", () => {
    expect(definition.metadata.name).toBe('routes.route.openshift.io');
    expect(definition.spec).toMatchObject({ group: 'route.openshift.io', scope: 'Namespaced' });
    expect(version).toMatchObject({ name: 'v1', served: true, storage: true, subresources: { status: {} } });
  });

  it('is structural: every field has a type', () => {
    const untyped = (where: string, { type, properties = {}, items, ...rest }: Schema): readonly string[] => [
      ...(type === undefined && rest['x-kubernetes-int-or-string'] !== true ? [where] : []),
      ...Object.entries(properties).flatMap(([name, each]) => untyped(`${where}.${name}`, each)),
      ...(items === undefined ? [] : untyped(`${where}[]`, items)),
    ];
    expect(untyped('', schema)).toEqual([]);
  });

  const header = { name: 'X-A', action: { type: 'Set', set: { value: 'a' } } };
  const everything = {
    spec: {
      host: 'a.example.com',
      subdomain: 'a',
      path: '/a',
      wildcardPolicy: 'Subdomain',
      to: { kind: 'Service', name: 'web', weight: 1 },
      alternateBackends: [{ kind: 'Service', name: 'other', weight: 2 }],
      port: { targetPort: 'http' },
      tls: {
        termination: 'reencrypt',
        insecureEdgeTerminationPolicy: 'Redirect',
        certificate: 'c',
        key: 'k',
        caCertificate: 'a',
        destinationCACertificate: 'd',
        externalCertificate: { name: 'secret' },
      },
      httpHeaders: { actions: { request: [header], response: [header] } },
    },
    status: {
      ingress: [
        {
          host: 'a.example.com',
          routerName: 'public',
          wildcardPolicy: 'None',
          routerCanonicalHostname: 'r.example.com',
          conditions: [
            { type: 'Admitted', status: 'True', reason: '', message: '', lastTransitionTime: '2026-01-01' },
          ],
        },
      ],
    },
  };

  it('keeps every field that a router reads or writes, because the API drops unknown fields', () => {
    expect(kept(schema, everything)).toEqual(everything);
  });

  it('has every field of a Route that the router reads', () => {
    const reading = readRoute({ metadata: { namespace: 'shop', name: 'a' }, ...everything });
    expect(reading).toMatchObject({
      value: { subdomain: 'a', targetPort: 'http', tls: { secret: 'secret' }, headers: { request: [{}] } },
    });
  });
});

/** What the API keeps of a value with this schema. Throws if the schema refuses the value. */
function kept(schema: Schema, value: unknown): unknown {
  if (schema.enum !== undefined && !schema.enum.includes(value)) throw new Error(`refused: ${String(value)}`);
  if (Array.isArray(value)) return value.map((each) => kept(schema.items ?? {}, each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const inner = schema.properties?.[name];
      return inner === undefined ? [] : [[name, kept(inner, each)]];
    }),
  );
}

describe('the Deployment', () => {
  const [deployment] = read('deployment');
  const { spec } = deployment.spec.template;
  const container = (name: string) => spec.containers.find((each: { name: string }) => each.name === name);
  const haproxy = container('haproxy');
  const router = container('router');

  it('runs one pod per node, on the host network', () => {
    expect(spec.hostNetwork).toBe(true);
    expect(deployment.spec.strategy.rollingUpdate).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    const [term] = spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    expect(term.topologyKey).toBe('kubernetes.io/hostname');
    for (const labels of [term.labelSelector.matchLabels, deployment.spec.selector.matchLabels])
      expect(deployment.spec.template.metadata.labels).toMatchObject(labels);
  });

  it('keeps HAProxy while clients are still sent to it, and then gives it time to drain', () => {
    const [, seconds] = haproxy.lifecycle.preStop.exec.command;
    const delay = router.env.find(({ name }: { name: string }) => name === 'ROUTER_GRACEFUL_SHUTDOWN_DELAY');
    expect(delay.value).toBe(`${seconds}s`);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(seconds) + 55 + 5 + 10);
  });

  it('shares configuration and sockets, keeps private keys in memory, and mounts no host path', () => {
    for (const { volumeMounts } of spec.containers)
      for (const mountPath of [
        '/etc/haproxy-router',
        '/var/run/haproxy-router',
        '/var/lib/haproxy-router/run',
      ])
        expect(volumeMounts.map((each: { mountPath: string }) => each.mountPath)).toContain(mountPath);
    const volume = (name: string) => spec.volumes.find((each: { name: string }) => each.name === name);
    expect([volume('conf-dir'), volume('trial-dir')].map(({ emptyDir }) => emptyDir.medium)).toEqual([
      'Memory',
      'Memory',
    ]);
    expect(spec.volumes.filter((each: object) => 'hostPath' in each)).toEqual([]);
  });

  it('is a named instance, and both programs use the same files', () => {
    const pathsOf = (spec: CommandSpec, [...words]: string[]) => {
      const argv = words.slice(spec.name.split(' ').length);
      const line = readCommandLine(spec, argv, {}, () => undefined);
      const { config, socket, statsSocket } = line.values;
      return { config, socket, statsSocket };
    };
    expect(haproxy.args).toContain('--instance=router');
    expect(pathsOf(routerCommand, router.args)).toEqual(pathsOf(haproxySuperviseCommand, haproxy.args));
  });

  it('is selected by Service and PodMonitor, and has the ports that they name', () => {
    const [[service], [monitor]] = [read('service'), read('monitoring/podmonitor')];
    const { labels } = deployment.spec.template.metadata;
    expect(labels).toMatchObject(service.spec.selector);
    expect(labels).toMatchObject(monitor.spec.selector.matchLabels);
    const ports = spec.containers.flatMap((each: { ports: { name: string }[] }) =>
      each.ports.map(({ name }) => name),
    );
    const named = [
      ...service.spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort),
      ...monitor.spec.podMetricsEndpoints.map(({ port }: { port: string }) => port),
    ];
    expect(ports).toEqual(expect.arrayContaining(named));
  });

  it('is scraped under the job names that the alerts select', () => {
    const [monitor] = read('monitoring/podmonitor');
    const jobs = monitor.spec.podMetricsEndpoints.map(
      ({ relabelings }: { relabelings: { targetLabel: string; replacement?: string }[] }) =>
        relabelings.find(({ targetLabel }) => targetLabel === 'job')?.replacement,
    );
    expect(jobs).toEqual(['hawser-router', 'hawser-router-haproxy']);
  });
});

test("the router's permissions are exactly those it uses", () => {
  const objects = read('rbac');
  const rules = objects.flatMap(({ kind, rules = [] }) =>
    rules.flatMap((rule: { apiGroups: string[]; resources: string[]; verbs: string[] }) =>
      rule.resources.map((resource) => `${kind} ${rule.apiGroups[0]}/${resource} ${rule.verbs.join()}`),
    ),
  );
  const listed = Object.values(routerResources({ watchEndpoints: false }, () => undefined)).map(
    ({ apiVersion, plural }) => {
      const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
      const verbs = ['routes', 'ingresses'].includes(plural) ? 'get,list,watch' : 'list,watch';
      return `ClusterRole ${group}/${plural} ${verbs}`;
    },
  );
  const written = [
    'ClusterRole route.openshift.io/routes/status patch',
    'ClusterRole networking.k8s.io/ingresses/status patch',
    'Role coordination.k8s.io/leases get,create,patch',
  ];
  expect(rules.sort()).toEqual([...listed, ...written].sort());
  for (const { kind, subjects } of objects.filter((each) => each.kind.endsWith('Binding')))
    expect(subjects, kind).toEqual([
      { kind: 'ServiceAccount', name: 'hawser-router', namespace: 'hawser-router' },
    ]);
});
