import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { helpOf } from '../../helpers/command-help.ts';
import { containerOf, haproxyManifest, keepalivedManifest, readPod } from './pod.ts';

it.each([
  { manifest: haproxyManifest, name: 'haproxy' },
  { manifest: haproxyManifest, name: 'haproxy-monitor' },
  { manifest: keepalivedManifest, name: 'render' },
  { manifest: keepalivedManifest, name: 'keepalived' },
  { manifest: keepalivedManifest, name: 'keepalived-monitor' },
])('container $name calls a command with flags that it knows', ({ manifest, name }) => {
  const pod = readPod(manifest);
  const { args } = pod.spec.initContainers.find((each) => each.name === name) ?? containerOf(pod, name);
  const help = helpOf(args.slice(0, 2));
  const flags = args.filter((arg) => arg.startsWith('--')).map((arg) => arg.replace(/=.*/, ''));
  expect(help.flags).toEqual(expect.arrayContaining(flags));
  expect(args.slice(2).filter((arg) => !arg.startsWith('--'))).toHaveLength(help.positionals.length);
});

const kubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
const noKubectl = kubectl.status === 0 ? undefined : 'kubectl is not installed';
if (noKubectl !== undefined) console.log(`skipped: the manifest is not read by kubectl, ${noKubectl}`);

const manifests = [haproxyManifest, keepalivedManifest];
it.skipIf(noKubectl !== undefined).each(manifests)(
  'kubectl reads every field of %s as one of its own',
  (manifest) => {
    // `create --dry-run=client` wants a server. This goes through the same types without one, adds a limit, and drops every
    // field that a Pod does not have.
    const args = ['set', 'resources', '--local', '-f', manifest, '-o', 'json', '--limits=cpu=9'];
    const understood = JSON.parse(execFileSync('kubectl', args, { encoding: 'utf8' }));
    expect(understood).toMatchObject(parse(readFileSync(manifest, 'utf8')));
  },
);
