import { onTestFinished } from 'vitest';
import { connectSegment, createNetNamespace, type NetNamespace } from '../net-namespace.ts';

export interface Segment {
  /** The doctor's node: 10.77.0.11 on eth0. */
  readonly us: NetNamespace;
  /** 10.77.0.12, a node of the group. */
  readonly peer: NetNamespace;
  /** 10.77.0.66, another host on the segment. */
  readonly stranger: NetNamespace;
}

export const VIP = '10.77.0.100';
export const PEERS = ['--servers', 'cp-2=10.77.0.12'] as const;

/** Three machines on one Ethernet segment, removed with the test. */
export async function createDoctorSegment(): Promise<Segment> {
  const [us, peer, stranger] = [
    await createNetNamespace(),
    await createNetNamespace(),
    await createNetNamespace(),
  ];
  for (const namespace of [us, peer, stranger]) onTestFinished(() => namespace.remove());
  const end = (namespace: NetNamespace, number: number) => ({
    namespace,
    device: 'eth0',
    addresses: [`10.77.0.${number}/24`, `fd77::${number}/64`],
  });
  const middle = await connectSegment([end(us, 11), end(peer, 12), end(stranger, 66)]);
  onTestFinished(() => middle.remove());
  return { us, peer, stranger };
}

export async function addVip(namespace: NetNamespace): Promise<void> {
  await namespace.run('ip', 'address', 'add', `${VIP}/32`, 'dev', 'eth0');
}

export async function setSysctl(namespace: NetNamespace, ...settings: readonly string[]): Promise<void> {
  await namespace.run('sysctl', '-qw', ...settings);
}
