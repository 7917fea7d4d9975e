import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { haproxyManifest, keepalivedManifest } from './pod.ts';

const kubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
const noKubectl = kubectl.status === 0 ? undefined : 'kubectl is not installed';
if (noKubectl !== undefined)
  console.log(`skipped: the manifests and the patch of service.yaml are not read by kubectl, ${noKubectl}`);

const pathOf = (name: string) => join(import.meta.dirname, '../../../manifests', name);
const routerManifest = pathOf('router/deployment.yaml');
const manifests = [haproxyManifest, keepalivedManifest, routerManifest, pathOf('pod-proxy/deployment.yaml')];
it.skipIf(noKubectl !== undefined).each(manifests)(
  'kubectl recognizes every field of the manifest %s',
  (manifest) => {
    // `create --dry-run=client` needs a server. This command parses with the same types without one, adds a limit, and drops every
    // field that a Pod or Deployment does not have.
    const args = ['set', 'resources', '--local', '-f', manifest, '-o', 'json', '--limits=cpu=9'];
    const understood = JSON.parse(execFileSync('kubectl', args, { encoding: 'utf8' }));
    // YAML 1.1 as parsed by kubectl, where 0400 is octal.
    expect(understood).toMatchObject(parse(readFileSync(manifest, 'utf8'), { version: '1.1' }));
  },
);

it.skipIf(noKubectl !== undefined)(
  'the patch in service.yaml removes the host network and the host ports that an API server has filled in',
  () => {
    const [, patch = ''] = /--patch '(.*)'$/m.exec(readFileSync(pathOf('router/service.yaml'), 'utf8')) ?? [];
    const filled = readFileSync(routerManifest, 'utf8').replaceAll(
      /^( *)containerPort: (\d+)$/gm,
      '$&\n$1hostPort: $2',
    );
    expect(filled.match(/hostPort/g)).toHaveLength(4);
    const args = ['patch', '--local', '-f', '-', '--patch', patch, '-o', 'json'];
    const patched = JSON.parse(execFileSync('kubectl', args, { encoding: 'utf8', input: filled }));
    const { hostNetwork, containers } = patched.spec.template.spec;
    expect(hostNetwork).toBe(false);
    const ports = containers.flatMap((each: { ports: object[] }) => each.ports);
    expect(ports).toMatchObject([80, 443, 1937, 1936].map((containerPort) => ({ containerPort })));
    expect(JSON.stringify(ports)).not.toContain('hostPort');
  },
);
