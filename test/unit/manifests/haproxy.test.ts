import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsTyped } from '../../../src/cli/command-line.ts';
import { haproxySuperviseCommand } from '../../../src/haproxy/supervise/haproxy-supervise-settings.ts';
import { unprivilegedId } from '../../../src/operate/install/unprivileged-id.ts';
import { defaultLoadBalancerSettings } from '../../helpers/load-balancer-settings.ts';
import { type Container, containerOf, haproxyManifest, readPod } from './pod.ts';

const pod = readPod(haproxyManifest);
const { spec } = pod;
const supervisor = containerOf(pod, 'haproxy');
const monitor = containerOf(pod, 'haproxy-monitor');

it('is a node-critical pod on the host network of every node, whatever its taints', () => {
  expect(pod.metadata).toMatchObject({ name: 'haproxy', namespace: 'kube-system' });
  expect(spec.hostNetwork).toBe(true);
  expect(spec.priorityClassName).toBe('system-node-critical');
  expect(spec.tolerations).toEqual([{ operator: 'Exists' }]);
  expect(spec.containers.map(({ name }) => name)).toEqual(['haproxy', 'haproxy-monitor']);
});

it('gives the supervisor longer to stop than its connections may drain and be ended', () => {
  const { drainTimeout: drainMs } = settingsTyped(haproxySuperviseCommand, [], {}, () => undefined);
  expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(drainMs + 5_000 + 2_000);
});

it('keeps the setting that operators of the shell daemon know', () => {
  expect(supervisor.env).toEqual([{ name: 'OLD_HAPROXY_PS_FORCE_DEL_TIMEOUT', value: '120' }]);
});

it('lets the kubelet probe HAProxy itself, and the monitor on loopback', () => {
  const port = defaultLoadBalancerSettings.healthPort;
  for (const probe of [supervisor.startupProbe, supervisor.livenessProbe])
    expect(probe.httpGet).toEqual({ path: '/haproxy_ready', port });
  expect(supervisor.readinessProbe?.httpGet).toEqual({ path: '/haproxy_monitor', port });
  for (const probe of [monitor.startupProbe, monitor.livenessProbe])
    expect(probe.httpGet).toEqual({ host: '127.0.0.1', path: '/healthz', port: 29_446 });
  expect(monitor.readinessProbe).toBeUndefined();
});

it('gives a node that still has to join two minutes for its first configuration', () => {
  const { periodSeconds = 0, failureThreshold = 0 } = supervisor.startupProbe;
  expect(periodSeconds * failureThreshold).toBe(120);
});

it('runs HAProxy as a user of its own, and as root only what needs capabilities', () => {
  const user = { runAsUser: unprivilegedId, runAsGroup: unprivilegedId, runAsNonRoot: true };
  expect(supervisor.securityContext).toMatchObject(user);
  expect(monitor.securityContext).toMatchObject({ runAsUser: 0, runAsGroup: unprivilegedId });
});

it('drops every capability but that for nftables, and writes nothing into its root', () => {
  expect(spec.securityContext.seccompProfile).toEqual({ type: 'RuntimeDefault' });
  for (const { securityContext } of spec.containers) {
    expect(securityContext.allowPrivilegeEscalation).toBe(false);
    expect(securityContext.readOnlyRootFilesystem).toBe(true);
    expect(securityContext.capabilities.drop).toEqual(['ALL']);
  }
  expect(supervisor.securityContext.capabilities.add).toBeUndefined();
  expect(monitor.securityContext.capabilities.add).toEqual(['NET_ADMIN']);
});

it('mounts narrow paths of the host and nothing above them', () => {
  const paths = spec.volumes.flatMap((volume) => volume.hostPath?.path ?? []);
  expect(paths.sort()).toEqual([
    '/etc/haproxy',
    '/etc/hawser',
    '/etc/kubernetes/static-pod-resources/haproxy',
    '/etc/resolv.conf',
    '/var/log/hawser',
  ]);
});

it('mounts only volumes that are there, and has none without a mount', () => {
  const mounted = new Set(
    spec.containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name)),
  );
  expect([...mounted].sort()).toEqual(spec.volumes.map(({ name }) => name).sort());
});

it('gives each container what it writes, and the rest read-only or not at all', () => {
  const writable = ({ volumeMounts }: Container) =>
    volumeMounts.filter(({ readOnly }) => !readOnly).map(({ mountPath }) => mountPath);
  expect(writable(supervisor)).toEqual(['/var/run/haproxy', '/var/lib/haproxy/run', '/var/log/hawser']);
  expect(writable(monitor)).toEqual(['/etc/haproxy', '/var/run/haproxy', '/var/log/hawser']);
});

it('has a writable mount below every path that the supervisor writes by default', () => {
  const writable = supervisor.volumeMounts.filter(({ readOnly }) => !readOnly);
  const written = ['socket', 'statsSocket', 'pidFile', 'stateFile'].map(
    (name) => haproxySuperviseCommand.flags[name]?.default ?? '',
  );
  const homeless = written.filter(
    (path) => !writable.some(({ mountPath }) => path.startsWith(`${mountPath}/`)),
  );
  expect(homeless).toEqual([]);
});

it("names the image by the project's version, never latest", () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(spec.containers.map(({ image }) => image)).toEqual([`hawser:${version}`, `hawser:${version}`]);
});

it('has no setting but where the settings are, and where it mounts the journal', () => {
  for (const { args, volumeMounts } of spec.containers) {
    expect(args.filter((arg) => arg.startsWith('--'))).toEqual([
      '--settings=/etc/hawser/config.yaml',
      '--journal=/var/log/hawser',
    ]);
    expect(volumeMounts).toContainEqual({ name: 'journal', mountPath: '/var/log/hawser', readOnly: false });
  }
});

it('says why a failing container failed', () => {
  for (const each of spec.containers) expect(each.terminationMessagePolicy).toBe('FallbackToLogsOnError');
});
