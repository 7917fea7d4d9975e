import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { settingsTyped } from '../../src/cli/command-line.ts';
import { parseSettingsFile } from '../../src/cli/parse-settings-file.ts';
import { daemonKeys } from '../../src/commands/pods.ts';
import { runCommand } from '../../src/engine/system/process/run-command.ts';
import { buildKeepalivedModel } from '../../src/vip/group/keepalived-model.ts';
import { renderKeepalived } from '../../src/vip/group/render-keepalived.ts';
import { keepalivedMonitorCommand } from '../../src/vip/settings/keepalived-monitor-settings.ts';
import { createNetNamespace } from '../helpers/net-namespace.ts';

const root = join(import.meta.dirname, '../..');

/** The settings that docs/instances.md gives a node's keepalived. */
function settingsOfPage() {
  const page = readFileSync(join(root, 'docs/instances.md'), 'utf8');
  const [, text = ''] = /^## Its VIP\n.*?```yaml\n(.*?)```/ms.exec(page) ?? [];
  const parsed = parseSettingsFile(text, 'docs/instances.md', daemonKeys);
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('; '));
  const files = ['/kubeconfig', '/template', '/etc/keepalived/keepalived.conf', '--node-name', 'cp-1'];
  const read = () => ({ path: 'docs/instances.md', values: parsed.values });
  return settingsTyped(keepalivedMonitorCommand, files, {}, read);
}

test('the VIP of an instance has a VRRP group of its own, which keepalived takes', async () => {
  const { clusterName = '', ...settings } = settingsOfPage();
  const scratch = mkdtempSync(join(tmpdir(), 'hawser-instances-'));
  onTestFinished(() => rmSync(scratch, { recursive: true }));
  const nodes = [1, 2, 3].map((n) => ({ name: `cp-${n}`, addresses: [`192.0.2.${n}`] }));
  const built = buildKeepalivedModel({
    ...{ controlPlane: nodes, allNodes: nodes, routes: [] },
    interfaces: [{ name: 'eth0', addresses: ['192.0.2.1/24'] }],
    settings: {
      ...{ clusterName, nodeName: 'cp-1' },
      ...{ apiVips: settings.apiVips, ingressVips: settings.ingressVips },
      ...{ notifyFifo: settings.notifyFifo, trackFiles: settings.trackFiles },
    },
  });
  if (built.kind === 'not-ready') throw new Error(built.reason);
  const own = built.model.instances.map(({ name, vip, trackFiles }) => ({ name, vip, trackFiles }));
  expect(own).toEqual([
    { name: 'API', vip: '192.0.2.100', trackFiles: ['lb'] },
    { name: 'INGRESS', vip: '192.0.2.101', trackFiles: ['ingress'] },
  ]);
  expect(new Set(built.model.instances.map(({ virtualRouterId }) => virtualRouterId)).size).toBe(2);
  expect(settings.ingressHealth).toMatchObject({ host: '127.0.0.1', port: 29_464, path: '/haproxy_ready' });

  const templatePath = join(root, 'templates/keepalived.conf.ejs');
  const outcome = renderKeepalived(readFileSync(templatePath, 'utf8'), built.model, { templatePath });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  const world = await createNetNamespace();
  onTestFinished(() => world.remove());
  await world.run('ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'far0');
  const file = join(scratch, 'keepalived.conf');
  writeFileSync(file, outcome.text.replaceAll('/var/run/keepalived', scratch));
  const check = [...world.prefix, 'keepalived', '--config-test', '-f', file] as const;
  expect(await runCommand(check, { timeoutMs: 20_000 })).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: '',
  });
});
