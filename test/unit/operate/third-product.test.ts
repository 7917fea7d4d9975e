import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { commandSpec } from '../../../src/cli/command-spec.ts';
import { parseSettingsFile } from '../../../src/cli/parse-settings-file.ts';
import type { Pod } from '../../../src/cli/pod.ts';
import { settingsKeys } from '../../../src/cli/settings-form.ts';
import { monitorFiles, monitorListen } from '../../../src/cli/shared-flags.ts';
import { pods as installedPods } from '../../../src/commands/pods.ts';
import { hostFiles } from '../../../src/engine/examine/host-files.ts';
import { haproxySuperviseCommand } from '../../../src/haproxy/supervise/haproxy-supervise-settings.ts';
import { asInstalled } from '../../../src/operate/doctor/daemon-settings.ts';
import { readDisk } from '../../../src/operate/install/disk.ts';
import { effectiveSettings, portsOf } from '../../../src/operate/install/effective-settings.ts';
import { renderManifest } from '../../../src/operate/install/manifest.ts';
import { readPatches } from '../../../src/operate/install/patches.ts';
import { writtenFiles } from '../../../src/operate/install/removal.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const routerCommand = commandSpec({
  name: 'router',
  section: 'router',
  summary: 'Routes.',
  examples: [],
  notes: [],
  positionals: monitorFiles('haproxy.cfg'),
  flags: { listen: monitorListen(29_460) },
});

/** A product that no file of operate or cli mentions. */
const router: Pod = {
  name: 'router',
  program: 'haproxy',
  template: 'router.cfg.ejs',
  onWorkers: true,
  daemons: [haproxySuperviseCommand, routerCommand],
  supervisor: {
    spec: haproxySuperviseCommand,
    answer: z.object({ ok: z.boolean() }),
    socket: '',
    status: [],
  },
  state: /^routes\.json$/,
  needs: (settingsOf) => {
    const { listen } = settingsOf(routerCommand);
    return { ports: [{ key: 'router.listen', port: listen.port }], probes: { router: listen } };
  },
};
const pods = [...installedPods, router];
const keys = settingsKeys(pods.flatMap(({ daemons }) => daemons));
const installable = { pods, keys };
const file = 'apiVips: [192.0.2.100]\nrouter: {listen: "127.0.0.1:5000"}\n';

function folderWith(files: Readonly<Record<string, string>>): string {
  const root = testFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test('the settings file has a section for a new pod and reports unknown keys in it', () => {
  expect(parseSettingsFile(file, 'F', keys)).toMatchObject({
    values: { top: { apiVips: { line: 1 } }, router: { listen: { value: '127.0.0.1:5000', line: 2 } } },
  });
  expect(parseSettingsFile('router:\n  listn: x\n', 'F', keys)).toMatchObject({
    problems: [expect.stringContaining('F:2: Cannot use router.listn')],
  });
});

test('install handles ports, probes, digest and patches of a new pod', () => {
  const settings = effectiveSettings(file, installable);
  expect(portsOf(settings)).toContainEqual({ key: 'router.listen', port: 5_000 });
  const own = settings.pods.find(({ pod }) => pod === router);
  if (own === undefined) throw new Error('Cannot find the pod of the router, expected it');
  const container = '{name: router, image: old, livenessProbe: {httpGet: {port: 1, host: h}}}';
  const manifest = `metadata: {annotations: {}}\nspec: {containers: [{name: haproxy, image: old}, ${container}]}\n`;
  const patches = readPatches(folderWith({ 'router.yaml': 'spec: {dnsPolicy: Default}' }), '/p', pods);
  const text = renderManifest(manifest, own, {
    credentials: 'own',
    image: 'new',
    patches,
  });
  expect(parse(text)).toMatchObject({
    metadata: { annotations: { 'hawser/settings': own.digest } },
    spec: {
      dnsPolicy: 'Default',
      containers: [
        { name: 'haproxy', image: 'new' },
        { image: 'new', livenessProbe: { httpGet: { port: 5_000 } } },
      ],
    },
  });
  const other = effectiveSettings(file.replace('5000', '5001'), installable).pods;
  expect(other.map(({ digest }, index) => digest === settings.pods[index]?.digest)).toEqual([
    true,
    true,
    false,
  ]);
});

test('uninstall removes only the files that the monitor of a new pod wrote', async () => {
  const root = folderWith({ 'etc/router/routes.json': '', 'etc/router/router.cfg': 'another program' });
  expect(writtenFiles(await readDisk(root, pods), pods)).toEqual({
    ours: ['/etc/router/routes.json'],
    foreign: ['/etc/router/router.cfg'],
  });
});

test('doctor finds the daemons of a new pod', async () => {
  const parsed = parseSettingsFile(file, 'F', keys);
  if (parsed.kind !== 'values') throw new Error(parsed.problems.join('; '));
  const found = await asInstalled(
    hostFiles(folderWith({})),
    { path: 'F', values: parsed.values },
    pods,
    () => undefined,
  );
  expect(found.pages).toContainEqual({ program: 'router', port: 5_000 });
});

test("doctor finds a pod's metrics listener", async () => {
  const text = 'apiVips: [192.0.2.100]\nhaproxy: {metricsListen: "0.0.0.0:29450", metricsTokenFile: /t}\n';
  const parsed = parseSettingsFile(text, 'F', keys);
  if (parsed.kind !== 'values') throw new Error(parsed.problems.join('; '));
  const settingsFile = { path: 'F', values: parsed.values };
  const found = await asInstalled(hostFiles(folderWith({})), settingsFile, installedPods, () => undefined);
  const page = { program: 'haproxy monitor', port: 29_450, flag: '--metrics-listen' };
  expect(found.pages).toContainEqual(page);
});

test('a settings file may have the section of a program that is not installed with it', () => {
  const text = 'apiVips: [192.0.2.100]\nrouter: {listen: "127.0.0.1:5000"}\n';
  const alone = { pods: installedPods, keys };
  expect(effectiveSettings(text, alone).vips.api).toEqual(['192.0.2.100']);
  expect(() => effectiveSettings('router: {listn: x}', alone)).toThrow('router.listn');
});
