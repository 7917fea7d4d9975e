import { expect, test } from 'vitest';
import { isReplaced } from '../../../../../src/engine/system/file/replaced-mount.ts';

const ext4 = 'ext4 /dev/vda rw,discard';
const mountinfo = [
  `470 447 254:0 / / ro,relatime - ${ext4}`,
  `481 470 254:0 /etc/hawser /etc/hawser ro,relatime - ${ext4}`,
  `482 470 254:0 /run/resolve/resolv.conf//deleted /etc/resolv.conf ro,relatime - ${ext4}`,
  `483 470 254:0 /var/lib/kubelet/kubeconfig /var/lib/kubelet/kubeconfig ro,relatime - ${ext4}`,
  `484 470 254:0 /with\\040blank//deleted /with\\040blank ro,relatime - ${ext4}`,
  `485 470 254:0 /over//deleted /over ro,relatime - ${ext4}`,
  `486 485 254:0 /over /over ro,relatime - ${ext4}`,
  '',
].join('\n');

test.each([
  ['/etc/resolv.conf', true],
  ['/with blank', true],
  // In this order: still the node's file; below a mounted folder; in the image; covered by another mount.
  ['/var/lib/kubelet/kubeconfig', false],
  ['/etc/hawser/kubeconfig', false],
  ['/etc/hosts', false],
  ['/over', false],
])('%s was replaced behind its mount: %s', (path, expected) => {
  expect(isReplaced(mountinfo, path)).toBe(expected);
});
