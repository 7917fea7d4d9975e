import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { examine, type Files } from '../../../helpers/doctor/scene.ts';

const ours = readFileSync(new URL('../../../../manifests/keepalived.yaml', import.meta.url), 'utf8');
const kubeVip = (address: string): string => `apiVersion: v1
kind: Pod
metadata:
  name: kube-vip
spec:
  containers:
    - name: kube-vip
      image: ghcr.io/kube-vip/kube-vip:v1.2.0
      env:
        - name: address
          value: "${address}"
`;
const pods = '/etc/kubernetes/manifests';
const settings = { apiVips: ['192.0.2.100'] };

test.each<[string, Files, string]>([
  ['nothing', {}, 'ok'],
  ['the pod of hawser', { [`${pods}/keepalived.yaml`]: ours }, 'ok'],
  ['kube-vip with the same VIP', { [`${pods}/kube-vip.yaml`]: kubeVip('192.0.2.100') }, 'fail'],
  ['kube-vip with another VIP', { [`${pods}/kube-vip.yaml`]: kubeVip('192.0.2.10') }, 'warn'],
  [
    'an older pod of keepalived',
    { [`${pods}/vip.json`]: '{\n"image": "quay.io/osixia/keepalived:2.0.20",\n"env": "192.0.2.100"\n}' },
    'fail',
  ],
  ['a file that the kubelet does not read', { [`${pods}/.kube-vip.yaml`]: kubeVip('192.0.2.100') }, 'ok'],
  [
    'the keepalived of a package',
    { '/proc/9/comm': 'keepalived\n', '/proc/9/cmdline': '/usr/sbin/keepalived\0--dont-fork\0' },
    'warn',
  ],
  [
    "a package's keepalived next to hawser's",
    {
      '/proc/9/comm': 'keepalived\n',
      '/proc/9/cmdline': '/usr/sbin/keepalived\0--dont-fork\0',
      '/proc/10/comm': 'node\n',
      '/proc/10/cmdline': 'node\0/hawser.mjs\0keepalived\0supervise\0',
    },
    'fail',
  ],
  [
    'the keepalived of hawser',
    {
      '/proc/9/comm': 'keepalived\n',
      '/proc/9/cmdline': '/usr/sbin/keepalived\0--vrrp\0--dont-fork\0--dont-respawn\0',
    },
    'ok',
  ],
  [
    'a keepalived in a network of its own',
    {
      '/proc/self/ns/net': '->net:[1]',
      '/proc/9/ns/net': '->net:[2]',
      '/proc/9/comm': 'keepalived\n',
      '/proc/9/cmdline': '/usr/sbin/keepalived\0--dont-fork\0',
    },
    'ok',
  ],
])('other-vip-software: %s', async (_, files, kind) => {
  expect(await examine('other-vip-software', files, settings)).toMatchObject({ kind });
});
