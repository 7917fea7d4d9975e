import { connectSegment, type NetNamespace, type NetworkEnd } from '../net-namespace.ts';

/** The Ethernet switch between nodes and client. Ports are numbered in the order of the ends. */
export interface BedSwitch {
  readonly namespace: NetNamespace;
  /** Down is a dead machine's port: no carrier on either side. */
  setPort(index: number, up: boolean): Promise<void>;
  /** From now on these ports reach only each other, and so do the rest; every carrier stays up. */
  split(ports: readonly number[]): Promise<void>;
  heal(): Promise<void>;
}

/** The namespaces of the ends must exist; the switch has its own, which the caller removes. */
export async function createSwitch(ends: readonly NetworkEnd[]): Promise<BedSwitch> {
  const namespace = await connectSegment(ends);
  const ip = (...args: string[]) => namespace.run('ip', ...args);
  await ip('link', 'add', 'island', 'type', 'bridge', 'forward_delay', '0');
  await ip('link', 'set', 'island', 'up');
  // Like a switch without snooping: multicast adverts reach every port.
  for (const bridge of ['segment', 'island'])
    await ip('link', 'set', bridge, 'type', 'bridge', 'mcast_snooping', '0');
  const cut = new Set<number>();
  const move = async (index: number, bridge: 'island' | 'segment') => {
    await ip('link', 'set', `port${index}`, 'master', bridge);
  };
  return {
    namespace,
    setPort: async (index, up) => void (await ip('link', 'set', `port${index}`, up ? 'up' : 'down')),
    split: async (ports) => {
      for (const index of ports) cut.add(index);
      await Promise.all(ports.map((index) => move(index, 'island')));
    },
    heal: async () => {
      await Promise.all([...cut].map((index) => move(index, 'segment')));
      cut.clear();
    },
  };
}
