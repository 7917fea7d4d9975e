import { expect, test } from 'vitest';
import { judgeDisk } from '../../../../../src/operate/doctor/checks/disk.ts';
import { examine } from '../../../../helpers/doctor/scene.ts';

test('disk: a full one, one without inodes, a small one and a large one', () => {
  const look = { path: '/etc', freeBytes: 50e9, freeShare: 0.5, freeFiles: 1e6 };
  expect(judgeDisk(look)).toMatchObject({ kind: 'ok' });
  expect(judgeDisk({ ...look, freeFiles: 3 })).toMatchObject({ kind: 'fail' });
  expect(judgeDisk({ ...look, freeBytes: 200e6, freeShare: 0.01 })).toMatchObject({ kind: 'warn' });
  expect(judgeDisk({ ...look, freeBytes: 1e6 })).toMatchObject({ kind: 'fail' });
});

test('disk: before the installation the nearest directory that is there is looked at', async () => {
  const finding = await examine('disk', { '/etc/hostname': 'cp-1' });
  expect(finding.found).toContain('MB free for /etc');
  expect(finding.found).not.toContain('haproxy');
});
