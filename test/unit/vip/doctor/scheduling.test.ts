import { expect, test } from 'vitest';
import { examine, type Files } from '../../../helpers/doctor/scene.ts';

const NONE = '0000000000003800';
const WITH_SYS_NICE = '0000000000803800';

/** A node whose keepalived is scheduled like this; the fields of `stat` are those of a real one (Linux 6.18). */
function node(policy: number, capabilities: string, more: Files = {}): Files {
  const priority = policy === 0 ? 0 : 20;
  const stat = `(keepalived) S 8 9 9 0 -1 4194560 297 0 0 0 1 2 0 0 ${-priority - 1} 0 1 0 2487753 28385280 1830 18446744073709551615 1 1 0 0 0 0 0 4096 81923 0 0 0 17 1 ${priority} ${policy} 0 0 0 0 0 0 0 0 0 0 0\n`;
  return {
    '/proc/9/comm': 'keepalived\n',
    '/proc/9/cmdline': '/usr/sbin/keepalived\0--vrrp\0--dont-fork\0--dont-respawn\0',
    '/proc/9/stat': `9 ${stat}`,
    '/proc/9/status': `Name:\tkeepalived\nCapEff:\t${capabilities}\n`,
    '/proc/9/cgroup': '3:cpuset:/kubepods/x\n1:cpu,cpuacct:/kubepods/x\n0::/kubepods/x\n',
    ...more,
  };
}

const share = (us: number): Files => ({ '/sys/fs/cgroup/cpu/kubepods/x/cpu.rt_runtime_us': `${us}\n` });

test.each<[string, Files, object]>([
  ['real time', node(2, WITH_SYS_NICE), { kind: 'ok', message: 'keepalived runs at real-time priority 20' }],
  [
    'an ordinary priority',
    node(0, WITH_SYS_NICE),
    { kind: 'warn', remedy: expect.stringContaining('--realtime-priority off') },
  ],
  ['no SYS_NICE', node(0, NONE), { kind: 'warn', message: expect.stringContaining('no SYS_NICE') }],
  [
    'a cgroup without real time',
    node(0, WITH_SYS_NICE, share(0)),
    { kind: 'warn', message: expect.stringContaining('cpu.rt_runtime_us') },
  ],
  [
    'a cgroup with real time',
    node(0, WITH_SYS_NICE, share(100_000)),
    { kind: 'warn', message: 'keepalived runs at no real-time priority' },
  ],
  ['what cannot be read', node(0, WITH_SYS_NICE, { '/proc/9/stat': '' }), { kind: 'unknown' }],
  ['no keepalived of ours', {}, { kind: 'skip' }],
])('keepalived-priority: %s', async (_, files, finding) => {
  expect(await examine('keepalived-priority', files)).toMatchObject(finding);
});
