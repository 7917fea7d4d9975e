import { expect, test } from 'vitest';
import { haproxyPod } from '../../../../src/api-lb/pod.ts';
import { installable, pods, readSettingsFile } from '../../../../src/commands/pods.ts';
import { hostFiles } from '../../../../src/engine/examine/host-files.ts';
import { asInstalled, settingsPathOf } from '../../../../src/operate/doctor/daemon-settings.ts';
import { findDaemons } from '../../../../src/operate/doctor/daemons.ts';
import { effectiveSettings } from '../../../../src/operate/install/effective-settings.ts';
import { temporaryRoot } from '../../../helpers/doctor/scene.ts';

const supervise = ['haproxy', 'supervise', '--settings', 'own/config.yaml'];

async function settingsPathWith(files: Readonly<Record<string, string>>): Promise<string | undefined> {
  const [daemon] = await findDaemons(hostFiles(temporaryRoot(files)), pods);
  return daemon && settingsPathOf(daemon);
}

test("a relative --settings is resolved in the running daemon's working directory", async () => {
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

test("a relative --settings in a manifest is resolved in the container's working directory", async () => {
  const container = `{name: haproxy, workingDir: /srv, args: [${supervise.join(', ')}]}`;
  const files = { '/etc/kubernetes/manifests/haproxy.yaml': `spec: {containers: [${container}]}\n` };
  expect(await settingsPathWith(files)).toBe('/srv/own/config.yaml');
});

test("daemons with --instance and daemons of other manifests are not this node's daemons", async () => {
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

/** The settings file of these tests, and the digest that `hawser install` writes into the manifest for it. */
const settings = 'apiPort: 6443\n';
const digest = effectiveSettings(settings, { ...installable, pods: [haproxyPod] }).pods[0]?.digest;

test.each([
  ['since 1970', 0, 'another', ['haproxy supervise']],
  ['since 1970 with these settings', 0, digest, []],
  ['since 2100', 4_102_444_800, 'another', []],
])(
  'a daemon running %s is outdated only if its settings file is newer and its pod has other settings',
  async (_, bootSeconds, annotation, outdated) => {
    const running = ['/opt/hawser/dist/hawser.mjs', 'haproxy', 'supervise'];
    const files = {
      '/proc/self/ns/net': '->net:[1]',
      '/proc/stat': `btime ${bootSeconds}\n`,
      '/proc/1234/ns/net': '->net:[1]',
      '/proc/1234/comm': 'node\n',
      '/proc/1234/cmdline': `/usr/bin/node\0${running.join('\0')}\0`,
      '/proc/1234/stat': `1234 (node) S ${'0 '.repeat(18)}100\n`,
      '/proc/1234/root/etc/hawser/config.yaml': settings,
      '/etc/kubernetes/manifests/haproxy.yaml': `metadata: {annotations: {hawser/settings: ${annotation}}}\n`,
    };
    const found = await asInstalled(hostFiles(temporaryRoot(files)), undefined, pods, readSettingsFile);
    expect(found.outdated).toEqual(outdated);
  },
);
