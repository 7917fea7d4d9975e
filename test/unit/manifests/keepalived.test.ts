import { expect, it } from 'vitest';
import { defaultPorts } from '../../../src/cli/shared-flags.ts';
import { containerOf, keepalivedManifest, readPod } from './pod.ts';

const pod = readPod(keepalivedManifest);
const { spec } = pod;
const supervisor = containerOf(pod, 'keepalived');
const monitor = containerOf(pod, 'keepalived-monitor');

it('is a node-critical pod on the host network of every node, whatever its taints', () => {
  expect(pod.metadata).toMatchObject({ name: 'keepalived', namespace: 'kube-system' });
  expect(spec.hostNetwork).toBe(true);
  expect(spec.priorityClassName).toBe('system-node-critical');
  expect(spec.tolerations).toEqual([{ operator: 'Exists' }]);
});

it('has the capabilities for addresses, VRRP and a realtime priority, and no others', () => {
  for (const { securityContext } of spec.containers) {
    expect(securityContext.allowPrivilegeEscalation).toBe(false);
    expect(securityContext.readOnlyRootFilesystem).toBe(true);
    expect(securityContext.capabilities.drop).toEqual(['ALL']);
  }
  expect(supervisor.securityContext.capabilities.add).toEqual(['NET_ADMIN', 'NET_RAW', 'SYS_NICE']);
  expect(monitor.securityContext.capabilities.add).toEqual(['NET_ADMIN']);
});

it('asks the supervisor whether it lives and takes part, and the monitor on loopback', () => {
  const at = (path: string, port: number) => ({ host: '127.0.0.1', path, port });
  for (const probe of [supervisor.startupProbe, supervisor.livenessProbe])
    expect(probe.httpGet).toEqual(at('/healthz', defaultPorts.keepalivedSupervisor));
  expect(supervisor.readinessProbe?.httpGet).toEqual(at('/readyz', defaultPorts.keepalivedSupervisor));
  for (const probe of [monitor.startupProbe, monitor.livenessProbe])
    expect(probe.httpGet).toEqual(at('/healthz', defaultPorts.keepalivedMonitor));
  expect(monitor.readinessProbe).toBeUndefined();
});

it("keeps a holder's bonus in memory, so that it does not survive a reboot", () => {
  expect(spec.volumes.find(({ name }) => name === 'run-dir')?.emptyDir).toEqual({ medium: 'Memory' });
});

it('mounts only volumes that are there, and has none without a mount', () => {
  const mounted = new Set(
    spec.containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name)),
  );
  expect([...mounted].sort()).toEqual(spec.volumes.map(({ name }) => name).sort());
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
