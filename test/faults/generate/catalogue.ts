/** What can be killed or stopped on a node: a program with its children, or one process of hawser. */
export const targets = [
  'haproxy',
  'haproxy-supervisor',
  'haproxy-container',
  'haproxy-monitor',
  'keepalived',
  'keepalived-supervisor',
  'keepalived-container',
  'keepalived-monitor',
  'api-server',
] as const;
export type Target = (typeof targets)[number];

export interface Kind {
  /** A line for people. */
  readonly about: string;
  readonly variants: readonly [string, ...string[]];
  /** Where it happens: on one node, or in what the nodes share, where only one can happen at a time. */
  readonly place: 'node' | 'network';
  /** From its beginning to its end, the shortest and the longest. */
  readonly lastsMs: readonly [number, number];
  /** Nothing else can happen to its node meanwhile. */
  readonly alone?: true;
}

const moment = [0, 0] as const;
const seconds = (from: number, to: number) => [from * 1_000, to * 1_000] as const;

/** Every kind of fault. How it is brought about stands in `inject/`, what may follow from it in `validate/bounds.ts`. */
export const catalogue = {
  kill: {
    about: 'SIGKILL; what the kubelet runs is started again after a second',
    variants: targets,
    place: 'node',
    lastsMs: moment,
  },
  stop: {
    about: 'SIGSTOP, and SIGCONT at the end',
    variants: targets,
    place: 'node',
    lastsMs: seconds(1, 6),
  },
  'restart-pod': {
    about: 'SIGTERM for both containers of a pod, which the kubelet starts again',
    variants: ['haproxy', 'keepalived', 'both'],
    place: 'node',
    lastsMs: moment,
  },
  'power-off': {
    about: 'the node loses its network and everything that runs on it, and boots again',
    variants: ['node'],
    place: 'node',
    lastsMs: seconds(2, 8),
    alone: true,
  },
  unplug: {
    about: 'no carrier on the node’s interface',
    variants: ['node'],
    place: 'node',
    lastsMs: seconds(1, 6),
  },
  partition: {
    about: 'the node, alone or with the client, reaches no other',
    variants: ['node', 'node and client'],
    place: 'network',
    lastsMs: seconds(1, 6),
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type FaultName = keyof typeof catalogue;
export const faultNames = Object.keys(catalogue) as readonly FaultName[];

export function kindOf(name: FaultName): Kind {
  return catalogue[name];
}
