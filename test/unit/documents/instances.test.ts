import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { haproxyMonitorCommand } from '../../../src/api-lb/haproxy-monitor-settings.ts';
import { settingsTyped } from '../../../src/cli/command-line.ts';
import type { CommandSpec } from '../../../src/cli/command-spec.ts';
import type { SettingsReader } from '../../../src/cli/settings-values.ts';
import { readSettingsFile } from '../../../src/commands/pods.ts';
import { haproxySuperviseCommand } from '../../../src/haproxy/supervise/haproxy-supervise-settings.ts';
import { type Container, containerOf, readPod } from '../manifests/pod.ts';

const root = join(import.meta.dirname, '../../..');
const directory = mkdtempSync('/tmp/hwsr-');
afterAll(() => rmSync(directory, { recursive: true }));

/** What docs/instances.md has people type to make a pod, with its files in a folder of this test. */
function typed(): string {
  const page = readFileSync(join(root, 'docs/instances.md'), 'utf8');
  const [, block = ''] = /^## A static pod\n.*?^```sh\n(.*?)^hawser settings/ms.exec(page) ?? [];
  return block.replaceAll(/(> ?)\/(?:etc\/hawser|tmp)\//g, `$1${directory}/`);
}

test('the pod that docs/instances.md makes is one of the instance alone', () => {
  execFileSync('sh', ['-ec', typed()], { cwd: root });
  const pod = readPod(join(directory, 'haproxy-b.yaml'));
  const [supervisor, monitor] = [containerOf(pod, 'haproxy'), containerOf(pod, 'haproxy-monitor')];
  expect(pod.metadata.name).toBe('haproxy-b');
  expect(pod.spec.volumes.map(({ hostPath }) => hostPath?.path)).toContain('/etc/haproxy-b');
  expect(supervisor.livenessProbe.httpGet.port).toBe(29_464);
  expect(monitor.livenessProbe.httpGet.port).toBe(29_462);

  const read: SettingsReader = (path) => readSettingsFile(path?.replace('/etc/hawser', directory));
  const settingsOf = <T>(spec: CommandSpec<T>, { args }: Container): T =>
    settingsTyped(spec, args.slice(2), {}, read);
  const [serves, renders] = [
    settingsOf(haproxySuperviseCommand, supervisor),
    settingsOf(haproxyMonitorCommand, monitor),
  ];
  const both = { instance: 'b', config: '/etc/haproxy-b/haproxy.cfg', statsSocket: renders.statsSocket };
  expect(serves).toMatchObject({ ...both, listen: { port: 29_461 } });
  expect(renders).toMatchObject({ ...both, kubeconfig: '/etc/hawser/kubeconfig-b', vips: ['192.0.2.101'] });
  const mounted = supervisor.volumeMounts.map(({ mountPath }) => mountPath);
  for (const path of [serves.config, serves.socket, serves.statsSocket, serves.pidFile])
    expect(mounted.filter((folder) => path.startsWith(`${folder}/`))).toHaveLength(1);
});
