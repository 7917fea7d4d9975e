import { expect, test } from 'vitest';
import { judgeCpu, judgeDisk } from '../../../src/doctor/checks/resources.ts';
import { examine } from '../../helpers/doctor/scene.ts';

const meminfo = (availableKb: number): string => `MemTotal: 8000000 kB\nMemAvailable: ${availableKb} kB\n`;

test.each([
  ['a machine with memory', meminfo(4_000_000), 'oom_kill 0\n', 'ok'],
  ['one that has ended processes for want of it', meminfo(4_000_000), 'pgfault 7\noom_kill 3\n', 'warn'],
  ['one that runs low', meminfo(250_000), 'oom_kill 0\n', 'warn'],
  ['one that has run out', meminfo(50_000), 'oom_kill 0\n', 'fail'],
])('memory: %s', async (_, info, vmstat, kind) => {
  expect(await examine('memory', { '/proc/meminfo': info, '/proc/vmstat': vmstat })).toMatchObject({ kind });
});

test('memory: this machine itself has a figure', async () => {
  expect((await examine('memory', undefined)).found).toMatch(/^\d+ of \d+ MB are available/);
});

test.each([
  ['100', 'ok'],
  ['800', 'warn'],
  ['990', 'fail'],
])('conntrack: %s of 1000 tracked connections are %s', async (count, kind) => {
  const folder = '/proc/sys/net/netfilter/nf_conntrack_';
  const files = { [`${folder}count`]: `${count}\n`, [`${folder}max`]: '1000\n' };
  expect(await examine('conntrack', files)).toMatchObject({ kind });
});

test('conntrack: a kernel that tracks nothing has nothing that could be full', async () => {
  expect(await examine('conntrack', {})).toMatchObject({ kind: 'skip' });
});

test.each([
  [100, 200, 'ok'],
  [2_000, 5_000, 'warn'],
  [3_000, 7_000, 'fail'],
])('client-ports: %i open and %i closing sockets for 10001 ports: %s', async (open, closing, kind) => {
  const sockstat = `sockets: used 9\nTCP: inuse ${open} orphan 0 tw ${closing} alloc 1 mem 1\n`;
  const files = {
    '/proc/net/sockstat': sockstat,
    '/proc/sys/net/ipv4/ip_local_port_range': '20000\t30000\n',
  };
  expect(await examine('client-ports', files)).toMatchObject({ kind });
});

test('cpu: a process that does not get to run is told from one that does', () => {
  expect(judgeCpu({ pressure: 3, waited: 1 })).toMatchObject({ kind: 'ok' });
  expect(judgeCpu({ pressure: 80, waited: 1 })).toMatchObject({ kind: 'warn' });
  expect(judgeCpu({ pressure: 80, waited: 90 })).toMatchObject({ kind: 'fail' });
  expect(judgeCpu({ pressure: undefined, waited: undefined })).toMatchObject({ kind: 'unknown' });
});

test("cpu: the kernel's own figure is what is read", async () => {
  const pressure =
    'some avg10=71.20 avg60=1.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n';
  const finding = await examine('cpu', { '/proc/pressure/cpu': pressure });
  expect(finding.found).toContain('71 % of the last 10 s');
  expect(finding.kind).not.toBe('ok');
});

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
