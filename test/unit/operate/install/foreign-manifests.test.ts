import { expect, test } from 'vitest';
import { pods } from '../../../../src/commands/pods.ts';
import { readDisk } from '../../../../src/operate/install/disk.ts';
import { foreignManifests } from '../../../../src/operate/install/objections.ts';
import { temporaryRoot } from '../../../helpers/doctor/scene.ts';

test('a pod with --instance does not prevent an install, a pod without it does', async () => {
  const manifest = (args: string) =>
    `spec: {containers: [{name: haproxy, args: [haproxy, supervise${args}]}]}\n`;
  const root = temporaryRoot({
    '/etc/kubernetes/manifests/b.yaml': manifest(', --instance=b'),
    '/etc/kubernetes/manifests/copy.yaml': manifest(''),
    '/etc/kubernetes/manifests/other.yaml':
      'spec: {containers: [{name: haproxy, image: haproxy, args: [-f, x]}]}',
  });
  const disk = await readDisk(root, pods);
  const problems = foreignManifests(disk, new Set(), pods).flatMap((each) => each.problems ?? []);
  expect(problems).toEqual([
    expect.stringContaining('"/etc/kubernetes/manifests/copy.yaml": it runs haproxy'),
    expect.stringContaining('"/etc/kubernetes/manifests/other.yaml": it runs haproxy'),
  ]);
});
