import { expect, test } from 'vitest';
import { settingsTyped } from '../../../src/cli/command-line.ts';
import { defaultPorts } from '../../../src/cli/shared-flags.ts';
import { haproxySuperviseCommand } from '../../../src/haproxy/supervise/haproxy-supervise-settings.ts';
import { unprivilegedId } from '../../../src/operate/install/layout.ts';
import { defaultLoadBalancerSettings } from '../../helpers/load-balancer-settings.ts';
import { type Container, containerOf, haproxyManifest, keepalivedManifest, readPod } from './pod.ts';

const pods = { haproxy: readPod(haproxyManifest), keepalived: readPod(keepalivedManifest) };
const { spec } = pods.haproxy;
const supervisor = containerOf(pods.haproxy, 'haproxy');
const monitor = containerOf(pods.haproxy, 'haproxy-monitor');

test.each(Object.entries(pods))('%s is node-critical and on the host network of every node', (name, pod) => {
  expect(pod.metadata).toMatchObject({ name, namespace: 'kube-system' });
  expect(pod.spec).toMatchObject({
    hostNetwork: true,
    priorityClassName: 'system-node-critical',
    tolerations: [{ operator: 'Exists' }],
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  });
});

test.each(Object.entries(pods))(
  '%s has flags for its settings file and its journal, and no others',
  (_, pod) => {
    for (const { args, volumeMounts, terminationMessagePolicy } of pod.spec.containers) {
      expect(args.filter((arg) => arg.startsWith('--'))).toEqual([
        ...['--settings=/etc/hawser/config.yaml', '--journal=/var/log/hawser'],
      ]);
      expect(volumeMounts).toContainEqual({ name: 'journal', mountPath: '/var/log/hawser', readOnly: false });
      // With this the kubelet shows why a container failed.
      expect(terminationMessagePolicy).toBe('FallbackToLogsOnError');
    }
  },
);

const local = (path: string, port: number) => ({ host: '127.0.0.1', path, port });
const ready = { path: '/haproxy_ready', port: defaultLoadBalancerSettings.healthPort };

test.each<[keyof typeof pods, container: string, alive: object, ready: object | undefined]>([
  ['haproxy', 'haproxy', ready, { ...ready, path: '/haproxy_monitor' }],
  ['haproxy', 'haproxy-monitor', local('/healthz', defaultPorts.haproxyMonitor), undefined],
  [
    'keepalived',
    'keepalived',
    local('/healthz', defaultPorts.keepalivedSupervisor),
    local('/readyz', defaultPorts.keepalivedSupervisor),
  ],
  ['keepalived', 'keepalived-monitor', local('/healthz', defaultPorts.keepalivedMonitor), undefined],
])('the kubelet of %s probes %s at its own page', (pod, name, alive, readiness) => {
  const { startupProbe, livenessProbe, readinessProbe } = containerOf(pods[pod], name);
  expect([startupProbe.httpGet, livenessProbe.httpGet]).toEqual([alive, alive]);
  expect(readinessProbe?.httpGet).toEqual(readiness);
});

test("the supervisor's grace period covers draining and ending its connections", () => {
  const { drainTimeout: drainMs } = settingsTyped(haproxySuperviseCommand, [], {}, () => undefined);
  expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(drainMs + 5_000 + 2_000);
});

test('a node that has yet to join has two minutes for its first configuration', () => {
  const { periodSeconds = 0, failureThreshold = 0 } = supervisor.startupProbe;
  expect(periodSeconds * failureThreshold).toBe(120);
});

test('the monitor is in the group of HAProxy, which runs as a separate user', () => {
  const user = { runAsUser: unprivilegedId, runAsGroup: unprivilegedId, runAsNonRoot: true };
  expect(supervisor.securityContext).toMatchObject(user);
  expect(monitor.securityContext).toMatchObject({ runAsUser: 0, runAsGroup: unprivilegedId });
});

test('haproxy mounts narrow host paths and can write only where necessary', () => {
  expect(spec.volumes.flatMap((volume) => volume.hostPath?.path ?? []).toSorted()).toEqual([
    ...['/etc/haproxy', '/etc/hawser', '/etc/kubernetes/static-pod-resources/haproxy'],
    ...['/etc/resolv.conf', '/var/log/hawser'],
  ]);
  const writable = ({ volumeMounts }: Container) =>
    volumeMounts.filter(({ readOnly }) => !readOnly).map(({ mountPath }) => mountPath);
  expect(writable(supervisor)).toEqual(['/var/run/haproxy', '/var/lib/haproxy/run', '/var/log/hawser']);
  expect(writable(monitor)).toEqual(['/etc/haproxy', '/var/run/haproxy', '/var/log/hawser']);
  const written = ['socket', 'statsSocket', 'pidFile', 'stateFile'].map(
    (name) => haproxySuperviseCommand.flags[name]?.default ?? '',
  );
  const isHomeless = (path: string) => !writable(supervisor).some((mount) => path.startsWith(`${mount}/`));
  expect(written.filter(isHomeless)).toEqual([]);
});

test("a holder's bonus is in memory, so that it does not survive a reboot", () => {
  const volume = pods.keepalived.spec.volumes.find(({ name }) => name === 'run-dir');
  expect(volume?.emptyDir).toEqual({ medium: 'Memory' });
});
