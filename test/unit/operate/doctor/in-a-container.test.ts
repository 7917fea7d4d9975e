import { expect, test } from 'vitest';
import { examineInContainer } from '../../../helpers/doctor/scene.ts';

test.each([
  'settings-file',
  'haproxy-supervisor',
  'haproxy-config',
  'keepalived-supervisor',
  'keepalived-config',
  'keepalived-priority',
  'networkd',
  'networkmanager',
  'other-vip-software',
  'credentials',
  'client-certificate',
  'node-labels',
])("%s: where the node's files are not mounted it cannot tell", async (id) => {
  expect(await examineInContainer(id, { '/proc/1/comm': 'tini\n' })).toMatchObject({
    kind: 'unknown',
    message: expect.stringContaining('not visible'),
    remedy: expect.stringContaining('--root'),
  });
});

test("haproxy-supervisor: an installed program is not called dead if the node's processes are hidden", async () => {
  const files = { '/etc/kubernetes/manifests/haproxy.yaml': 'image: hawser:1' };
  expect(await examineInContainer('haproxy-supervisor', files)).toMatchObject({ kind: 'unknown' });
});
