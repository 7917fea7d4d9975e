import { expect, test } from 'vitest';
import { pods } from '../../../../src/commands/pods.ts';
import { hostFiles } from '../../../../src/engine/examine/host-files.ts';
import { settingsPathOf } from '../../../../src/operate/doctor/daemon-settings.ts';
import { findDaemons } from '../../../../src/operate/doctor/daemons.ts';
import { temporaryRoot } from '../../../helpers/doctor/scene.ts';

const supervise = ['haproxy', 'supervise', '--settings', 'own/config.yaml'];

async function settingsPathWith(files: Readonly<Record<string, string>>): Promise<string | undefined> {
  const [daemon] = await findDaemons(hostFiles(temporaryRoot(files)), pods);
  return daemon && settingsPathOf(daemon);
}

test("a relative --settings is below the running daemon's folder, and not below the reader's", async () => {
  const words = ['/usr/bin/node', '/opt/hawser/dist/hawser.mjs', ...supervise];
  const files = {
    '/proc/self/ns/net': '->net:[1]',
    '/proc/1234/ns/net': '->net:[1]',
    '/proc/1234/comm': 'node\n',
    '/proc/1234/cmdline': `${words.join('\0')}\0`,
    '/proc/1234/cwd': '->/opt/site',
  };
  expect(await settingsPathWith(files)).toBe('/opt/site/own/config.yaml');
});

test("a relative --settings in a manifest is below the container's folder", async () => {
  const container = `{name: haproxy, workingDir: /srv, args: [${supervise.join(', ')}]}`;
  const files = { '/etc/kubernetes/manifests/haproxy.yaml': `spec: {containers: [${container}]}\n` };
  expect(await settingsPathWith(files)).toBe('/srv/own/config.yaml');
});

test('a daemon with --instance, and one of a manifest that hawser did not write, are none of this node', async () => {
  const containers = (args: string) =>
    `spec: {containers: [{name: haproxy, args: [haproxy, supervise${args}]}]}\n`;
  const running = ['/opt/hawser/dist/hawser.mjs', 'haproxy', 'supervise', '--instance', 'b'];
  const files = {
    '/proc/self/ns/net': '->net:[1]',
    '/proc/1234/ns/net': '->net:[1]',
    '/proc/1234/comm': 'node\n',
    '/proc/1234/cmdline': `/usr/bin/node\0${running.join('\0')}\0`,
    '/etc/kubernetes/manifests/haproxy.yaml': containers(''),
    '/etc/kubernetes/manifests/copy.yaml': containers(', --listen=off'),
  };
  const found = await findDaemons(hostFiles(temporaryRoot(files)), pods);
  expect(found.map(({ spec, argv }) => [spec.name, argv])).toEqual([['haproxy supervise', []]]);
});
