import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { haproxyMonitorCommand } from '../../../src/api-lb/haproxy-monitor-settings.ts';
import { settingsTyped } from '../../../src/cli/command-line.ts';
import type { CommandSpec } from '../../../src/cli/command-spec.ts';
import { parseSettingsFile } from '../../../src/cli/parse-settings-file.ts';
import { daemonKeys, installable } from '../../../src/commands/pods.ts';
import { haproxySuperviseCommand } from '../../../src/haproxy/supervise/haproxy-supervise-settings.ts';
import { draftInstall } from '../../../src/operate/install/draft.ts';
import { installCommand } from '../../../src/operate/install/install-settings.ts';
import { type Container, containerOf, parsePod } from '../manifests/pod.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/instances.md'), 'utf8');
const [, settings = '', typed = ''] =
  /^## A static pod\n.*?config-b\.yaml <<'EOF'\n(.*?)^EOF\nhawser install (.*?)\n/ms.exec(page) ?? [];

test('the pod that docs/instances.md has installed is one of the instance alone', () => {
  const asked = settingsTyped(installCommand, typed.split(' '), {}, () => undefined);
  const disk = { record: undefined, usual: undefined, authority: undefined, settings } as const;
  const command = { kind: 'left-out', notice: '' } as const;
  const { manifests, support } = draftInstall(asked, { ...disk, command }, installable);
  expect([...support, ...manifests].map(({ path }) => path)).toEqual([
    '/etc/kubernetes/static-pod-resources/haproxy-b/haproxy.cfg.ejs',
    '/etc/hawser/config-b.yaml',
    '/etc/kubernetes/manifests/haproxy-b.yaml',
  ]);
  const pod = parsePod(manifests[0]?.content ?? '');
  const [supervisor, monitor] = [containerOf(pod, 'haproxy'), containerOf(pod, 'haproxy-monitor')];
  expect(pod.metadata.name).toBe('haproxy-b');
  expect(pod.spec.volumes.map(({ hostPath }) => hostPath?.path)).toContain('/etc/haproxy-b');
  expect(supervisor.livenessProbe.httpGet.port).toBe(29_464);
  expect(monitor.livenessProbe.httpGet.port).toBe(29_462);

  const settingsOf = <T>(spec: CommandSpec<T>, { args }: Container): T =>
    settingsTyped(spec, args.slice(2), {}, (path = '') => {
      expect(path).toBe('/etc/hawser/config-b.yaml');
      const parsed = parseSettingsFile(settings, path, daemonKeys);
      if (parsed.kind === 'problems') throw new Error(parsed.problems.join('; '));
      return { path, values: parsed.values };
    });
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
