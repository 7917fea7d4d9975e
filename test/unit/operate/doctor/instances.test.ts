import { expect, test } from 'vitest';
import { pods } from '../../../../src/commands/pods.ts';
import { hostFiles } from '../../../../src/engine/examine/host-files.ts';
import { asInstalled } from '../../../../src/operate/doctor/as-installed.ts';
import { examine, type Settings, temporaryRoot } from '../../../helpers/doctor/scene.ts';

/** A node on which an operator's manifest starts the supervisor of instance b like this. */
async function nodeWith(args: string): Promise<[Readonly<Record<string, string>>, Settings]> {
  const container = `{name: haproxy, args: [haproxy, supervise, --instance=b, ${args}]}`;
  const files = { '/etc/kubernetes/manifests/another.yaml': `spec: {containers: [${container}]}\n` };
  const installed = await asInstalled(hostFiles(temporaryRoot(files)), undefined, pods, () => undefined);
  const { pages, instances } = installed;
  return [files, { pages, instances }];
}

test('an instance of which nothing runs is found by its manifest, whatever that is called', async () => {
  const [files, settings] = await nodeWith('--listen=127.0.0.1:29461');
  expect(settings.pages).toContainEqual({ program: 'haproxy supervise', instance: 'b', port: 29_461 });
  expect(await examine('haproxy-supervisor', files, settings)).toMatchObject({
    kind: 'fail',
    found: 'instance b: the manifest of haproxy is here, and no supervisor runs',
  });
  // Without a monitor it is another product's: that keeps the configuration where it likes, and has no redirect.
  for (const id of ['haproxy-config', 'redirect'])
    expect(await examine(id, files, settings)).toMatchObject({ kind: 'skip' });
});

test('an instance that would refuse its arguments is named with what is wrong', async () => {
  const [files, settings] = await nodeWith('--journal=/var/log/hawser');
  expect(await examine('settings-file', files, settings)).toMatchObject({
    kind: 'fail',
    found: expect.stringMatching(/^instance b: Cannot start instance "b" without --listen: /),
  });
  expect(await examine('haproxy-supervisor', files, settings)).toMatchObject({ kind: 'skip' });
});
